import { Download } from 'lucide-react';
import type { OperatorTopup } from '#contract/operator/payments.ts';
import styles from '#web/features/operator/topups/Slip.module.css';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { ImageZoom } from '#web/ui/media/ImageZoom.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = { slip: NonNullable<OperatorTopup['slip']> };

export function Slip({ slip }: Props) {
  const { url, name, mime, at, used_before: before } = slip;
  return (
    <section className={styles['slip']} aria-label="Bukti transfer">
      <p className={styles['what']}>
        Bukti transfer, dikirim <DateTime at={at} />
      </p>
      <Alert
        state="warning"
        visible={before !== null}
        label={
          before && (
            <>
              Slip pernah dipakai: <bdi>{before.account_name}</bdi> mengirim berkas yang sama untuk
              isi saldo {before.topup_id} pada <DateTime at={before.at} />.
            </>
          )
        }
      />
      {mime.startsWith('image/') ? (
        <ImageZoom
          src={url}
          alt="Bukti transfer"
          className={styles['picture']}
          expandText="Perbesar"
          minimizeText="Perkecil"
        />
      ) : (
        <a className={styles['file']} href={url} download={name}>
          <Download size={18} aria-hidden="true" />
          <bdi>{name}</bdi>
        </a>
      )}
      <p className={styles['note']}>
        Bukti bukan uang masuk. Cocokkan dengan mutasi bank sebelum mengonfirmasi.
      </p>
    </section>
  );
}
