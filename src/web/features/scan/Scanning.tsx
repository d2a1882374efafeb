import { later } from '#web/browser/lazyComponent.ts';
import { ExternalLink } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import type { Scan } from '#contract/scan.ts';
import styles from '#web/features/scan/scan.module.css';
import { classes } from '#web/ui/classes.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { AnchorButton, Button } from '#web/ui/button/Button.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { showCountdown } from '#web/ui/time/countdown.ts';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

const LiveQr = later(async () => {
  const { LiveQr } = await import('#web/features/scan/LiveQr.tsx');
  return { LiveQr };
});
const QR_PX = 264;
/** A code that is missing for longer, five polls of the link, is reported as late. */
const LATE_MS = 10_000;

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
      <PageTitle>{state === 'scanned' ? 'Menyambungkan…' : 'Sambungkan ponsel'}</PageTitle>
      <p className={classes('large muted', styles['lead'])}>
        Token <bdi className="ink strong">{scan.token_name}</bdi> milik{' '}
        <bdi className="ink strong">{scan.account_name}</bdi>.
      </p>
      <Progress state={state} />
      <Alert
        visible={offline}
        state="warning"
        label="Koneksi terputus. Halaman ini mencoba lagi otomatis."
      />
      {state === 'scanned' ? (
        <p className="row gap-12 card p-20">
          <span className={classes('flex-none rounded-full', styles['wheel'])} aria-hidden="true" />
          Kode sudah terpindai. Tunggu sampai ponsel selesai menyambung.
        </p>
      ) : (
        <Code qr={qr} simulated={simulated} onStale={onStale} onRenew={onStale} />
      )}
      <p className="small faint">
        <Countdown
          until={scan.expires_at}
          onEnd={onStale}
          show={(seconds) => `Tautan ini berlaku ${showCountdown(seconds)} lagi.`}
          ended="Waktu tautan ini habis."
        />
      </p>
    </>
  );
}

type CodeProps = {
  /** Null until the network has provided one. */
  qr: Scan['qr'];
  simulated: boolean;
  /** The level of the heading of the steps. */
  level?: 'h2' | 'h5';
  /** The code has expired: poll now for the next one. */
  onStale: () => void;
  /** The next code is late, and the person requests one. */
  onRenew: () => void;
};

/**
 * The current QR with its countdown and its pairing code, and the steps; a late one is reported, with a button to
 * request it anew. A phone cannot scan its own screen: there the pairing code comes first.
 */
export function Code({ qr, simulated, level = 'h2', onStale, onRenew }: CodeProps) {
  const isPhone = !useWide();
  const [staleText, setStaleText] = useState<string>();
  const isStale = qr !== null && qr.text === staleText;
  const late = <Late key={qr?.text} isWaiting={qr === null || isStale} onRenew={onRenew} />;
  if (!qr) {
    return (
      <>
        <p role="status" className="row gap-12 card p-20">
          <span className={classes('flex-none rounded-full', styles['wheel'])} aria-hidden="true" />
          QR sedang diminta{!simulated && ' dari WhatsApp'}. Tunggu sebentar.
        </p>
        {late}
        <HowTo simulated={simulated} level={level} />
      </>
    );
  }
  const picture = (
    <>
      <Suspense fallback={<Skeleton width={QR_PX} height={QR_PX} />}>
        <LiveQr text={qr.text} stale={isStale} simulated={simulated} onMissed={onStale} />
      </Suspense>
      <p className={classes('muted num text-center', styles['fresh'])}>
        <Countdown
          key={qr.text}
          until={qr.expires_at}
          show={(seconds) => `QR diperbarui otomatis dalam ${seconds} detik`}
          ended="QR diperbarui otomatis…"
          onEnd={() => {
            setStaleText(qr.text);
            onStale();
          }}
        />
      </p>
    </>
  );
  const code = qr.pairing_code !== null && (
    <PairingCode code={qr.pairing_code} isPhone={isPhone} simulated={simulated} />
  );
  const byCode = isPhone && code !== false;
  return (
    <>
      {byCode ? code : picture}
      {late}
      {simulated && <ToSimulator />}
      {!isPhone && code}
      {isPhone && !code && (
        <p>
          Bila ponsel ini yang akan disambungkan, buka halaman ini di layar lain, lalu pindai QR-nya
          dari sana.
        </p>
      )}
      <HowTo simulated={simulated} byCode={byCode} level={level} />
      {byCode && (
        <details className={styles['folded']}>
          <summary>Tampilkan QR untuk ponsel lain</summary>
          {picture}
        </details>
      )}
    </>
  );
}

const ToSimulator = () => (
  <div>
    <AnchorButton
      href="/simulator"
      target="_blank"
      variant="subtle"
      size="lg"
      icon={<ExternalLink size={18} />}
    >
      Buka simulator<span className="sr-only"> (tab baru)</span>
    </AnchorButton>
  </div>
);

type PairingProps = { code: string; isPhone: boolean; simulated: boolean };

function PairingCode({ code, isPhone, simulated }: PairingProps) {
  const where = simulated ? '.' : ': pilih “Tautkan dengan nomor telepon”.';
  return (
    <CopyField
      label={isPhone ? 'Kode penautan' : 'Atau masukkan kode penautan ini di ponsel'}
      value={code}
      shown={<span className={styles['pairing']}>{code}</span>}
      look="amount"
      help={
        isPhone
          ? undefined
          : `Pakai kode ini bila halaman ini terbuka di ponsel yang akan disambungkan${where}`
      }
    />
  );
}

type LateProps = { isWaiting: boolean; onRenew: () => void };

function Late({ isWaiting, onRenew }: LateProps) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isWaiting || isLate) return;
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, [isWaiting, isLate]);
  return (
    <Alert
      visible={isLate}
      state="warning"
      label="QR belum muncul. Periksa koneksi internet Anda, lalu minta lagi."
    >
      <Button
        variant="outline"
        onClick={() => {
          setLate(false);
          onRenew();
        }}
      >
        Minta QR baru
      </Button>
    </Alert>
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

type HowToProps = { simulated: boolean; byCode?: boolean; level: 'h2' | 'h5' };

const HowTo = ({ simulated, byCode = false, level: Heading }: HowToProps) => (
  <section className="grid gap-8">
    <Heading>Caranya</Heading>
    <ol className={styles['points']}>
      {howTo(simulated, byCode).map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  </section>
);

const howTo = (simulated: boolean, byCode: boolean): readonly string[] =>
  simulated
    ? [
        'Buka simulator dan pilih nomor ponselnya.',
        byCode
          ? 'Ketuk ikon pindai di ponsel simulasi, lalu ketik kode penautan ini.'
          : 'Ketuk ikon pindai di ponsel simulasi, lalu pilih Arahkan ke tab lain.',
        'Tunggu sampai di halaman ini tertulis Tersambung.',
      ]
    : [
        `Buka WhatsApp di ponsel ${byCode ? 'ini' : 'Anda'}.`,
        'Buka Setelan, lalu Perangkat tertaut, lalu Tautkan perangkat.',
        byCode
          ? 'Pilih “Tautkan dengan nomor telepon”, lalu ketik kode penautan ini.'
          : 'Arahkan kamera ke kode ini.',
      ];
