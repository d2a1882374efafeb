import type { CaptchaProvider, CaptchaAct } from '#contract/accounts.ts';
import { accountActs, lazyApi } from '#web/api/lazyApi.ts';
import { AnswerError } from '#web/api/errors.ts';
import { devicePace } from '#web/features/auth/captcha/devicePace.ts';
import { solve } from '#web/features/auth/captcha/solver.ts';
import type { CaptchaRequest, Solver } from '#web/features/auth/captcha/captcha.ts';

/** The server accepts a solution for half an hour from the challenge; the solving may have taken minutes of it. */
const ALTCHA_FRESH_MS = 900_000;
/** Widgets' solutions are valid for five minutes; this leaves time to type and submit. */
const WIDGET_FRESH_MS = 240_000;

/** @property freshMs how long the answer may wait before it is sent. */
export type Solved = { answer: string; freshMs: number };

const widget: Solver = async (task, request) =>
  (await import('./captchaWidget.ts')).askWidget(task, request);

const solvers: Record<CaptchaProvider, Solver> = {
  altcha: (task, { setProgress }) => solve(task, setProgress),
  turnstile: widget,
  hcaptcha: widget,
  recaptcha: widget,
};

/**
 * Gets a task for an act and solves it with the provider named by the server.
 *
 * @throws AnswerError when it was not solved; the error of the call when it got no task.
 */
export async function solveFor(
  purpose: CaptchaAct,
  container: HTMLElement | null,
  setters: Pick<CaptchaRequest, 'setState' | 'setProgress'>,
): Promise<Solved> {
  const [{ perform }, { captchaChallenge: act }] = await Promise.all([lazyApi(), accountActs()]);
  const pace = await devicePace().catch(() => 0);
  const task = await perform(act, { for: purpose, pace: String(pace) });
  try {
    if (!container) throw new Error('the form is gone');
    const answer = await solvers[task.provider](task, { purpose, container, ...setters });
    return { answer, freshMs: task.provider === 'altcha' ? ALTCHA_FRESH_MS : WIDGET_FRESH_MS };
  } catch (error) {
    throw new AnswerError('Pemeriksaan keamanan gagal. Coba lagi.', error);
  }
}
