import { expect, onTestFinished, test, vi } from 'vitest';
import { followDatabaseTime, openClock } from './clock.ts';

const start = new Date('2026-11-21T02:00:00Z');

test('a movable clock only moves forward, and runs on from there', () => {
  let real = start.getTime();
  const clock = openClock({ isMovable: true, real: () => new Date(real) });
  clock.move?.(new Date('2026-12-21T00:00:00Z'));
  expect(clock.now()).toEqual(new Date('2026-12-21T00:00:00Z'));
  real += 1_000;
  expect(clock.now()).toEqual(new Date('2026-12-21T00:00:01Z'));
  clock.move?.(start);
  expect(clock.now()).toEqual(new Date('2026-12-21T00:00:01Z'));
});

test('other clocks cannot be moved', () => {
  const clock = openClock({ isMovable: false, real: () => start });
  expect(clock.move).toBeUndefined();
  expect(clock.now()).toEqual(start);
});

test('follows the database’s time, and corrects differences, also after an outage', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let [passedMs, answerMs, theirs] = [0, 10, start.getTime()];
  const troubles: unknown[] = [];
  const databaseNow = async () => {
    passedMs += answerMs;
    if (theirs === 0) throw new Error('away');
    return new Date(theirs + answerMs / 2);
  };
  const report = (trouble: unknown) => void troubles.push(trouble);
  const clock = await followDatabaseTime({ databaseNow, report, evenly: () => passedMs });
  onTestFinished(clock.close);
  const sinceStart = () => clock.now().getTime() - start.getTime();
  expect(sinceStart()).toBe(10);
  passedMs += 1_000;
  expect(sinceStart()).toBe(1_010);

  // A slow answer within its uncertainty changes nothing; one outside it does.
  [answerMs, theirs] = [400, start.getTime() + 1_010 + 100];
  await vi.advanceTimersByTimeAsync(1_500);
  expect(sinceStart()).toBe(1_410);
  [answerMs, theirs] = [10, start.getTime() + 60_000];
  await vi.advanceTimersByTimeAsync(1_500);
  expect(sinceStart()).toBe(60_010);

  theirs = 0;
  await vi.advanceTimersByTimeAsync(1_500);
  expect(sinceStart()).toBe(60_020);
  expect(troubles).toHaveLength(1);
});
