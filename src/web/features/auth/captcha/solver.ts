import { solveChallengeWorkers } from 'altcha-lib';
import solverUrl from './solver.worker.ts?worker&url';
import { trustedScript } from '#web/browser/trustedTypes.ts';

const WORKERS_MAX = 4;
const TIMEOUT_MS = 90_000;

type Task = Parameters<typeof solveChallengeWorkers>[0]['challenge'];

/**
 * Solves an ALTCHA task off the main thread and gives the answer as the server takes it.
 *
 * @param task as the act `captcha_challenge` gave it.
 * @throws Error when it was not solved within 90 s, or the browser runs no workers.
 */
export async function solve(task: Readonly<Record<string, unknown>>): Promise<string> {
  const challenge = task as unknown as Task;
  const solution = await solveChallengeWorkers({
    challenge,
    // One core stays free for who is typing.
    concurrency: Math.min(WORKERS_MAX, Math.max(1, (navigator.hardwareConcurrency || 2) - 1)),
    createWorker: () => new Worker(trustedScript(solverUrl), { type: 'module' }),
    timeout: TIMEOUT_MS,
  });
  if (!solution) throw new Error('the captcha was not solved in time');
  return btoa(JSON.stringify({ challenge, solution }));
}
