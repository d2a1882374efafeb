import { useEffect, useRef, useState } from 'react';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import { givePassword } from '#web/api/givePassword.ts';
import { notGiven } from '#web/api/reauth.ts';

const EMPTY = 'Tulis kata sandi Anda.';

/** The state of a field for the password of the signed-in user. */
export function usePasswordInput() {
  const ref = useRef<HTMLInputElement>(null);
  const [value, setValue] = useState('');
  const [error, setError] = useState<string>();
  const [focusTurn, setFocusTurn] = useState(0);
  useEffect(() => {
    if (focusTurn === 0) return;
    ref.current?.focus();
    ref.current?.select();
  }, [focusTurn]);

  const focus = () => setFocusTurn((turn) => turn + 1);
  const refuse = (sentence: string): never => {
    setError(sentence);
    focus();
    throw notGiven();
  };
  /** @throws an AbortError when the field shows what is wrong; any other error of the call. */
  const give = async () => {
    if (value === '') return refuse(EMPTY);
    try {
      await givePassword(value);
    } catch (no) {
      if (refusalCode(no) === 'password_wrong') refuse(sentenceOf(no));
      throw no;
    }
    setValue('');
  };
  const type = (typed: string) => {
    setValue(typed);
    setError(undefined);
  };
  return { ref, value, error, focus, give, type };
}
