import { CAPTCHA_ROUNDS, type CaptchaProvider, type CaptchaAct } from '#contract/accounts.ts';
import { accountActs, lazyApi, loadModule } from '#web/api/lazyApi.ts';
import { AnswerError } from '#web/api/errors.ts';
import type { CaptchaRequest, Solver, CaptchaTask } from '#web/features/auth/captcha/captcha.ts';
import { solveChallenge, solveChallengeWorkers } from 'altcha-lib';
import solverUrl from './solver.worker.ts?worker&url';
import { trustedScript } from '#web/browser/trustedTypes.ts';

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

const WORKERS_MAX = 4;
/** A task that is solved sooner shows no progress. */
const QUICK_MS = 2_000;

type Task = Parameters<typeof solveChallengeWorkers>[0]['challenge'];

/** The period in which a failed task is retried. */
const PATIENCE_MS = 300_000;
const AGAIN_MS = 2_000;

/**
 * Solves an ALTCHA task in workers, or in the page if the browser starts none; what fails is tried again for five
 * minutes. Returns the solution as the server takes it.
 *
 * @param setProgress called with the share of the maximum number of steps, from the third second on.
 */
export async function solve(
  task: Pick<CaptchaTask, 'challenge' | 'steps_max'>,
  setProgress: (share: number) => void,
): Promise<string> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await solveInWorkers(task, setProgress);
    } catch (failure) {
      const answer = await solveHere(task).catch(() => undefined);
      if (answer !== undefined) return answer;
      if (performance.now() - startedAt >= PATIENCE_MS) throw failure;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** Solves it without workers, for browsers that start none. */
async function solveHere({ challenge }: Pick<CaptchaTask, 'challenge'>): Promise<string> {
  const { deriveKey } = await loadModule(import('#web/features/auth/captcha/deriveKey.ts'));
  const solution = await solveChallenge({ challenge: challenge as unknown as Task, deriveKey });
  if (!solution) throw new Error('the captcha was not solved');
  return btoa(JSON.stringify({ challenge, solution }));
}

/** Solves it off the main thread, however long the device takes. @throws Error when the browser has no workers. */
async function solveInWorkers(
  { challenge: task, steps_max: stepsMax }: Pick<CaptchaTask, 'challenge' | 'steps_max'>,
  setProgress: (share: number) => void,
): Promise<string> {
  const challenge = task as unknown as Task;
  const startedAt = performance.now();
  let steps = 0;
  const count = ({ data }: MessageEvent<number>) => {
    steps += data;
    if (performance.now() - startedAt >= QUICK_MS) setProgress(Math.min(1, steps / stepsMax));
  };
  const createWorker = () => {
    const worker = new Worker(trustedScript(solverUrl), { type: 'module' });
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = count;
    worker.postMessage({ type: 'progress' }, [port2]);
    return worker;
  };
  const solution = await solveChallengeWorkers({
    challenge,
    // Leave one core for typing.
    concurrency: Math.min(WORKERS_MAX, Math.max(1, (navigator.hardwareConcurrency || 2) - 1)),
    createWorker,
    // No timeout: a slow device finishes too.
    timeout: 0,
  });
  if (!solution) throw new Error('the captcha was not solved');
  return btoa(JSON.stringify({ challenge, solution }));
}
