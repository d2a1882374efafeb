import { expect, test } from 'vitest';
import { Fault } from './uploadFault.ts';
import { retried } from './uploadRetry.ts';

function handClock() {
  const waits: { ms: number; run: () => void }[] = [];
  const later = (ms: number, run: () => void) => {
    const wait = { ms, run };
    waits.push(wait);
    return () => void waits.splice(waits.indexOf(wait), 1);
  };
  return { later, waits };
}

const turn = () => new Promise<void>((done) => void setTimeout(done, 0));
const delaysMs = [500, 1_000, 3_000];

test('retries a failed piece after 500, 1000 and 3000 ms, then fails', async () => {
  const { later, waits } = handClock();
  let tries = 0;
  const sending = retried({ delaysMs, later, signal: new AbortController().signal }, async () => {
    tries += 1;
    throw new Fault(500);
  }).catch((error: unknown) => error);
  const waited: number[] = [];
  for (let nth = 0; nth < delaysMs.length; nth += 1) {
    await turn();
    expect(tries).toBe(nth + 1);
    const wait = waits.shift();
    waited.push(wait?.ms ?? 0);
    wait?.run();
  }
  expect(await sending).toEqual(new Fault(500));
  expect([waited, tries, waits]).toEqual([delaysMs, 4, []]);
});

test('retries transient failures only', async () => {
  const { later, waits } = handClock();
  const { signal } = new AbortController();
  const answers = [new Fault(0), new Fault(409), new Fault(429)];
  const sending = retried({ delaysMs, later, signal }, async () => {
    const fault = answers.shift();
    if (fault) throw fault;
    return 'sent';
  });
  while (answers.length > 0) {
    await turn();
    waits.shift()?.run();
  }
  await turn();
  waits.shift()?.run();
  expect(await sending).toBe('sent');
  for (const status of [400, 401, 404, 413, 415, 422]) {
    await expect(
      retried({ delaysMs, later, signal }, () => Promise.reject(new Fault(status))),
    ).rejects.toEqual(new Fault(status));
  }
  expect(waits).toEqual([]);
});

test('stops waiting on abort', async () => {
  const { later, waits } = handClock();
  const gone = new AbortController();
  const sending = retried({ delaysMs, later, signal: gone.signal }, () =>
    Promise.reject(new Fault(503)),
  ).catch((error: unknown) => (error as Error).name);
  await turn();
  expect(waits.length).toBe(1);
  gone.abort();
  expect(await sending).toBe('AbortError');
  expect(waits).toEqual([]);
});
