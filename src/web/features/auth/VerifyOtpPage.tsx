import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Smartphone } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { formatTime } from '#contract/time.ts';
import { accountActs } from '#web/client/calls.ts';
import { refusalCode, sentenceOf } from '#web/client/errors.ts';
import { useAct } from '#web/client/query.ts';
import { enterSession } from '#web/client/user.ts';
import styles from '#web/features/auth/auth.module.css';
import {
  pendingFrom,
  readPending,
  savePending,
  type PendingOtp,
} from '#web/features/auth/pendingOtp.ts';
import { Refused, secondsToWait } from '#web/features/shell/Refused.tsx';
import { configQuery } from '#web/features/shell/queries.ts';
import { announce } from '#web/ui/announce.ts';
import { Button, LinkButton } from '#web/ui/Button.tsx';
import { Countdown } from '#web/ui/Countdown.tsx';
import { OtpField } from '#web/ui/OtpField.tsx';
import { PageTitle } from '#web/ui/PageTitle.tsx';

const DIGITS = 6;

/** Route `/auth/verify-otp`: the six digits that were sent to the phone. */
export function VerifyOtpPage() {
  const [pending, setPending] = useState(readPending);
  const change = (next: PendingOtp) => {
    savePending(next);
    setPending(next);
  };
  return pending ? <CodeForm pending={pending} onPending={change} /> : <NothingSent />;
}

const NothingSent = () => (
  <>
    <PageTitle>Verifikasi nomor</PageTitle>
    <p className={styles['lead']}>
      Tidak ada kode yang sedang ditunggu di tab ini. Daftar lebih dulu, lalu kode dikirim ke ponsel
      Anda.
    </p>
    <div className={styles['form']}>
      <LinkButton to="/auth/register" size="lg" block>
        Daftar
      </LinkButton>
    </div>
    <p className={styles['other']}>
      Sudah punya akun? <Link to="/auth/login">Masuk</Link>
    </p>
  </>
);

type FormProps = { pending: PendingOtp; onPending: (pending: PendingOtp) => void };

function CodeForm({ pending, onPending }: FormProps) {
  const client = useQueryClient();
  const [code, setCode] = useState('');
  const [wrong, setWrong] = useState<string>();
  const [error, setError] = useState<unknown>();
  const field = useRef<HTMLInputElement>(null);
  const verify = useAct(async () => (await accountActs()).verifyOtp);
  useEffect(() => field.current?.focus(), []);

  const send = async (digits: string) => {
    if (verify.busy) return;
    setError(undefined);
    setWrong(digits.length === DIGITS ? undefined : 'Tulis enam angka dari pesan.');
    if (digits.length !== DIGITS) return field.current?.focus();
    try {
      const signedIn = await verify.perform({ challenge: pending.challenge, code: digits });
      savePending(undefined);
      enterSession(client, signedIn);
    } catch (no) {
      if (refusalCode(no) === 'otp_wrong') {
        setWrong(sentenceOf(no));
        setCode('');
      } else setError(no);
      field.current?.focus();
    }
  };

  return (
    <>
      <PageTitle>Verifikasi nomor</PageTitle>
      <p className={styles['lead']}>
        Kami mengirim enam angka ke <span className={styles['sentTo']}>{pending.sentTo}</span>. Kode
        berlaku sampai pukul {formatTime(new Date(pending.expiresAt))}.
      </p>
      <form
        noValidate
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          void send(code);
        }}
      >
        <SimulatorHint phone={pending.phone} />
        <Refused error={error} />
        <OtpField
          ref={field}
          label="Kode verifikasi"
          name="code"
          value={code}
          error={wrong}
          onChange={(digits) => {
            setCode(digits);
            setWrong(undefined);
          }}
          onComplete={(digits) => void send(digits)}
        />
        <Button type="submit" size="lg" block busy={verify.busy}>
          Verifikasi
        </Button>
        <Resend
          pending={pending}
          onError={setError}
          onSent={(next) => {
            onPending(next);
            setError(undefined);
            setWrong(undefined);
            setCode('');
            field.current?.focus();
          }}
        />
      </form>
      <p className={styles['other']}>
        Nomornya salah? <Link to="/auth/register">Daftar ulang</Link>
      </p>
    </>
  );
}

type ResendProps = {
  pending: PendingOtp;
  onSent: (pending: PendingOtp) => void;
  onError: (error: unknown) => void;
};

/** Another code, after the wait that the server set; a reload does not shorten or restart it. */
function Resend({ pending, onSent, onError }: ResendProps) {
  const { resendAt, phone, challenge } = pending;
  const [ready, setReady] = useState(() => resendAt <= Date.now());
  useEffect(() => setReady(resendAt <= Date.now()), [resendAt]);
  const resend = useAct(async () => (await accountActs()).resendOtp);

  const send = async () => {
    onError(undefined);
    try {
      const made = await resend.perform({ challenge });
      onSent(pendingFrom(made, phone));
      announce('Kode baru sudah dikirim.');
    } catch (no) {
      const seconds = secondsToWait(no);
      if (seconds !== undefined) onSent({ ...pending, resendAt: Date.now() + seconds * 1000 });
      else onError(no);
    }
  };

  return (
    <div className={styles['resend']}>
      <span>Belum menerima kode?</span>
      {ready ? (
        <Button variant="link" busy={resend.busy} onClick={send}>
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
