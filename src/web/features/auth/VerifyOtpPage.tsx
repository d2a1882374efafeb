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
  const code = useCode(pending);
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
          void code.send(code.digits);
        }}
      >
        <SimulatorHint phone={pending.phone} />
        <Refused error={code.error} />
        <OtpField
          ref={code.field}
          label="Kode verifikasi"
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
          onSent={(next) => {
            onPending(next);
            code.restart();
          }}
        />
      </form>
      <p className={styles['other']}>
        Nomornya salah? <Link to="/auth/register">Daftar ulang</Link>
      </p>
    </>
  );
}

/** The code as it is typed, sent once it is whole, and what became of it. */
function useCode({ challenge }: PendingOtp) {
  const client = useQueryClient();
  const [digits, setDigits] = useState('');
  const [wrong, setWrong] = useState<string>();
  const [error, setError] = useState<unknown>();
  const field = useRef<HTMLInputElement>(null);
  const verify = useAct(async () => (await accountActs()).verifyOtp);
  const focus = () => field.current?.focus();
  useEffect(focus, []);

  const type = (typed: string) => {
    setDigits(typed);
    setWrong(undefined);
  };
  const send = async (typed: string) => {
    if (verify.busy) return;
    setError(undefined);
    if (typed.length !== DIGITS) {
      setWrong('Tulis enam angka dari pesan.');
      return focus();
    }
    try {
      const signedIn = await verify.perform({ challenge, code: typed });
      savePending(undefined);
      enterSession(client, signedIn);
    } catch (no) {
      if (refusalCode(no) === 'otp_wrong') {
        type('');
        setWrong(sentenceOf(no));
      } else setError(no);
      focus();
    }
  };
  const restart = () => {
    setError(undefined);
    type('');
    focus();
  };
  return { digits, wrong, error, field, busy: verify.busy, type, send, restart, fail: setError };
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
