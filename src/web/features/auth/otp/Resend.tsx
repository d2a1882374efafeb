import { useEffect, useState } from 'react';
import { accountActs } from '#web/api/lazyApi.ts';
import { refusalCode } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import styles from '#web/features/auth/auth.module.css';
import { codeFrom, type SentCode } from '#web/api/sentCode.ts';
import { secondsToWait } from '#web/ui/alert/RefusalAlert.tsx';
import { announce } from '#web/ui/announce/announce.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { classes } from '#web/ui/classes.ts';

type Props<Code extends SentCode> = {
  code: Code;
  /** Names the code for screen readers when several are pending. */
  what?: string;
  small?: boolean;
  onSent: (code: Code) => void;
  onWait: (code: Code) => void;
  /**
   * Called when the code was used or has expired; without this, that is an error like any other.
   */
  onOver?: () => void;
  onError: (error: unknown) => void;
};

/** Requests another code after the server's wait, which a reload does not change. */
export function Resend<Code extends SentCode>(props: Props<Code>) {
  const { code, what, small, onSent, onWait, onOver, onError } = props;
  const { resendAt, challenge, phone } = code;
  const [ready, setReady] = useState(() => resendAt <= Date.now());
  useEffect(() => setReady(resendAt <= Date.now()), [resendAt]);
  const resend = useAct(async () => (await accountActs()).resendOtp);

  const send = async () => {
    onError(undefined);
    try {
      onSent({ ...code, ...codeFrom(await resend.perform({ challenge }), phone) });
      announce('Kode baru sudah dikirim.');
    } catch (no) {
      const seconds = secondsToWait(no);
      if (seconds !== undefined) onWait({ ...code, resendAt: Date.now() + seconds * 1000 });
      else if (onOver && refusalCode(no) === 'otp_expired') onOver();
      else onError(no);
    }
  };
  const onEnd = () => {
    setReady(true);
    announce('Kode dapat dikirim ulang.');
  };

  return (
    <div
      className={classes(
        'row wrap min-h-24 muted',
        styles['resend'],
        small && classes('small', styles['small']),
      )}
    >
      <span>Belum menerima kode?</span>
      {ready ? (
        <Button
          variant="link"
          size={small ? 'sm' : 'md'}
          busy={resend.busy}
          aria-label={what && `Kirim ulang kode: ${what}`}
          onClick={() => void send()}
        >
          Kirim ulang kode
        </Button>
      ) : (
        <span>
          Kirim ulang dalam <Countdown until={new Date(resendAt)} onEnd={onEnd} />
        </span>
      )}
    </div>
  );
}
