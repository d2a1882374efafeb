import type { CaptchaProvider, Guarded, captchaChallenge } from '#contract/accounts.ts';
import type { OutputOf } from '#contract/base/act.ts';
import { accountActs, calls } from '#web/api/lazyApi.ts';
import { AnswerError } from '#web/api/errors.ts';
import { solve } from '#web/features/auth/captcha/solver.ts';
import type { CaptchaState } from '#web/features/auth/captcha/useCaptcha.ts';

export type CaptchaTask = OutputOf<typeof captchaChallenge>;

export type CaptchaAsked = {
  purpose: Guarded;
  /** Empty, for a widget. */
  place: HTMLElement;
  /** `asking` while the person has to do something; `idle` when a solved one has expired. */
  become: (state: CaptchaState) => void;
};

/** One provider in the browser: the answer to its task, as the server takes it. */
export type Solver = (task: CaptchaTask, asked: CaptchaAsked) => Promise<string>;

const widget: Solver = async (task, asked) =>
  (await import('./captchaWidget.ts')).askWidget(task, asked);

const solvers: Record<CaptchaProvider, Solver> = {
  altcha: ({ challenge }) => solve(challenge),
  turnstile: widget,
  hcaptcha: widget,
  recaptcha: widget,
};

/**
 * Gets a task for an act and solves it, by the provider that the server names.
 *
 * @throws AnswerError when it was not solved; what a call throws when there was no task.
 */
export async function solveFor(
  purpose: Guarded,
  place: HTMLElement | null,
  become: (state: CaptchaState) => void,
): Promise<string> {
  const [{ perform }, { captchaChallenge: act }] = await Promise.all([calls(), accountActs()]);
  const task = await perform(act, { for: purpose });
  try {
    if (!place) throw new Error('the form is gone');
    return await solvers[task.provider](task, { purpose, place, become });
  } catch (error) {
    throw new AnswerError('Pemeriksaan keamanan gagal. Coba lagi.', error);
  }
}
