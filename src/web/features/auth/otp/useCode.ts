import { useEffect, useRef, useState } from 'react';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import {
  onUsed,
  savePending,
  announceUsed,
  type PendingOtp,
} from '#web/features/auth/otp/pendingOtp.ts';

const DIGITS = 6;

export type Ended = 'used' | 'over';

export function usePassed(moment: number): boolean {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    // A little later: timers and the clock do not agree to the millisecond.
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, moment - Date.now()) + 20);
    return () => clearTimeout(timer);
  }, [moment]);
  return moment <= now;
}

export function useCode(
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
