import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  clockText,
  nextRate,
  progressOf,
  seekTarget,
  waveform,
  type Progress,
} from '#web/ui/media/media.ts';
import {
  LISTEN_MS,
  listenClock,
  PROGRESS_MS,
  progressClock,
  SEEK_ON_PLAY_MS,
  seekMemory,
  type Clock,
} from '#web/ui/media/mediaClock.ts';

function handClock(): Clock & { pass: (ms: number) => void } {
  let now = 0;
  const waiting = new Set<{ at: number; every?: number; run: () => void }>();
  const add = (one: { at: number; every?: number; run: () => void }) => {
    waiting.add(one);
    return () => void waiting.delete(one);
  };
  return {
    every: (ms, run) => add({ at: now + ms, every: ms, run }),
    after: (ms, run) => add({ at: now + ms, run }),
    pass: (ms) => {
      const until = now + ms;
      for (;;) {
        const [next] = [...waiting].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (!next) break;
        now = next.at;
        if (next.every === undefined) waiting.delete(next);
        else next.at += next.every;
        next.run();
      }
      now = until;
    },
  };
}

test('reports 12 s, a pause and 9 s of listening once', () => {
  const clock = handClock();
  let calls = 0;
  const listen = listenClock(clock, LISTEN_MS, () => (calls += 1));
  listen.play();
  clock.pass(12_000);
  listen.stop();
  clock.pass(60_000);
  listen.play();
  clock.pass(9_000);
  expect(calls).toBe(1);
  clock.pass(1_000);
  expect(calls).toBe(2);
});

test('does not report twice for two plays', () => {
  const clock = handClock();
  let calls = 0;
  const listen = listenClock(clock, LISTEN_MS, () => (calls += 1));
  listen.play();
  clock.pass(4_000);
  listen.play();
  clock.pass(6_000);
  expect(calls).toBe(1);
});

test('reports once per whole ten seconds of each uninterrupted stretch', () => {
  const stretches = fc.array(fc.record({ play: fc.nat(45_000), rest: fc.nat(45_000) }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(stretches, (all) => {
      const clock = handClock();
      let calls = 0;
      const listen = listenClock(clock, LISTEN_MS, () => (calls += 1));
      for (const { play, rest } of all) {
        listen.play();
        clock.pass(play);
        listen.stop();
        clock.pass(rest);
      }
      expect(calls).toBe(all.reduce((sum, { play }) => sum + Math.floor(play / LISTEN_MS), 0));
    }),
  );
});

test('reports progress at once, then every second it has changed', () => {
  const clock = handClock();
  let sample = { currentTime: 0, duration: Number.NaN, bufferedEnd: 0 };
  const calls: Progress[] = [];
  const stop = progressClock(
    clock,
    PROGRESS_MS,
    () => progressOf(sample),
    (progress) => calls.push(progress),
  );
  clock.pass(3_000);
  expect(calls).toEqual([]);
  sample = { currentTime: 0, duration: 20, bufferedEnd: 5 };
  clock.pass(1_000);
  expect(calls).toEqual([{ playedSeconds: 0, played: 0, loadedSeconds: 5, loaded: 0.25 }]);
  clock.pass(5_000);
  expect(calls).toHaveLength(1);
  sample = { currentTime: 10, duration: 20, bufferedEnd: 25 };
  clock.pass(1_000);
  expect(calls[1]).toEqual({ playedSeconds: 10, played: 0.5, loadedSeconds: 20, loaded: 1 });
  stop();
  sample = { currentTime: 11, duration: 20, bufferedEnd: 20 };
  clock.pass(9_000);
  expect(calls).toHaveLength(2);
});

test('keeps an early seek for five seconds, and returns it once', () => {
  const clock = handClock();
  const seek = seekMemory(clock, SEEK_ON_PLAY_MS);
  seek.hold(7);
  clock.pass(4_999);
  expect(seek.take()).toBe(7);
  expect(seek.take()).toBeUndefined();
  seek.hold(7);
  clock.pass(5_000);
  expect(seek.take()).toBeUndefined();
  seek.hold(7);
  clock.pass(3_000);
  seek.hold(0.5);
  clock.pass(4_000);
  expect(seek.take()).toBe(0.5);
  seek.hold(3);
  seek.hold(0);
  expect(seek.take()).toBeUndefined();
});

test('takes a seek between 0 and 1 as a fraction, else as seconds, within the medium', () => {
  expect(seekTarget(0.5, 30)).toBe(15);
  expect(seekTarget(1, 30)).toBe(1);
  expect(seekTarget(0, 30)).toBe(0);
  expect(seekTarget(-5, 30)).toBe(0);
  expect(seekTarget(99, 30)).toBe(30);
  expect(seekTarget(99, Number.NaN)).toBe(99);
  expect(seekTarget(0.5, Number.NaN)).toBeUndefined();
  expect(seekTarget(0.5, Infinity)).toBeUndefined();
});

test('formats lengths', () => {
  const said = [0, 12.9, 60, 754, 3_723, Number.NaN, Infinity, -1].map(clockText);
  expect(said).toEqual(['0:00', '0:12', '1:00', '12:34', '1:02:03', '0:00', '0:00', '0:00']);
});

test('cycles through the speeds', () => {
  expect([1, 1.5, 2].map(nextRate)).toEqual([1.5, 2, 1]);
});

test('reduces peaks to the given number of bars, each the loudest of its part', () => {
  expect(waveform([0.1, 0.9, 0.2, 0.4], 2)).toEqual([0.9, 0.4]);
  expect(waveform([0.5, 1], 4)).toEqual([0.5, 0.5, 1, 1]);
  expect(waveform([], 4)).toEqual([]);
  fc.assert(
    fc.property(
      fc.array(fc.double(), { minLength: 1 }),
      fc.integer({ min: 1, max: 80 }),
      (peaks, bars) => {
        const shown = waveform(
          peaks.map((peak) => peak || 0),
          bars,
        );
        expect(shown).toHaveLength(bars);
        expect(shown.every((bar) => bar >= 0 && bar <= 1)).toBe(true);
      },
    ),
  );
});
