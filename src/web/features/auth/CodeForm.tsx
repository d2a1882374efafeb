import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Smartphone } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { formatTime } from '#contract/time.ts';
import { accountActs } from '#web/client/calls.ts';
import { refusalCode } from '#web/client/errors.ts';
import { useAct } from '#web/client/query.ts';
import styles from '#web/features/auth/auth.module.css';
import { pendingFrom, type CodeFor, type PendingOtp } from '#web/features/auth/pendingOtp.ts';
import { useCode, usePassed, type Ended } from '#web/features/auth/useCode.ts';
import { Refused, secondsToWait } from '#web/features/shell/Refused.tsx';
import { configQuery } from '#web/features/shell/queries.ts';
import { Alert } from '#web/ui/Alert.tsx';
import { announce } from '#web/ui/announce.ts';
import { Button, LinkButton } from '#web/ui/Button.tsx';
import { Countdown } from '#web/ui/Countdown.tsx';
import { OtpField } from '#web/ui/OtpField.tsx';
import { PageTitle } from '#web/ui/PageTitle.tsx';

/** Where another attempt of each kind begins. */
const beginnings = {
  register: '/auth/register',
  login: '/auth/login',
  forgot: '/auth/forgot-password/phone',
} as const satisfies Record<CodeFor, string>;

type Props = {
  title: string;
  pending: PendingOtp;
  /** Another code was sent, or may be sent later. */
  onPending: (pending: PendingOtp) => void;
  /** Asks the server; throws what it refuses. The next screen is up to it. */
  enter: (asked: { challenge: string; code: string }) => Promise<void>;
  /** Why a code was sent, and where. */
  children: ReactNode;
  /** Below the form: for who is in the wrong place. */
  other: ReactNode;
};

/** Six digits that were sent to a phone: typed, pasted, or offered by the phone. */
export function CodeForm({ title, pending, onPending, enter, children, other }: Props) {
  const code = useCode(pending, enter);
  const over = usePassed(pending.expiresAt);
  if (code.ended) return <EndedPage title={title} how={code.ended} pending={pending} />;
  return (
    <>
      <PageTitle>{title}</PageTitle>
      <p className={styles['lead']}>
        {children} Kode berlaku sampai pukul {formatTime(new Date(pending.expiresAt))} WIB dan dapat
        dicoba lima kali.
      </p>
      <form
        noValidate
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          void code.send(code.digits);
        }}
      >
        <SimulatorHint phone={pending.phone} />
        <Refused error={code.error} />
        {over && !code.error && !code.wrong && (
          <Alert visible state="warning" label="Kode sudah tidak berlaku. Minta kode baru." />
        )}
        <OtpField
          ref={code.field}
          label="Kode verifikasi"
          required
          name="code"
          value={code.digits}
          error={code.wrong}
          onChange={code.type}
          onComplete={(digits) => void code.send(digits)}
        />
        <Button type="submit" size="lg" block busy={code.busy}>
          Verifikasi
        </Button>
        <Resend
          pending={pending}
          onError={code.fail}
          onOver={() => code.end('over')}
          onWait={onPending}
          onSent={(next) => {
            onPending(next);
            code.restart();
          }}
        />
      </form>
      <p className={styles['other']}>{other}</p>
    </>
  );
}

const endings: Record<Ended, string> = {
  used: 'Kode ini sudah dipakai di tab lain. Lanjutkan di sana, atau mulai lagi di sini.',
  over: 'Permintaan kode ini sudah selesai atau terlalu lama. Mulai lagi untuk mendapat kode baru.',
};

type EndedProps = { title: string; how: Ended; pending: PendingOtp };

const EndedPage = ({ title, how, pending }: EndedProps) => (
  <>
    <PageTitle>{title}</PageTitle>
    <p role="status" className={styles['lead']}>
      {endings[how]}
    </p>
    <div className={styles['form']}>
      <LinkButton to={beginnings[pending.purpose]} size="lg" block>
        Mulai lagi
      </LinkButton>
    </div>
  </>
);

type ResendProps = {
  pending: PendingOtp;
  onSent: (pending: PendingOtp) => void;
  /** There is longer to wait than this tab knew. */
  onWait: (pending: PendingOtp) => void;
  /** It was entered, or begun too long ago: no code can be sent for it any more. */
  onOver: () => void;
  onError: (error: unknown) => void;
};

/** Another code, after the wait that the server set; a reload does not shorten or restart it. */
function Resend({ pending, onSent, onWait, onOver, onError }: ResendProps) {
  const { resendAt, challenge } = pending;
  const [ready, setReady] = useState(() => resendAt <= Date.now());
  useEffect(() => setReady(resendAt <= Date.now()), [resendAt]);
  const resend = useAct(async () => (await accountActs()).resendOtp);

  const send = async () => {
    onError(undefined);
    try {
      const made = await resend.perform({ challenge });
      onSent(pendingFrom(made, pending));
      announce('Kode baru sudah dikirim.');
    } catch (no) {
      const seconds = secondsToWait(no);
      if (seconds !== undefined) onWait({ ...pending, resendAt: Date.now() + seconds * 1000 });
      else if (refusalCode(no) === 'otp_expired') onOver();
      else onError(no);
    }
  };

  return (
    <div className={styles['resend']}>
      <span>Belum menerima kode?</span>
      {ready ? (
        <Button variant="link" busy={resend.busy} onClick={() => void send()}>
          Kirim ulang kode
        </Button>
      ) : (
        <span>
          Kirim ulang dalam{' '}
          <Countdown
            until={new Date(resendAt)}
            onEnd={() => {
              setReady(true);
              announce('Kode dapat dikirim ulang.');
            }}
          />
        </span>
      )}
    </div>
  );
}

/** Where the code is to be found in an installation whose phones are simulated. */
function SimulatorHint({ phone }: { phone: string }) {
  const { data: config } = useQuery(configQuery);
  if (!config?.simulator) return null;
  return (
    <p className={styles['hint']}>
      <Smartphone size={18} aria-hidden="true" />
      <span>
        Kode dikirim ke ponsel simulasi.{' '}
        <Link to="/simulator" search={{ phone }} target="_blank">
          Buka simulator<span className="sr-only"> (tab baru)</span>
        </Link>
      </span>
    </p>
  );
}
