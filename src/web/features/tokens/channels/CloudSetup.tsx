import type { TokenStatus } from '#contract/tokens.ts';
import { Button } from '#web/ui/button/Button.tsx';
import type { ReactNode } from 'react';
import type { CloudConnection } from '#contract/channels.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { classes } from '#web/ui/classes.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

export function CloudSetup({ cloud }: { cloud: CloudConnection }) {
  const { verified_at: verifiedAt } = cloud;
  if (verifiedAt === null) {
    return (
      <section className="stack gap-12">
        <h4>Langkah terakhir: terima pesan dan status dari Meta</h4>
        <Alert
          visible
          state="warning"
          label="Meta belum memeriksa alamat Kabari. Sampai itu selesai, balasan pelanggan dan tanda terima tidak masuk."
        />
        <Steps cloud={cloud} />
        <p className="small faint" role="status">
          Menunggu pemeriksaan Meta. Halaman ini berubah otomatis.
        </p>
      </section>
    );
  }
  return (
    <details className="folded">
      <summary>Pengaturan webhook di Meta</summary>
      <p className="mb-12 small faint">
        Diperiksa Meta pada <DateTime at={verifiedAt} />.
      </p>
      <Steps cloud={cloud} />
    </details>
  );
}

/** Opens the form for another access token: the way out once Meta refuses the present one. */
export const NewAccessButton = ({
  status,
  onClick,
}: {
  status: TokenStatus;
  onClick: () => void;
}) => (
  <Button variant={status === 'disconnected' ? 'solid' : 'outline'} onClick={onClick}>
    Masukkan access token baru
  </Button>
);

const Steps = ({ cloud }: { cloud: CloudConnection }) => (
  <ol className={classes('grid gap-12', styles['steps'])}>
    <li>
      Buka <Word>developers.facebook.com</Word>, pilih <Word>App Anda</Word>, lalu{' '}
      <Word>WhatsApp › Configuration</Word>.
    </li>
    <li className="grid gap-10">
      <p>
        Di bagian <Word>Webhook</Word> tekan <Word>Edit</Word>, isi keduanya, lalu tekan{' '}
        <Word>Verify and save</Word>.
      </p>
      <CopyField label="Callback URL" value={cloud.callback_url} look="code" />
      <CopyField label="Verify token" value={cloud.verify_token} look="code" />
    </li>
    <li>
      Di <Word>Webhook fields</Word> nyalakan <Word>messages</Word>. Agar status templat dan mutu
      nomor ikut diperbarui, nyalakan juga <Word>message_template_status_update</Word>,{' '}
      <Word>phone_number_quality_update</Word>, dan <Word>account_update</Word>.
    </li>
  </ol>
);

const Word = ({ children }: { children: ReactNode }) => <strong translate="no">{children}</strong>;
