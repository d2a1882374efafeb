import { Fingerprint } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { SecondFactorChallenge, SecondFactorMethod } from '#contract/accounts.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { OtpField } from '#web/ui/form/OtpField.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import type { Refusal } from '#contract/base/refusals.ts';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import { askPasskey, passkeySentence } from '#web/features/secondfactor/passkeys.ts';

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
      <div className="stack gap-16">
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
      className="stack gap-16"
      onSubmit={(event) => {
        event.preventDefault();
        void (factor.method === 'passkey' ? factor.sendPasskey() : factor.submit());
      }}
    >
      <RefusalAlert error={factor.error} />
      <Way factor={factor} />
      <div className="flex wrap gap-8 gap-x-20">
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

type Answer = {
  challenge: string;
  code?: string;
  passkey?: string;
  recovery_code?: string;
};

const field = { totp: 'code', passkey: 'passkey', recovery_code: 'recovery_code' } as const;

const empty: Record<SecondFactorMethod, string> = {
  totp: 'Tulis enam angka dari aplikasi autentikator.',
  passkey: '',
  recovery_code: 'Tulis satu kode cadangan.',
};

/** Entry of a second factor. `over` is a final message: then only a new challenge helps. */
function useFactorAnswer(asked: SecondFactorChallenge, answer: (input: Answer) => Promise<void>) {
  const [method, setMethod] = useState<SecondFactorMethod>(asked.methods[0] ?? 'totp');
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [over, setOver] = useState<string>();
  const [busy, setBusy] = useState(false);

  const refuse = (no: unknown) => {
    const code = refusalCode(no);
    const left =
      code === 'second_factor_wrong' ? (no as Refusal<typeof code>).facts.left : undefined;
    setTyped('');
    if (code === 'second_factor_expired' || left === 0) setOver(sentenceOf(no));
    else if (left !== undefined || code === 'input_invalid') setWrong(sentenceOf(no));
    else if (passkeySentence(no) !== undefined) setWrong(passkeySentence(no));
    else setError(no);
  };
  const send = async (by: SecondFactorMethod, value: () => Promise<string> | string) => {
    if (busy) return;
    setWrong(undefined);
    setError(undefined);
    setBusy(true);
    try {
      const given = await value();
      if (given === '') return setWrong(empty[by]);
      await answer({ challenge: asked.challenge, [field[by]]: given });
    } catch (no) {
      refuse(no);
    } finally {
      setBusy(false);
    }
  };
  const use = (next: SecondFactorMethod) => {
    setMethod(next);
    setTyped('');
    setWrong(undefined);
    setError(undefined);
    if (next === 'passkey') void sendPasskey();
  };
  const sendPasskey = () => send('passkey', () => askPasskey(asked.passkey ?? {}));
  const type = (text: string) => {
    setTyped(text);
    setWrong(undefined);
  };
  const submit = (text = typed) => send(method, () => text.trim());
  return { method, typed, wrong, error, over, busy, use, type, submit, sendPasskey };
}
