import { useQuery } from '@tanstack/react-query';
import { useParams } from '#web/browser/router/Router.tsx';
import { CircleCheck, CircleX, TimerOff } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { type Scan, linkFailures, consentScan } from '#contract/scan.ts';
import { readNonce, saveNonce } from '#web/features/scan/nonce.ts';
import { isGone, scanQuery } from '#web/features/scan/queries.ts';
import styles from '#web/features/scan/scan.module.css';
import { classes } from '#web/ui/classes.ts';
import { Progress, Scanning } from '#web/features/scan/Scanning.tsx';
import { Logo } from '#web/ui/brand/Logo.tsx';
import { configQuery } from '#web/api/configQuery.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { useAct } from '#web/api/query.ts';
import { UnofficialRisk } from '#web/features/scan/UnofficialRisk.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { PhoneField } from '#web/ui/phone/PhoneField.tsx';

/** Route `/scan/{data}`, for the phone's owner: the requester, the consent, the QR, the outcome. */
export function ScanPage() {
  const { data = '' } = useParams();
  return (
    <div className={styles['page']}>
      <main id="isi" tabIndex={-1} className="w-full mx-auto max-w-440">
        <Logo />
        <div className="stack gap-20 mt-32">
          <LinkView key={data} data={data} />
        </div>
      </main>
    </div>
  );
}

function LinkView({ data }: { data: string }) {
  const [nonce, setNonce] = useState(() => readNonce(data));
  const [over, setOver] = useState(false);
  const { data: config } = useQuery(configQuery);
  const simulated = config?.simulator ?? false;
  const { data: scan, error, refetch } = useQuery(scanQuery(data, { nonce, hidden: simulated }));
  const look = () => void refetch();

  if (isGone(error) || over) return <Gone />;
  if (!scan) {
    if (!error) return <Waiting />;
    return (
      <>
        <PageTitle className="sr-only">Pindai</PageTitle>
        <WentWrong query={{ error, refetch }} />
      </>
    );
  }
  if (nonce === undefined) {
    const gone = () => (scan.expires_at.getTime() <= Date.now() ? setOver(true) : look());
    return <Consent data={data} scan={scan} onAgreed={setNonce} onGone={gone} />;
  }
  if (scan.state === 'waiting' || scan.state === 'scanned') {
    return <Scanning scan={scan} offline={error !== null} onStale={look} />;
  }
  return <Outcome scan={scan} />;
}

function Outcome({ scan }: { scan: Scan }) {
  if (scan.state === 'connected') {
    return (
      <Ending icon={<CircleCheck size={40} />} tone="success" title="Tersambung">
        <Progress state="connected" />
        <p>
          {scan.phone ? <strong className="ink num nowrap">{scan.phone}</strong> : 'Nomor Anda'}{' '}
          kini tersambung ke token <bdi className="ink strong">{scan.token_name}</bdi> milik{' '}
          <bdi className="ink strong">{scan.account_name}</bdi>.
        </p>
        <p>Anda dapat menutup halaman ini.</p>
      </Ending>
    );
  }
  if (scan.state === 'expired') {
    return (
      <Ending icon={<TimerOff size={40} />} title="Waktunya habis">
        <p>
          Kode tidak dipindai sampai tautan ini kedaluwarsa. Tidak ada yang tersambung. Minta tautan
          baru kepada <bdi className="ink strong">{scan.account_name}</bdi>.
        </p>
        {scan.channel === 'web' && (
          <p>
            Sudah memindai, dan ponsel meminta passkey? Hapus dahulu passkey di WhatsApp (Setelan ›
            Akun › Passkey): dengan passkey, WhatsApp hanya mau ditautkan dari situsnya sendiri.
          </p>
        )}
      </Ending>
    );
  }
  return (
    <Ending icon={<CircleX size={40} />} tone="danger" title="Gagal tersambung">
      <p>
        {scan.failure
          ? linkFailures[scan.failure]
          : 'Penyambungan tidak selesai. Periksa apakah nomor itu sudah tersambung ke token lain.'}
      </p>
      <p>
        Minta tautan baru kepada <bdi className="ink strong">{scan.account_name}</bdi> lalu coba
        sekali lagi.
      </p>
    </Ending>
  );
}

const Gone = () => (
  <Ending icon={<TimerOff size={40} />} title="Tautan ini tidak berlaku lagi">
    <p>
      Tautan pindai hanya dapat dipakai sekali, di satu browser, selama sepuluh menit. Minta tautan
      baru kepada yang mengirimkannya.
    </p>
  </Ending>
);

type EndingProps = {
  icon: ReactNode;
  tone?: 'success' | 'danger';
  title: string;
  children: ReactNode;
};

const Ending = ({ icon, tone, title, children }: EndingProps) => (
  <>
    <span className={classes('w-fit', styles['icon'])} data-hue={tone} aria-hidden="true">
      {icon}
    </span>
    <PageTitle>{title}</PageTitle>
    <div className="grid gap-12 large muted">{children}</div>
  </>
);

const Waiting = () => (
  <div aria-busy="true" className="grid gap-20">
    <PageTitle className="sr-only">Pindai</PageTitle>
    <Skeleton height={30} width="80%" />
    <Skeleton height={18} lines={5} />
    <Skeleton height={44} />
  </div>
);

type Props = {
  data: string;
  scan: Scan;
  onAgreed: (nonce: string) => void;
  onGone: () => void;
};

function Consent({ data, scan, onAgreed, onGone }: Props) {
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
  const who = <bdi className="ink strong">{scan.account_name}</bdi>;
  return (
    <>
      <PageTitle>{`Sambungkan ${app} Anda`}</PageTitle>
      <p className={classes('large muted', styles['lead'])}>
        {who} meminta Anda menyambungkan nomor {simulated ? app : 'WhatsApp di ponsel'} Anda ke
        token <bdi className="ink strong">{scan.token_name}</bdi>.
      </p>
      <section className="grid gap-8">
        <h2>Setelah tersambung, {who} dapat</h2>
        <ul className={styles['points']}>
          <li>mengirim pesan kepada siapa pun atas nama nomor Anda,</li>
          <li>membaca pesan yang masuk ke nomor Anda sejak saat itu.</li>
        </ul>
      </section>
      <section className="grid gap-8">
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
      <p className="py-12 px-12 rounded text-warning bg-warning">
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
