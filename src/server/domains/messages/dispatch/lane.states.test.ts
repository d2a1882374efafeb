import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SendResult } from '#server/domains/channels/channels.ts';
import { network, noMedia, phones } from '#tests/support/app/fake-channel.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { type Dispatched, LaneLost } from './attempt.ts';
import { type LaneContext, runLane } from './lane.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const claim = { accountId: 'account', tokenId: 'token', epoch: 1 };

const messageTo = (peer: string): Dispatched => ({
  o_id: `message to ${peer}`,
  o_peer: peer,
  o_type: 'text',
  o_body: { text: 'Halo' },
  o_secret: null,
  o_attempt: 1,
  o_unknowns: 0,
  o_expired: false,
  o_unsure_ms: null,
});

type Options = Partial<Pick<LaneContext, 'isProbe' | 'lanes'>> & {
  /** Milliseconds from a claim until the next message is due. */
  nextDueMs?: number;
  /** Remaining pause of the number once it has answered. */
  remainingMs?: number;
  /** Time that settling and claiming take. */
  settleMs?: number;
  claimMs?: number;
  /** Settling finds that another worker has the lane. */
  isLost?: boolean;
};

/** A lane over queued phones, with the time of each event in milliseconds since its start. */
function start(
  queue: string[],
  { nextDueMs, remainingMs, settleMs, claimMs, isLost = false, ...options }: Options = {},
) {
  const began = performance.now();
  const events: [number, string][] = [];
  const did = (event: string) => events.push([Math.round(performance.now() - began), event]);
  const answers = new Map<string, (result: SendResult) => void>();
  const { channels } = network(({ to }) => {
    did(`send ${to}`);
    const { promise, resolve } = Promise.withResolvers<SendResult>();
    answers.set(to, resolve);
    return promise;
  });
  const channel = channels.get('simulator');
  if (!channel) throw new Error('no channel');
  const pauses = {
    remainingMs: async () => remainingMs,
    probe: async () => 0,
    silent: async () => 0,
  };
  const stop = new AbortController();
  const sql = (async () => {
    if (settleMs !== undefined) await pause(settleMs);
    return [{ in_ms: nextDueMs ?? null }];
  }) as unknown as Sql;
  const lane = runLane(
    {
      sql,
      log: openLog({ level: 'silent' }),
      settle: async (outcomes) => {
        did(`settle ${outcomes.length}`);
        if (settleMs !== undefined) await pause(settleMs);
        return { isLost, unknownIds: new Set() };
      },
      claimMessages: async ({ limit }) => {
        did('claim');
        if (claimMs !== undefined) await pause(claimMs);
        const due = queue.splice(0, limit).map(messageTo);
        return { due, isDrained: queue.length === 0 && nextDueMs === undefined, isAway: false };
      },
      channel: { ...channel, timeoutMs: 60_000, pauses },
      media: noMedia,
      from: '628110000000',
      paceMs: 0,
      lanes: () => 1,
      signal: stop.signal,
      ...options,
    },
    claim,
  );
  lane.done.then(
    (tries) => did(`end after ${tries}`),
    () => did('end with an error'),
  );
  const answer = (peer: string, result: SendResult = { outcome: 'sent' }) =>
    answers.get(peer)?.(result);
  /** Passes time. @returns the events meanwhile */
  const pass = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return events.splice(0);
  };
  return { lane, queue, answer, pass, stop: () => stop.abort() };
}

const [ani = '', budi = '', citra = ''] = phones(3);

test('keeps a drained lane for ten seconds', async () => {
  const { lane, answer, pass } = start([ani]);
  expect(await pass(0)).toEqual([
    [0, 'claim'],
    [0, `send ${ani}`],
  ]);
  answer(ani);
  expect(await pass(9_999)).toEqual([[0, 'settle 1']]);
  expect(lane.isQuiet()).toBe(true);
  expect(await pass(1)).toEqual([[10_000, 'end after 1']]);
  expect(lane.wake()).toBe(false);
});

test('sends at once what wakes a drained lane', async () => {
  const { lane, queue, answer, pass } = start([ani]);
  await pass(0);
  answer(ani);
  await pass(1_000);
  queue.push(budi);
  expect(lane.wake()).toBe(true);
  expect(await pass(0)).toEqual([
    [1_000, 'claim'],
    [1_000, `send ${budi}`],
  ]);
  answer(budi);
  expect(await pass(9_999)).toEqual([[1_000, 'settle 1']]);
  expect(await pass(1)).toEqual([[11_000, 'end after 2']]);
});

test('sends while results are settled, and ends only after that', async () => {
  const { lane, queue, answer, pass, stop } = start([ani], { settleMs: 100 });
  await pass(0);
  answer(ani);
  expect(await pass(50)).toEqual([[0, 'settle 1']]);
  queue.push(budi);
  lane.wake();
  expect(await pass(0)).toEqual([
    [50, 'claim'],
    [50, `send ${budi}`],
  ]);
  expect(lane.isQuiet()).toBe(false);
  answer(budi);
  stop();
  expect(await pass(99)).toEqual([[50, 'settle 1']]);
  expect(await pass(1)).toEqual([[150, 'end after 2']]);
});

test('sends a message that was put back during a claim, once it is due', async () => {
  const { lane, queue, answer, pass } = start([ani], { settleMs: 100, claimMs: 150 });
  await pass(150);
  answer(ani, { outcome: 'later', afterMs: 1_000, failure: 'rate_limited' });
  await pass(0);
  lane.wake();
  await pass(140);
  // The claim under way does not see it.
  expect(lane.isQuiet()).toBe(false);
  await pass(20);
  queue.push(ani);
  expect((await pass(2_000)).map(([, event]) => event)).toContain(`send ${ani}`);
});

test('ends with the error of a settlement that fails while it sleeps', async () => {
  const { lane, answer, pass } = start([ani], { settleMs: 100, isLost: true });
  await pass(0);
  answer(ani);
  await pass(50);
  const ended = expect(lane.done).rejects.toThrow(LaneLost);
  await pass(50);
  await ended;
  expect(lane.wake()).toBe(false);
});

test('ends a drained lane at once when it must stop', async () => {
  const { answer, pass, stop } = start([ani]);
  await pass(0);
  answer(ani);
  await pass(1_000);
  stop();
  expect(await pass(0)).toEqual([[1_000, 'end after 1']]);
});

test('sends nothing from a drained lane that is woken and stopped', async () => {
  const { lane, queue, answer, pass, stop } = start([ani]);
  await pass(0);
  answer(ani);
  await pass(1_000);
  queue.push(budi);
  lane.wake();
  stop();
  expect(await pass(0)).toEqual([[1_000, 'end after 1']]);
});

test('releases a drained lane at once if its worker has many', async () => {
  const { answer, pass } = start([ani], { lanes: () => 257 });
  await pass(0);
  answer(ani);
  expect(await pass(0)).toEqual([
    [0, 'settle 1'],
    [0, 'end after 1'],
  ]);
});

test('claims nothing once it must stop, and ends with the last answer', async () => {
  const { lane, queue, answer, pass, stop } = start([ani]);
  await pass(0);
  stop();
  queue.push(budi);
  lane.wake();
  expect(await pass(10_001)).toEqual([]);
  answer(ani);
  expect(await pass(0)).toEqual([
    [10_001, 'settle 1'],
    [10_001, 'end after 1'],
  ]);
});

test('settles answers together that arrive within ten milliseconds, not at the next poll', async () => {
  const { answer, pass } = start([ani, budi, citra]);
  await pass(20);
  answer(ani);
  await pass(4);
  answer(budi);
  expect((await pass(100)).slice(0, 1)).toEqual([[30, 'settle 2']]);
});

test('sends new work at once while answers are expected', async () => {
  const { lane, queue, pass } = start([ani]);
  await pass(20);
  queue.push(budi);
  lane.wake();
  expect(await pass(0)).toEqual([
    [20, 'claim'],
    [20, `send ${budi}`],
  ]);
});

test('polls when the next message is due while only silent numbers are in flight', async () => {
  const { lane, pass } = start([ani], { nextDueMs: 1_100 });
  // The poll of 250 ms finds nothing more; from then on the try is silent.
  expect((await pass(300)).map(([at]) => at)).toEqual([0, 0, 250]);
  expect(lane.isQuiet()).toBe(true);
  expect(await pass(1_049)).toEqual([]);
  expect(await pass(1)).toEqual([[1_350, 'claim']]);
});

test('tries one message after a pause, and the others once the network has answered', async () => {
  const { answer, pass } = start([ani, budi, citra], { isProbe: true });
  const sendsOf = (events: [number, string][]) =>
    events.filter(([, event]) => event.startsWith('send'));
  expect(sendsOf(await pass(5_000))).toEqual([[0, `send ${ani}`]]);
  answer(ani);
  expect(sendsOf(await pass(0))).toEqual([
    [5_000, `send ${budi}`],
    [5_000, `send ${citra}`],
  ]);
});

test('ends a lane whose number is paused again after its probe', async () => {
  const { lane, answer, pass } = start([ani, budi], { isProbe: true, remainingMs: 700 });
  await pass(0);
  answer(ani);
  expect(await pass(0)).toEqual([
    [0, 'settle 1'],
    [0, 'end after 1'],
  ]);
  expect(lane.stillMs()).toBe(700);
});
