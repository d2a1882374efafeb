import { useRef, useState, type RefObject } from 'react';
import type { CaptchaAct } from '#contract/accounts.ts';
import type { CaptchaState } from '#web/features/auth/captcha/captcha.ts';
import { loadModule } from '#web/api/lazyApi.ts';

/** Widgets' solutions are valid for five minutes; this leaves time to type and submit. */
const FRESH_MS = 240_000;

export type Captcha = {
  state: CaptchaState;
  /** The completed share of the work, once it takes longer than usual. */
  progress: number | undefined;
  /** The widget's element; ALTCHA has none. */
  container: RefObject<HTMLDivElement | null>;
  /** Begins, unless it is under way or done; call it when the person starts on the form. */
  start: () => void;
  /** Waits for the solution; solves again when there is no valid one. */
  answer: () => Promise<string>;
  /** Discards the used solution: each is valid for one call. */
  spent: () => void;
};

/** The captcha of a form. It starts with the first focus, and loads its code only then. */
export function useCaptcha(purpose: CaptchaAct): Captcha {
  const [state, setState] = useState<CaptchaState>('idle');
  const [progress, setProgress] = useState<number>();
  /** `doneAt` is missing while it is being solved, however long that takes. */
  const current = useRef<{ answer?: Promise<string>; doneAt?: number }>(undefined);
  const container = useRef<HTMLDivElement>(null);

  const begin = (): Promise<string> => {
    const mine: { answer?: Promise<string>; doneAt?: number } = {};
    current.current = mine;
    const update = (next: CaptchaState) => {
      if (current.current !== mine) return;
      if (next === 'failed' || next === 'idle') current.current = undefined;
      if (next === 'done') mine.doneAt = Date.now();
      setProgress(undefined);
      setState(next);
    };
    update('working');
    const answer = loadModule(import('./captchaRun.ts')).then(({ solveFor }) =>
      solveFor(purpose, container.current, {
        setState: update,
        setProgress: (share) => current.current === mine && setProgress(share),
      }),
    );
    mine.answer = answer;
    answer.then(
      () => update('done'),
      () => update('failed'),
    );
    return answer;
  };
  const validAnswer = () => {
    const { current: one } = current;
    const isUsable = one && (one.doneAt === undefined || Date.now() - one.doneAt < FRESH_MS);
    return isUsable ? one.answer : undefined;
  };
  return {
    state,
    progress,
    container,
    start: () => void (validAnswer() ?? begin()).catch(() => undefined),
    answer: () => validAnswer() ?? begin(),
    spent: () => {
      current.current = undefined;
      setState('idle');
    },
  };
}
