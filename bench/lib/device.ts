import type { Page } from 'playwright-core';
import { median } from './rounds.ts';

/**
 * The reference device for screens: a mid-range Android phone, by Lighthouse's benchmark index. Lighthouse slows a
 * desktop of 1,500 to 2,000 four times to simulate such a phone, which has 125 to 800; this is the slower end of the
 * result.
 */
const PHONE_INDEX = 375;

export const PHONE = `phone of index ${PHONE_INDEX}`;

const INDEX_ROUNDS = 3;

type Slowdown = {
  index: number;
  /** The factor by which to slow its processor to match the phone; 1 when it is no faster. */
  times: number;
};

/**
 * Measures the current slowdown from this machine to the phone in a tab of its own, which it closes; takes some three
 * seconds. Call it before each measurement: the load of a machine changes.
 */
export async function slowdownToPhone(tab: Page): Promise<Slowdown> {
  const indexes: number[] = [];
  for (let round = 0; round < INDEX_ROUNDS; round++) {
    indexes.push(await tab.evaluate(benchmarkIndex));
  }
  await tab.close();
  const index = Math.round(median(indexes));
  return { index, times: Math.max(1, Math.round((index / PHONE_INDEX) * 10) / 10) };
}

export const slowed = ({ index, times }: Slowdown): string => `${index}, ${times} × slower`;

/**
 * In the page: its speed as Lighthouse counts it (`computeBenchmarkIndex`): the mean of how often in a tenth of a
 * millisecond a text of 10,000 letters is written and an array of 100,000 numbers is copied.
 */
function benchmarkIndex(): number {
  const DURATION_MS = 500;
  const perSecond = (work: () => void): number => {
    const began = Date.now();
    let times = 0;
    // Reads the clock seldom: on some processors it costs as much as the work.
    while (times % 10 !== 0 || Date.now() - began < DURATION_MS) {
      work();
      times += 1;
    }
    return times / ((Date.now() - began) / 1_000);
  };
  const texts = perSecond(() => {
    let text = '';
    for (let letter = 0; letter < 10_000; letter++) text += 'a';
    if (text.length === 1)
      throw new Error('unreachable: it only keeps the work from being optimized away');
  });
  const numbers = Array.from({ length: 100_000 }, (_, at) => at);
  const other = [...numbers];
  let turn = false;
  const copies = perSecond(() => {
    turn = !turn;
    const [from, to] = turn ? [numbers, other] : [other, numbers];
    for (let at = 0; at < from.length; at++) to[at] = from[at] ?? 0;
  });
  return (texts + copies) / 2 / 10;
}
