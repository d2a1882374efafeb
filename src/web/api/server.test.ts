import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  isServerAway,
  lastServerAnswer,
  noteResponse,
  onServerBack,
  probeServer,
  serverAnswered,
  serverFailed,
} from '#web/api/server.ts';

let answer: () => Promise<Response>;
let probes = 0;
const there = async () => Response.json({ code: 1 });
const lost = async (): Promise<Response> => {
  throw new TypeError('Failed to fetch');
};

beforeEach(() => {
  vi.useFakeTimers();
  probes = 0;
  vi.stubGlobal('document', { querySelector: () => null });
  vi.stubGlobal('fetch', async () => {
    probes += 1;
    return answer();
  });
});
afterEach(() => {
  serverAnswered();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('ignores one failed call, and a server that is back at the next probe', async () => {
  answer = there;
  serverFailed();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([probes, isServerAway()]).toEqual([1, false]);
});

test('is away after two failed probes, and back with the first answer', async () => {
  const back = vi.fn<() => void>();
  const stop = onServerBack(back);
  answer = lost;
  serverAnswered();
  const answeredAt = Date.now();
  serverFailed();
  await vi.advanceTimersByTimeAsync(1_500);
  expect([probes, isServerAway()]).toEqual([1, false]);
  await vi.advanceTimersByTimeAsync(3_000);
  expect([probes, isServerAway()]).toEqual([2, true]);
  expect(lastServerAnswer()).toBe(answeredAt);
  answer = there;
  await vi.advanceTimersByTimeAsync(6_000);
  expect([probes, isServerAway()]).toEqual([3, false]);
  expect(back).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(probes).toBe(3);
  stop();
});

test('reports a server that was away for one probe as back, without a banner', async () => {
  const back = vi.fn<() => void>();
  const stop = onServerBack(back);
  answer = lost;
  expect(await probeServer()).toBe(false);
  noteResponse(await there());
  expect(isServerAway()).toBe(false);
  expect(back).toHaveBeenCalledTimes(1);
  stop();
});

test('probes at most every 15 to 19 seconds', async () => {
  answer = lost;
  serverFailed();
  await vi.advanceTimersByTimeAsync(60_000);
  const before = probes;
  await vi.advanceTimersByTimeAsync(150_000);
  expect(probes - before).toBeGreaterThanOrEqual(7);
  expect(probes - before).toBeLessThanOrEqual(10);
});

test.each([
  [502, 'text/html', 1],
  [504, 'text/plain', 1],
  [503, 'application/json', 0],
  [500, 'text/html', 0],
])('counts %i of %s as an answer of the server or of its proxy', async (status, type, count) => {
  answer = there;
  noteResponse(new Response('', { status, headers: { 'content-type': type } }));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(probes).toBe(count);
});
