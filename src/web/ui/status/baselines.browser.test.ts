import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { settled } from '#tests/journeys/browser/browser.ts';
import { test } from '#tests/support/gallery.ts';

async function baselinesOf(page: Page): Promise<[words: string, y: number][]> {
  await settled(page);
  return page
    .getByRole('region', { name: 'In a row of words' })
    .locator('p')
    .evaluate((row) => {
      const pen = document.createElement('canvas').getContext('2d');
      if (!pen) throw new Error('no canvas');
      const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
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
        found.push([words, top + (height * up) / (up + down)]);
      }
      return found;
    });
}

for (const piece of ['status-chip', 'ticks']) {
  test(`the text of a ${piece} is on the baseline of the text beside it`, async ({ show }) => {
    const baselines = await baselinesOf(await show(piece));
    expect(baselines).toHaveLength(4);
    const [first] = baselines;
    const off = baselines.filter(([, y]) => Math.abs(y - (first?.[1] ?? 0)) > 0.6);
    expect(off).toEqual([]);
  });
}
