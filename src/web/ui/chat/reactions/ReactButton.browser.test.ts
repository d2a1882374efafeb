import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { test } from '#tests/support/gallery.ts';

test('a reaction is added and changed by keys, and removed by the same emoji', async ({ show }) => {
  const page = await show('react-button');
  const opener = page.getByRole('button', { name: 'Beri reaksi' });
  const sent = () => page.getByLabel('Reactions', { exact: true }).textContent();
  await opener.focus();
  await page.keyboard.press('Enter');
  const choice = page.getByRole('dialog', { name: 'Pilih reaksi' });
  await waitFor(async () =>
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Reaksi jempol',
    ),
  );
  await page.keyboard.press('Enter');
  expect(await sent()).toBe('👍');
  await choice.waitFor({ state: 'detached' });
  expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true);

  await opener.click();
  expect(
    await choice.getByRole('button', { name: 'Reaksi jempol' }).getAttribute('aria-pressed'),
  ).toBe('true');
  await choice.getByRole('button', { name: 'Emoji lain' }).click();
  await choice.getByRole('searchbox', { name: 'Cari emoji' }).fill('tepuk tangan');
  await page.keyboard.press('Enter');
  expect(await sent()).toBe('👍 👏');
  await page.getByRole('button', { name: 'Hapus reaksi 👏' }).click();
  expect(await sent()).toBe('👍 👏 removed');
});

test('a long press on the bubble opens it, a moving finger does not', async ({ show }) => {
  const page = await show('react-button', { width: 390 });
  const bubble = page.getByRole('article', { name: /^Budi/ });
  const touch = (type: string) => bubble.dispatchEvent(type, { pointerType: 'touch' });
  const choice = page.getByRole('dialog', { name: 'Pilih reaksi' });
  await touch('pointerdown');
  await touch('pointermove');
  await touch('pointerup');
  expect(await choice.count()).toBe(0);
  await touch('pointerdown');
  await choice.waitFor();
});
