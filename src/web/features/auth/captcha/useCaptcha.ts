import { useRef, useState, type RefObject } from 'react';
import type { CaptchaAct } from '#contract/accounts.ts';
import type { CaptchaState } from '#web/features/auth/captcha/captcha.ts';
import { refusalCode } from '#web/api/errors.ts';
import { loadModule } from '#web/api/lazyApi.ts';

export type Captcha = {
  state: CaptchaState;
  /** The completed share of the work, once it takes longer than usual. */
  progress: number | undefined;
  /** The widget's element; ALTCHA has none. */
  container: RefObject<HTMLDivElement | null>;
  /** Begins, unless it is under way or done; call it when the person starts on the form. */
  start: () => void;
  /**
   * Waits for the solution, however long that takes, and sends it with the form. If the server no longer accepts it, it
   * solves another one and sends again, once. A failed call uses up its solution.
   */
  send: <T>(perform: (answer: string) => Promise<T>) => Promise<T>;
  /** Discards the used solution: each is valid for one call. */
  spent: () => void;
};

type Run = { answer?: Promise<string>; freshUntil?: number };

/** The captcha of a form. It starts with the first focus, and loads its code only then. */
export function useCaptcha(purpose: CaptchaAct): Captcha {
  const [state, setState] = useState<CaptchaState>('idle');
  const [progress, setProgress] = useState<number>();
  /** `freshUntil` is missing while it is being solved, however long that takes. */
  const current = useRef<Run>(undefined);
  const container = useRef<HTMLDivElement>(null);

  const begin = (): Promise<string> => {
    const mine: Run = {};
    current.current = mine;
    const update = (next: CaptchaState) => {
      if (current.current !== mine) return;
      if (next === 'failed' || next === 'idle') current.current = undefined;
      setProgress(undefined);
      setState(next);
    };
    update('working');
    const solved = loadModule(import('./captchaRun.ts')).then(({ solveFor }) =>
      solveFor(purpose, container.current, {
        setState: update,
        setProgress: (share) => current.current === mine && setProgress(share),
      }),
    );
    mine.answer = solved.then(({ answer }) => answer);
    solved.then(
      ({ freshMs }) => {
        mine.freshUntil = Date.now() + freshMs;
        update('done');
      },
      () => update('failed'),
    );
    return mine.answer;
  };
  const validAnswer = () => {
    const { current: one } = current;
    const isUsable = one && (one.freshUntil === undefined || Date.now() < one.freshUntil);
    return isUsable ? one.answer : undefined;
  };
  const spent = () => {
    current.current = undefined;
    setState('idle');
  };
  return {
    state,
    progress,
    container,
    start: () => void (validAnswer() ?? begin()).catch(() => undefined),
    send: async (perform) => {
      const answer = () => validAnswer() ?? begin();
      try {
        return await perform(await answer());
      } catch (no) {
        spent();
        if (refusalCode(no) !== 'captcha_failed') throw no;
        return await perform(await answer());
      }
    },
    spent,
  };
}
