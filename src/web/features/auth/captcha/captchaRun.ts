import { CAPTCHA_ROUNDS, type CaptchaProvider, type CaptchaAct } from '#contract/accounts.ts';
import { accountActs, lazyApi } from '#web/api/lazyApi.ts';
import { AnswerError } from '#web/api/errors.ts';
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

const PACE_STEPS = 4;

/**
 * Steps of a usual captcha that this device makes in a second, by a first few; 0 without the platform's own code, as
 * on pages over plain http.
 */
async function devicePace(): Promise<number> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (!subtle) return 0;
  const bytes = new Uint8Array(16);
  const key = await subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveBits']);
  const settings = { name: 'PBKDF2', salt: bytes, iterations: CAPTCHA_ROUNDS, hash: 'SHA-256' };
  const startedAt = performance.now();
  for (let step = 0; step < PACE_STEPS; step++) await subtle.deriveBits(settings, key, 256);
  return Math.min(1_000_000, Math.round((1000 * PACE_STEPS) / (performance.now() - startedAt)));
}
