import { solveChallenge } from 'altcha-lib';
import { afterEach, expect, test, vi } from 'vitest';
import { solve } from '#web/features/auth/captcha/solver.ts';

type Work = Parameters<typeof solveChallenge>[0] & { type: string };

const STEPS = 30;
const STEP_MS = 20_000;

/** A worker on a device that takes 20 s for each step; the thirtieth solves the task. */
class SlowWorker extends EventTarget {
  private port: MessagePort | undefined;

  postMessage({ type, ...work }: Work, [port]: readonly MessagePort[] = []): void {
    if (type === 'progress') this.port = port;
    if (type === 'work') void this.work(work);
  }

  terminate(): void {
    this.port?.close();
  }

  private async work(work: Omit<Work, 'type'>): Promise<void> {
    let steps = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => steps * STEP_MS);
    const data = await solveChallenge({
      ...work,
      deriveKey: async () => {
        steps += 1;
        this.port?.postMessage(1);
        await new Promise((resolve) => setImmediate(resolve));
        return { derivedKey: new Uint8Array(32).fill(steps === STEPS ? 7 : 0) };
      },
    });
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('solves a task on a device that needs ten minutes, and reports progress', async () => {
  vi.stubGlobal('window', { location: new URL('http://localhost/auth/login') });
  vi.stubGlobal('Worker', SlowWorker);
  vi.stubGlobal('navigator', { hardwareConcurrency: 1 });
  const shares: number[] = [];
  const parameters = { nonce: '00', salt: '00', keyLength: 32, keyPrefix: '0707', cost: 1 };
  const task = { challenge: { parameters, signature: '00' }, steps_max: 2 * STEPS };
  const answer = await solve(task, (share) => shares.push(share));
  expect(JSON.parse(atob(answer))).toMatchObject({
    challenge: { parameters },
    solution: { counter: STEPS - 1, derivedKey: '07'.repeat(32) },
  });
  expect(shares.length).toBeGreaterThan(0);
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  expect(shares.at(-1)).toBeLessThanOrEqual(0.5);
});
