import { useState } from 'react';
import { consentScan, type Scan } from '#contract/scan.ts';
import { useAct } from '#web/api/query.ts';
import { saveNonce } from '#web/features/scan/nonce.ts';
import styles from '#web/features/scan/scan.module.css';
import { classes } from '#web/ui/classes.ts';
import { UnofficialRisk } from '#web/features/scan/UnofficialRisk.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { PhoneField } from '#web/ui/phone/PhoneField.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

type Props = {
  data: string;
  scan: Scan;
  onAgreed: (nonce: string) => void;
  onGone: () => void;
};

export function Consent({ data, scan, onAgreed, onGone }: Props) {
  const consent = useAct(consentScan, {
    onSuccess: ({ nonce }) => {
      saveNonce(data, nonce);
      onAgreed(nonce);
    },
    onError: onGone,
  });
  const [phone, setPhone] = useState('');
  const simulated = scan.channel === 'simulator';
  const app = simulated ? 'ponsel simulasi' : 'WhatsApp';
  const who = <bdi className={styles['who']}>{scan.account_name}</bdi>;
  return (
    <>
      <PageTitle>{`Sambungkan ${app} Anda`}</PageTitle>
      <p className={styles['lead']}>
        {who} meminta Anda menyambungkan nomor {simulated ? app : 'WhatsApp di ponsel'} Anda ke
        token <bdi className={styles['who']}>{scan.token_name}</bdi>.
      </p>
      <section className={classes('grid gap-8', styles['part'])}>
        <h2>Setelah tersambung, {who} dapat</h2>
        <ul className={styles['points']}>
          <li>mengirim pesan kepada siapa pun atas nama nomor Anda,</li>
          <li>membaca pesan yang masuk ke nomor Anda sejak saat itu.</li>
        </ul>
      </section>
      <section className={classes('grid gap-8', styles['part'])}>
        <h2>Anda tetap dapat</h2>
        <ul className={styles['points']}>
          <li>memakai {simulated ? app : 'WhatsApp di ponsel'} seperti biasa,</li>
          <li>
            {simulated
              ? 'memutuskannya kapan saja lewat pemilik token.'
              : 'memutuskannya kapan saja di WhatsApp, pada Perangkat tertaut.'}
          </li>
        </ul>
      </section>
      <p className={classes('py-12 px-14 rounded text-warning', styles['warning'])}>
        Jangan lanjutkan bila Anda tidak mengenal {who}, atau bila seseorang menyuruh Anda lewat
        telepon atau pesan.
      </p>
      {scan.channel === 'web' && <UnofficialClient phone={phone} onPhone={setPhone} />}
      <RefusalAlert error={consent.error} />
      <Button
        size="lg"
        block
        busy={consent.busy}
        onClick={() => consent.mutate(phone === '' ? { data } : { data, phone })}
      >
        Saya mengerti, tampilkan QR
      </Button>
      <p className="small faint">
        Tautan ini berlaku <Countdown until={scan.expires_at} onEnd={onGone} /> lagi dan hanya dapat
        dipakai sekali.
      </p>
    </>
  );
}

type UnofficialProps = { phone: string; onPhone: (phone: string) => void };

/** WhatsApp Web: its risk, and the number for which to request a code to type. */
const UnofficialClient = ({ phone, onPhone }: UnofficialProps) => (
  <>
    <UnofficialRisk />
    <PhoneField
      label="Nomor WhatsApp Anda (tidak wajib)"
      help="Isi bila Anda tidak dapat memindai QR: kami menampilkan kode yang dapat diketik di ponsel."
      name="phone"
      value={phone}
      onChange={onPhone}
    />
  </>
);
