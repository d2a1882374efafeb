import { ExternalLink } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Scan } from '#contract/scan.ts';
import styles from '#web/features/scan/scan.module.css';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { AnchorButton } from '#web/ui/button/Button.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

const LiveQr = lazy(async () => ({
  default: (await import('#web/features/scan/LiveQr.tsx')).LiveQr,
}));
const QR_PX = 264;

type Props = {
  scan: Scan;
  /** The last poll of the link failed; the next one may not. */
  offline: boolean;
  /** The code on the screen has expired: poll now for the next one. */
  onStale: () => void;
};

export function Scanning({ scan, offline, onStale }: Props) {
  const { qr, state } = scan;
  const simulated = scan.channel === 'simulator';
  return (
    <>
      <PageTitle>{state === 'scanned' ? 'Menyambungkan…' : 'Pindai kode ini'}</PageTitle>
      <p className={styles['lead']}>
        Token <bdi className={styles['who']}>{scan.token_name}</bdi> milik{' '}
        <bdi className={styles['who']}>{scan.account_name}</bdi>.
      </p>
      <Progress state={state} />
      <Alert
        visible={offline}
        state="warning"
        label="Koneksi terputus. Halaman ini mencoba lagi otomatis."
      />
      {state === 'scanned' ? (
        <p className={styles['wait']}>
          <span className={styles['wheel']} aria-hidden="true" />
          Kode sudah terpindai. Tunggu sampai ponsel selesai menyambung.
        </p>
      ) : (
        (qr && <Code qr={qr} simulated={simulated} onStale={onStale} />) || (
          <p role="status" className={styles['wait']}>
            <span className={styles['wheel']} aria-hidden="true" />
            Kode sedang diminta dari WhatsApp. Tunggu sebentar.
          </p>
        )
      )}
      {state === 'waiting' && <HowTo simulated={simulated} />}
      <p className={styles['note']}>
        Tautan ini berlaku <Countdown until={scan.expires_at} onEnd={onStale} /> lagi.
      </p>
    </>
  );
}

type CodeProps = { qr: NonNullable<Scan['qr']>; simulated: boolean; onStale: () => void };

export function Code({ qr, simulated, onStale }: CodeProps) {
  const end = qr.expires_at.getTime();
  const [stale, setStale] = useState(false);
  useEffect(() => setStale(false), [qr.text]);
  return (
    <>
      <Suspense fallback={<Skeleton width={QR_PX} height={QR_PX} />}>
        <LiveQr text={qr.text} stale={stale} simulated={simulated} onMissed={onStale} />
      </Suspense>
      <p className={styles['fresh']}>
        QR diperbarui otomatis dalam{' '}
        <Countdown
          key={end}
          until={qr.expires_at}
          onEnd={() => {
            setStale(true);
            onStale();
          }}
        />
      </p>
      {simulated && (
        <div>
          <AnchorButton
            href="/simulator"
            target="_blank"
            variant="subtle"
            size="lg"
            icon={<ExternalLink size={18} aria-hidden="true" />}
          >
            Buka simulator<span className="sr-only"> (tab baru)</span>
          </AnchorButton>
        </div>
      )}
      {qr.pairing_code !== null && (
        <CopyField
          label="Atau masukkan kode pasangan ini di ponsel"
          value={qr.pairing_code}
          shown={<span className={styles['pairing']}>{qr.pairing_code}</span>}
          look="amount"
          help={
            simulated
              ? 'Pakai kode ini bila halaman ini terbuka di ponsel yang hendak disambungkan.'
              : 'Pakai kode ini bila halaman ini terbuka di ponsel yang hendak disambungkan: pilih “Tautkan dengan nomor telepon”.'
          }
        />
      )}
    </>
  );
}

const steps = [
  { state: 'waiting', label: 'Menunggu' },
  { state: 'scanned', label: 'Terpindai' },
  { state: 'connected', label: 'Tersambung' },
] as const;

export function Progress({ state }: { state: Scan['state'] }) {
  const now = steps.findIndex((step) => step.state === state);
  return (
    <div className={styles['progress']}>
      <ol>
        {steps.map((step, index) => (
          <li
            key={step.state}
            data-done={index < now || state === 'connected' || undefined}
            aria-current={index === now ? 'step' : undefined}
          >
            {step.label}
          </li>
        ))}
      </ol>
      <p role="status" className="sr-only">
        {steps[now]?.label}
      </p>
    </div>
  );
}

export const HowTo = ({ simulated }: { simulated: boolean }) => (
  <section className={styles['part']}>
    <h2>Caranya</h2>
    {simulated ? (
      <ol className={styles['points']}>
        <li>Buka simulator: ponsel Anda terbuka di tab baru.</li>
        <li>Ketuk “Ada kode QR di tab lain. Pindai” di ponsel itu.</li>
        <li>Kembali ke halaman ini setelah ponselnya tersambung.</li>
      </ol>
    ) : (
      <ol className={styles['points']}>
        <li>Buka WhatsApp di ponsel Anda.</li>
        <li>Buka Setelan, lalu Perangkat tertaut, lalu Tautkan perangkat.</li>
        <li>Arahkan kamera ke kode ini.</li>
      </ol>
    )}
  </section>
);
