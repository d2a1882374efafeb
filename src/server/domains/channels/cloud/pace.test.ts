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
    const turn = pace.turn('budi', gaveUp.signal).then(
      () => true,
      () => false,
    );
    gaveUp.abort();
    found.push(await turn);
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
  await pace.turn('ani', signal);
  await pace.turn('budi', signal);
});
