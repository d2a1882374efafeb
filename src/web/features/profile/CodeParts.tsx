import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Smartphone } from 'lucide-react';
import { useEffect, useState } from 'react';
import { resendOtp } from '#contract/accounts.ts';
import { useAct } from '#web/client/query.ts';
import styles from '#web/features/profile/profile.module.css';
import { codeFrom, type SentCode } from '#web/features/profile/sentCode.ts';
import { secondsToWait } from '#web/features/shell/Refused.tsx';
import { configQuery } from '#web/features/shell/queries.ts';
import { announce } from '#web/ui/announce.ts';
import { Button } from '#web/ui/Button.tsx';
import { Countdown } from '#web/ui/Countdown.tsx';
import { OtpField } from '#web/ui/OtpField.tsx';

type Props = {
  label: string;
  name: string;
  code: SentCode;
  value: string;
  error?: string | undefined;
  /** Where one starts to type. */
  first?: boolean;
  onChange: (digits: string) => void;
  /** Another code is on its way. */
  onSent: (code: SentCode) => void;
  onError: (error: unknown) => void;
};

// React does not render autoFocus as an attribute, and `<dialog>` looks for the attribute.
const startHere = (input: HTMLInputElement | null) => input?.setAttribute('autofocus', '');

/** The box for a code that was sent, and how to get another one. */
export function CodeBox({ code, first = false, onSent, onError, ...field }: Props) {
  return (
    <div className={styles['code']}>
      <OtpField
        {...field}
        {...(first && { ref: startHere })}
        required
        size="lg"
        help={`Enam angka yang kami kirim ke ${code.sentTo}.`}
      />
      <Resend code={code} what={field.label} onSent={onSent} onError={onError} />
      <SimulatorHint phone={code.phone} />
    </div>
  );
}

type ResendProps = Pick<Props, 'code' | 'onSent' | 'onError'> & { what: string };

/** Another code, after the wait that the server set. */
function Resend({ code, what, onSent, onError }: ResendProps) {
  const { resendAt, phone, challenge } = code;
  const [ready, setReady] = useState(() => resendAt <= Date.now());
  useEffect(() => setReady(resendAt <= Date.now()), [resendAt]);
  const resend = useAct(resendOtp);

  const send = async () => {
    onError(undefined);
    try {
      onSent(codeFrom(await resend.perform({ challenge }), phone));
      announce('Kode baru sudah dikirim.');
    } catch (no) {
      const seconds = secondsToWait(no);
      if (seconds !== undefined) onSent({ ...code, resendAt: Date.now() + seconds * 1000 });
      else onError(no);
    }
  };
  return (
    <p className={styles['resend']}>
      Belum menerima kode?{' '}
      {ready ? (
        <Button
          variant="link"
          size="sm"
          busy={resend.busy}
          aria-label={`Kirim ulang: ${what}`}
          onClick={() => void send()}
        >
          Kirim ulang
        </Button>
      ) : (
        <>
          Kirim ulang dalam <Countdown until={new Date(resendAt)} onEnd={() => setReady(true)} />
        </>
      )}
    </p>
  );
}

/** Where the code is to be found in an installation whose phones are simulated. */
function SimulatorHint({ phone }: { phone: string }) {
  const { data: config } = useQuery(configQuery);
  if (!config?.simulator) return null;
  return (
    <p className={styles['hint']}>
      <Smartphone size={16} aria-hidden="true" />
      <Link to="/simulator" search={{ phone }} target="_blank">
        Buka ponsel simulasi {phone.slice(-4)}
        <span className="sr-only"> (tab baru)</span>
      </Link>
    </p>
  );
}
