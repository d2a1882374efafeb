import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('a part opens and closes by Enter and Space, and its title is the only tab stop', async ({
  show,
}) => {
  const page = await show('accordion', { width: 390 });
  const place = page.getByRole('region', { name: 'Any number open' });
  const parts = place.locator('details');
  const opened = () => parts.evaluateAll((all) => all.map((part) => part.hasAttribute('open')));
  expect(await opened()).toEqual([true, false, false]);

  await place.locator('summary').nth(1).focus();
  await page.keyboard.press('Enter');
  await waitFor(async () => expect(await opened()).toEqual([true, true, false]));
  await waitFor(async () =>
    expect(await place.getByLabel('Toggled part').textContent()).toBe(
      'Apakah pesan gagal dibayar? opened',
    ),
  );
  await page.keyboard.press('Space');
  await waitFor(async () => expect(await opened()).toEqual([true, false, false]));
  await page.keyboard.press('Tab');
  const focused = page.locator(':focus');
  expect(await focused.textContent()).toContain('Berapa nomor');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await waitFor(async () => expect(await focused.textContent()).toContain('Baca selengkapnya'));
});

test('in an exclusive group opening one closes the other', async ({ show }) => {
  const page = await show('accordion');
  const place = page.getByRole('region', { name: 'One at a time' });
  await place.getByText('QRIS', { exact: true }).click();
  await place.getByText('Pindai dengan aplikasi bank').waitFor();
  const opened = place.locator('details[open] summary');
  await waitFor(async () => expect(await opened.allTextContents()).toEqual(['QRIS']));
});

test('find-in-page opens a closed part with a match', async ({ show }) => {
  const page = await show('accordion');
  const part = page.getByRole('region', { name: 'One at a time' }).locator('details').nth(1);
  await page.evaluate(() => {
    window.location.hash = ':~:text=Langsung%20lunas%20begitu%20dibayar';
  });
  await waitFor(async () => expect(await part.getAttribute('open')).not.toBeNull());
});

test('nothing moves with reduced motion', async ({ show }) => {
  for (const still of [true, false]) {
    const page = await show('accordion', { still });
    const seconds = await page
      .locator('details')
      .first()
      .evaluate((part) => getComputedStyle(part, '::details-content').transitionDuration);
    expect(Number.parseFloat(seconds) > 0.01).toBe(!still);
  }
});
