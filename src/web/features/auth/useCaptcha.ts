import { useRef, useState } from 'react';
import { accountActs, calls } from '#web/client/calls.ts';
import { AnswerError } from '#web/client/errors.ts';

/** The server takes an answer for five minutes; this leaves time to type and to travel. */
const FRESH_MS = 240_000;

export type CaptchaState = 'idle' | 'working' | 'done' | 'failed';

export type Captcha = {
  state: CaptchaState;
  /** Begins, unless it is under way or done: call it when somebody starts on the form. */
  start: () => void;
  /** The answer, waited for; worked out now when there is none that is fresh. */
  answer: () => Promise<string>;
  /** The answer was used up: each is good for one call. */
  spent: () => void;
};

/** The captcha of a form: works by itself, in the background, from the first focus on. */
export function useCaptcha(purpose: 'user_login' | 'user_register'): Captcha {
  const [state, setState] = useState<CaptchaState>('idle');
  const current = useRef<{ answer: Promise<string>; at: number }>(undefined);

  const begin = (): Promise<string> => {
    const answer = work(purpose);
    const mine = { answer, at: Date.now() };
    current.current = mine;
    setState('working');
    answer.then(
      () => current.current === mine && setState('done'),
      () => {
        if (current.current !== mine) return;
        current.current = undefined;
        setState('failed');
      },
    );
    return answer;
  };
  const fresh = () => {
    const { current: one } = current;
    return one && Date.now() - one.at < FRESH_MS ? one.answer : undefined;
  };
  return {
    state,
    start: () => void (fresh() ?? begin()).catch(() => undefined),
    answer: () => fresh() ?? begin(),
    spent: () => {
      current.current = undefined;
      setState('idle');
    },
  };
}

async function work(purpose: 'user_login' | 'user_register'): Promise<string> {
  const [{ perform }, { captchaChallenge }, { solve }] = await Promise.all([
    calls(),
    accountActs(),
    import('./solver.ts'),
  ]);
  const { challenge } = await perform(captchaChallenge, { for: purpose });
  return solve(challenge).catch((error: unknown) => {
    throw new AnswerError('Pemeriksaan keamanan gagal. Coba lagi.', error);
  });
}
