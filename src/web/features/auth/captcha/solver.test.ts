import { createChallenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { afterEach, expect, test, vi } from 'vitest';
import { solve } from '#web/features/auth/captcha/captchaRun.ts';

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

test('solves a task in the page when the browser starts no workers', async () => {
  vi.stubGlobal('window', { location: new URL('http://localhost/auth/login') });
  vi.stubGlobal(
    'Worker',
    class {
      constructor() {
        throw new Error('no workers here');
      }
    },
  );
  vi.stubGlobal('navigator', { hardwareConcurrency: 1 });
  const challenge = await createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: 10,
    counter: 5,
    hmacSignatureSecret: 'secret',
    deriveKey,
  });
  const answer = await solve({ challenge: { ...challenge }, steps_max: 10 }, () => undefined);
  expect(JSON.parse(atob(answer))).toMatchObject({ solution: { counter: 5 } });
});

test('tries again what fails, and gives up only after five minutes', async () => {
  let passed = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => passed);
  vi.stubGlobal('setTimeout', (again: () => void, ms: number) => {
    passed += ms;
    setImmediate(again);
  });
  const unsolvable = { challenge: {}, steps_max: 10 };
  await expect(solve(unsolvable, () => undefined)).rejects.toThrow();
  expect(passed).toBe(300_000);
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
