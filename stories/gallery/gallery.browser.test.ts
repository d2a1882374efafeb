import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { allLooks, inspection } from '#tests/journeys/browser/axe.ts';

const files = await readdir(join(import.meta.dirname, '..'));
const ids = files
  .filter((file) => file.endsWith('.story.tsx'))
  .map((file) => basename(file, '.story.tsx'))
  .toSorted();

/** True if the focus is at the start of the page or on its heading, and no overlay is open. */
const isQuiet = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const at = document.activeElement?.tagName;
    return (at === 'BODY' || at === 'H1') && !document.querySelector('dialog[open]');
  });

test('the gallery shows every piece, filters them, and changes the theme for this visit only', async ({
  show,
}) => {
  const page = await show('');
  await page.getByRole('article').first().waitFor();
  const shown = await page
    .getByRole('main')
    .locator('article[id^="piece-"]')
    .evaluateAll((all) => all.map((one) => one.id.slice('piece-'.length)));
  expect(shown.toSorted()).toEqual(ids);
  expect(await isQuiet(page)).toBe(true);

  const filter = page.getByRole('searchbox', { name: 'Filter the pieces' });
  await filter.fill('skeleton');
  await page.getByRole('heading', { level: 2, name: 'Button', exact: true }).waitFor({
    state: 'detached',
  });
  await page.getByRole('heading', { level: 2, name: 'Skeleton' }).waitFor();

  await page.getByText('Gelap', { exact: true }).click();
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  expect(await scheme()).toBe('dark');
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await scheme()).toBe('light dark');
});

test('on a phone a select opens a piece, and an unknown piece is not found', async ({ show }) => {
  const page = await show('', { width: 390 });
  await page.getByRole('combobox', { name: 'Go to a piece' }).selectOption('toast()');
  await page.waitForFunction(() => {
    const top = document.querySelector('#piece-toast')?.getBoundingClientRect().top ?? 0;
    return Math.abs(top) < window.innerHeight / 2;
  });
  const lost = await show('no-such-piece');
  await lost.getByRole('heading', { name: 'Halaman tidak ditemukan' }).waitFor();
});

test('every piece is accessible in every state, at both widths and in both themes', async ({
  show,
}) => {
  const page = await show('', { still: true });
  await page
    .locator('article')
    .nth(ids.length - 1)
    .waitFor();
  await page.waitForLoadState('networkidle');
  expect(await isQuiet(page)).toBe(true);
  const { faults, look } = inspection();
  for (const only of allLooks) await look(page, 'the gallery', { only });
  expect(faults).toEqual([]);
});
