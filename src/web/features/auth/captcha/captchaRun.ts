import type { CaptchaProvider, CaptchaAct } from '#contract/accounts.ts';
import { accountActs, lazyApi } from '#web/api/lazyApi.ts';
import { AnswerError } from '#web/api/errors.ts';
import { solve } from '#web/features/auth/captcha/solver.ts';
import type { CaptchaRequest, Solver } from '#web/features/auth/captcha/captcha.ts';

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
): Promise<string> {
  const [{ perform }, { captchaChallenge: act }] = await Promise.all([lazyApi(), accountActs()]);
  const task = await perform(act, { for: purpose });
  try {
    if (!container) throw new Error('the form is gone');
    return await solvers[task.provider](task, { purpose, container, ...setters });
  } catch (error) {
    throw new AnswerError('Pemeriksaan keamanan gagal. Coba lagi.', error);
  }
}
