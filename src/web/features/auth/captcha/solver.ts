import { solveChallenge, solveChallengeWorkers } from 'altcha-lib';
import solverUrl from './solver.worker.ts?worker&url';
import { loadModule } from '#web/api/lazyApi.ts';
import type { CaptchaTask } from '#web/features/auth/captcha/captcha.ts';
import { trustedScript } from '#web/browser/trustedTypes.ts';

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
