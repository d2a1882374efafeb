import { type ReactNode, useEffect, useRef, useState } from 'react';
import { formatTime } from '#contract/base/time.ts';
import styles from '#web/features/auth/auth.module.css';
import {
  type CodeFor,
  type PendingOtp,
  onUsed,
  savePending,
  announceUsed,
} from '#web/features/auth/otp/pendingOtp.ts';
import { Resend } from '#web/features/auth/otp/Resend.tsx';
import { SimulatorHint } from '#web/features/auth/otp/SimulatorHint.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { OtpField } from '#web/ui/form/OtpField.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';

const beginnings = {
  register: '/auth/register',
  login: '/auth/login',
  forgot: '/auth/forgot-password/phone',
} as const satisfies Record<CodeFor, string>;

type Props = {
  title: string;
  pending: PendingOtp;
  onPending: (pending: PendingOtp) => void;
  /** Submits the code; throws what the server refuses. The caller shows the next screen. */
  enter: (input: { challenge: string; code: string }) => Promise<void>;
  children: ReactNode;
  other: ReactNode;
};

export function CodeForm({ title, pending, onPending, enter, children, other }: Props) {
  const code = useCode(pending, enter);
  const over = usePassed(pending.expiresAt);
  if (code.ended) return <EndedPage title={title} how={code.ended} pending={pending} />;
  return (
    <>
      <PageTitle>{title}</PageTitle>
      <p className="mt-8 muted">
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
        <SimulatorHint phone={pending.phone} onOpen={() => code.field.current?.focus()} />
        <RefusalAlert error={code.error} />
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
          code={pending}
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
    <p role="status" className="mt-8 muted">
      {endings[how]}
    </p>
    <div className={styles['form']}>
      <LinkButton to={beginnings[pending.purpose]} size="lg" block>
        Mulai lagi
      </LinkButton>
    </div>
  </>
);

const DIGITS = 6;

type Ended = 'used' | 'over';

function usePassed(moment: number): boolean {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    // A little later: timers and the clock do not agree to the millisecond.
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, moment - Date.now()) + 20);
    return () => clearTimeout(timer);
  }, [moment]);
  return moment <= now;
}

function useCode(
  { challenge, expiresAt }: PendingOtp,
  enter: (input: { challenge: string; code: string }) => Promise<void>,
) {
  const [digits, setDigits] = useState('');
  const [wrong, setWrong] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [ended, setEnded] = useState<Ended>();
  const field = useRef<HTMLInputElement>(null);
  const entered = useRef(false);
  const focus = () => field.current?.focus();
  useEffect(focus, []);

  const end = (how: Ended) => {
    savePending(undefined);
    setEnded(how);
  };
  useEffect(
    () => onUsed(challenge, () => entered.current || end('used')),
    // A code that was sent again is the same challenge.
    [challenge],
  );

  const type = (typed: string) => {
    setDigits(typed);
    setWrong(undefined);
  };
  const refuse = (no: unknown) => {
    const code = refusalCode(no);
    if (code === 'otp_wrong') {
      type('');
      setWrong(sentenceOf(no));
    } else if (code === 'otp_expired') {
      type('');
      // The code has not expired: it was used, replaced, or guessed too often.
      const used = 'Kode ini sudah dipakai atau percobaannya habis. Minta kode baru.';
      setWrong(Date.now() < expiresAt ? used : sentenceOf(no));
    } else setError(no);
    focus();
  };
  const send = async (typed: string) => {
    if (busy) return;
    setError(undefined);
    if (typed.length !== DIGITS) {
      setWrong('Tulis enam angka dari pesan.');
      return focus();
    }
    setBusy(true);
    entered.current = true;
    try {
      await enter({ challenge, code: typed });
      announceUsed(challenge);
      savePending(undefined);
    } catch (no) {
      entered.current = false;
      refuse(no);
    } finally {
      setBusy(false);
    }
  };
  const restart = () => {
    setError(undefined);
    type('');
    focus();
  };
  return { digits, wrong, error, field, busy, ended, type, send, restart, end, fail: setError };
}
