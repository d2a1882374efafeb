import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { settled } from '#tests/journeys/browser/browser.ts';
import { test } from '#tests/support/gallery.ts';

async function baselinesOf(row: Locator): Promise<[words: string, y: number][]> {
  await settled(row.page());
  return row.evaluate((place) => {
    const pen = document.createElement('canvas').getContext('2d');
    if (!pen) throw new Error('no canvas');
    const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    const found: [string, number][] = [];
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const words = node.textContent?.trim() ?? '';
      if (words === '' || !node.parentElement) continue;
      const { fontFamily, fontSize } = getComputedStyle(node.parentElement);
      pen.font = `${fontSize} ${fontFamily}`;
      const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = pen.measureText(words);
      const range = document.createRange();
      range.selectNodeContents(node);
      const { top, height } = range.getBoundingClientRect();
      // The labels of facts are shown only in cards.
      if (height === 0) continue;
      found.push([words, top + (height * up) / (up + down)]);
    }
    return found;
  });
}

function offThe(baselines: [words: string, y: number][]): [words: string, y: number][] {
  const [first] = baselines;
  return baselines.filter(([, y]) => Math.abs(y - (first?.[1] ?? 0)) > 0.6);
}

for (const piece of ['status-chip', 'ticks']) {
  test(`the text of a ${piece} is on the baseline of the text beside it`, async ({ show }) => {
    const page = await show(piece);
    const row = page.getByRole('region', { name: 'In a row of words' }).locator('p');
    const baselines = await baselinesOf(row);
    expect(baselines).toHaveLength(4);
    expect(offThe(baselines)).toEqual([]);
  });
}

test('the status in a row of a table is on the baseline of the row', async ({ show }) => {
  const page = await show('data-table', { width: 1440 });
  const row = page.getByRole('table', { name: 'Pesan arrow' }).getByRole('row').nth(1);
  const baselines = await baselinesOf(row);
  expect(baselines.length).toBeGreaterThanOrEqual(5);
  expect(offThe(baselines)).toEqual([]);
});
