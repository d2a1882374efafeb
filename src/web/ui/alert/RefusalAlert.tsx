import { useState } from 'react';
import type { Refusal } from '#contract/base/refusals.ts';
import { fieldsOf, isAbort, refusalCode, sentenceOf } from '#web/api/errors.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';

type Props = {
  /** The error; `undefined` and aborts show no alert. */
  error: unknown;
  fields?: readonly string[];
};

/** Explains why a form was refused, above its fields; a rate limit counts down and then disappears. */
export function RefusalAlert({ error, fields = [] }: Props) {
  const [over, setOver] = useState<unknown>();
  if (error === undefined || error === null || error === over || isAbort(error)) return null;
  const wrong = Object.keys(fieldsOf(error));
  if (wrong.length > 0 && wrong.every((field) => fields.includes(field))) return null;
  const seconds = secondsToWait(error);
  if (seconds === undefined) return <Alert visible state="danger" label={sentenceOf(error)} />;
  return (
    <Alert
      visible
      state="warning"
      label={
        <>
          Terlalu banyak percobaan. Coba lagi dalam{' '}
          <Wait key={seconds} seconds={seconds} onEnd={() => setOver(error)} />.
        </>
      }
    />
  );
}

function Wait({ seconds, onEnd }: { seconds: number; onEnd: () => void }) {
  const [until] = useState(() => new Date(Date.now() + seconds * 1000));
  return <Countdown until={until} onEnd={onEnd} />;
}

/** The seconds to wait after a rate limit; `undefined` for any other error. */
export function secondsToWait(error: unknown): number | undefined {
  const code = refusalCode(error);
  if (code !== 'too_many_requests' && code !== 'otp_too_soon') return undefined;
  return (error as Refusal<'too_many_requests' | 'otp_too_soon'>).facts.seconds;
}
