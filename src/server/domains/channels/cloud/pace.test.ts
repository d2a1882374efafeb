import { expect, test } from 'vitest';
import { openPace } from './pace.ts';

/** How long each of these turns would wait, at the times at which they are asked for. */
async function waits(rate: { burst: number; everyMs: number }, atMs: readonly number[]) {
  let now = 0;
  const pace = openPace(rate, () => now);
  const found: boolean[] = [];
  for (const at of atMs) {
    now = at;
    const gaveUp = new AbortController();
    const turn = pace.turn('budi', { waitMsMax: 0, signal: gaveUp.signal });
    found.push((await turn) === 0);
  }
  return found;
}

test('a burst passes at once, and what is beyond it waits', async () => {
  expect(await waits({ burst: 3, everyMs: 6_000 }, [0, 0, 0, 0])).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('after a rest there is a burst again', async () => {
  const turns = await waits({ burst: 2, everyMs: 100 }, [0, 0, 1_000, 1_000, 1_000]);
  expect(turns).toEqual([true, true, true, true, false]);
});

test('names do not wait for each other', async () => {
  const pace = openPace({ burst: 1, everyMs: 60_000 }, () => 0);
  const { signal } = new AbortController();
  for (const name of ['ani', 'budi']) {
    expect(await pace.turn(name, { waitMsMax: 0, signal })).toBe(0);
  }
});

test('what would wait too long is told for how long, and takes no turn', async () => {
  const pace = openPace({ burst: 1, everyMs: 6_000 }, () => 0);
  const wait = { waitMsMax: 1_000, signal: new AbortController().signal };
  expect(await pace.turn('budi', wait)).toBe(0);
  expect([await pace.turn('budi', wait), await pace.turn('budi', wait)]).toEqual([6_000, 6_000]);
});
