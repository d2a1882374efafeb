import { expect, test } from 'vitest';
import { openPace } from './pace.ts';

/** Takes turns at the given times. Returns whether each passes at once. */
async function waits(rate: { burst: number; everyMs: number }, atMs: readonly number[]) {
  let now = 0;
  const pace = openPace(rate, () => now);
  const found: boolean[] = [];
  for (const at of atMs) {
    now = at;
    const abort = new AbortController();
    const turn = pace.turn('budi', { waitMsMax: 0, signal: abort.signal });
    found.push((await turn) === 0);
  }
  return found;
}

test('passes a burst at once, and delays the rest', async () => {
  expect(await waits({ burst: 3, everyMs: 6_000 }, [0, 0, 0, 0])).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('passes a burst again after a rest', async () => {
  const turns = await waits({ burst: 2, everyMs: 100 }, [0, 0, 1_000, 1_000, 1_000]);
  expect(turns).toEqual([true, true, true, true, false]);
});

test('keeps names independent', async () => {
  const pace = openPace({ burst: 1, everyMs: 60_000 }, () => 0);
  const { signal } = new AbortController();
  for (const name of ['ani', 'budi']) {
    expect(await pace.turn(name, { waitMsMax: 0, signal })).toBe(0);
  }
});

test('returns the wait and takes no turn if it is too long', async () => {
  const pace = openPace({ burst: 1, everyMs: 6_000 }, () => 0);
  const wait = { waitMsMax: 1_000, signal: new AbortController().signal };
  expect(await pace.turn('budi', wait)).toBe(0);
  expect([await pace.turn('budi', wait), await pace.turn('budi', wait)]).toEqual([6_000, 6_000]);
});
