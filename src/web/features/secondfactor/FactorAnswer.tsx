import { Fingerprint } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { SecondFactorChallenge, SecondFactorMethod } from '#contract/accounts.ts';
import styles from '#web/features/secondfactor/secondfactor.module.css';
import { classes } from '#web/ui/classes.ts';
import { useFactorAnswer, type Answer } from '#web/features/secondfactor/useFactorAnswer.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { OtpField } from '#web/ui/form/OtpField.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  asked: SecondFactorChallenge;
  /** Submits the answer to the server; throws what the server refuses. */
  answer: (input: Answer) => Promise<void>;
  onOver: () => void;
};

const ways: Record<SecondFactorMethod, string> = {
  totp: 'Pakai kode autentikator',
  passkey: 'Pakai passkey',
  recovery_code: 'Pakai kode cadangan',
};

export function FactorAnswer({ asked, answer, onOver }: Props) {
  const factor = useFactorAnswer(asked, answer);
  if (factor.over !== undefined) {
    return (
      <div className="stack gap-18">
        <Alert visible state="danger" label={factor.over} />
        <Button size="lg" block onClick={onOver}>
          Mulai lagi
        </Button>
      </div>
    );
  }
  return (
    <form
      noValidate
      className="stack gap-18"
      onSubmit={(event) => {
        event.preventDefault();
        void (factor.method === 'passkey' ? factor.sendPasskey() : factor.submit());
      }}
    >
      <RefusalAlert error={factor.error} />
      <Way factor={factor} />
      <div className={classes('flex wrap gap-8 gap-x-20', styles['others'])}>
        {asked.methods
          .filter((one) => one !== factor.method)
          .map((one) => (
            <Button key={one} variant="link" onClick={() => factor.use(one)}>
              {ways[one]}
            </Button>
          ))}
      </div>
    </form>
  );
}

type WayProps = { factor: ReturnType<typeof useFactorAnswer> };

function Way({ factor }: WayProps) {
  const { method, typed, wrong, busy } = factor;
  const place = useRef<HTMLInputElement>(null);
  // Also after a wrong one: it is typed again.
  useEffect(() => place.current?.focus(), [method, wrong]);
  if (method === 'passkey') {
    return (
      <>
        {wrong && (
          <p role="alert" className="small text-danger">
            {wrong}
          </p>
        )}
        <Button type="submit" size="lg" block busy={busy} icon={<Fingerprint size={18} />}>
          Pakai passkey
        </Button>
      </>
    );
  }
  return (
    <>
      {method === 'totp' ? (
        <OtpField
          key="totp"
          ref={place}
          label="Kode autentikator"
          help="Enam angka dari aplikasi autentikator Anda."
          required
          name="code"
          value={typed}
          error={wrong}
          onChange={factor.type}
          onComplete={(digits) => void factor.submit(digits)}
        />
      ) : (
        <TextField
          key="recovery"
          ref={place}
          label="Kode cadangan"
          help="Setiap kode hanya berlaku satu kali."
          required
          name="recovery_code"
          size="lg"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          error={wrong}
          onChange={(event) => factor.type(event.target.value)}
        />
      )}
      <Button type="submit" size="lg" block busy={busy}>
        Verifikasi
      </Button>
    </>
  );
}
