import { useState } from 'react';
import type { SecondFactorChallenge, SecondFactorMethod } from '#contract/accounts.ts';
import type { Refusal } from '#contract/base/refusals.ts';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import { askPasskey, passkeySentence } from '#web/features/secondfactor/passkeys.ts';

export type Answer = {
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
export function useFactorAnswer(
  asked: SecondFactorChallenge,
  answer: (input: Answer) => Promise<void>,
) {
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
