import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';

test('an avatar shows two letters, a picture with its name, or the letters if the picture is broken', async ({
  show,
}) => {
  const page = await show('avatar');
  const state = (name: string) => page.getByRole('region', { name, exact: true });
  const letters = (name: string) => state('Initials').getByRole('img', { name }).textContent();
  expect(await letters('Budi Santoso')).toBe('BS');
  expect(await letters('Ani')).toBe('A');
  expect(await letters('+62 812-3456-7890')).toBe('');
  const figure = state('Initials').getByRole('img', { name: '+62 812-3456-7890' }).locator('svg');
  expect(await figure.count()).toBe(1);

  const pictures = state('Picture').locator('img');
  expect(await pictures.first().getAttribute('alt')).toBe('Rina Melati');
  const broken = state('Picture').getByRole('img', { name: 'Gambar Rusak' });
  await broken.getByText('GR').waitFor();
  expect(await pictures.count()).toBe(2);
});

test('avatars have five sizes, square ones a corner of 8 px, and a dot has a text', async ({
  show,
}) => {
  const page = await show('avatar');
  const state = (name: string) => page.getByRole('region', { name, exact: true });
  const sides = await state('Sizes')
    .getByRole('img')
    .evaluateAll((all) => all.map((one) => (one.parentElement as HTMLElement).offsetWidth));
  expect(sides).toEqual([24, 32, 40, 56, 80]);
  const corner = await state('Square')
    .getByRole('img')
    .first()
    .evaluate((one) => getComputedStyle(one.parentElement as HTMLElement).borderRadius);
  expect(corner).toBe('8px');
  for (const meaning of ['Baru', 'Tersambung', 'Perlu perhatian', 'Terputus', 'Menghubungkan']) {
    expect(await state('Status').getByText(meaning).count()).toBe(1);
  }
  expect(await state('Status').getByText('Sedang daring').count()).toBe(1);
  expect(await state('Decorative, beside the name').getByRole('img').count()).toBe(0);
});
