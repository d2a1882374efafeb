import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('a busy button keeps its width and the focus, is marked busy, and ignores a second click', async ({
  show,
}) => {
  const page = await show('button');
  const state = page.getByRole('region', { name: 'Busy' });
  const button = state.getByRole('button', { name: 'Kirim pesan', exact: true });
  const before = await boxOf(button);
  await button.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('Memuat…').waitFor();
  expect(await state.getByLabel('Clicks').textContent()).toBe('1');
  expect(await button.getAttribute('aria-busy')).toBe('true');
  expect((await boxOf(button)).width).toBe(before.width);
  expect(await button.evaluate((one) => one === document.activeElement)).toBe(true);

  await state.getByRole('button', { name: 'It was sent' }).click();
  await button.click();
  await waitFor(async () => expect(await state.getByLabel('Clicks').textContent()).toBe('2'));
});

test('a button submits its form only with `submit`, and a link to elsewhere is a link', async ({
  show,
}) => {
  const page = await show('button');
  const form = page.getByRole('region', { name: 'In a form' });
  await form.getByRole('button', { name: 'Pratinjau' }).click();
  await waitFor(async () => expect(await form.getByLabel('Submissions').textContent()).toBe('0'));
  await form.getByRole('button', { name: 'Ajukan' }).click();
  await waitFor(async () => expect(await form.getByLabel('Submissions').textContent()).toBe('1'));
  const link = page.getByRole('link', { name: 'Lihat saldo' });
  expect(await link.getAttribute('href')).toBe('/saldo');
});

test('buttons are 32, 40, 44 and 52 px high, with touch targets of 44 px', async ({ show }) => {
  const sizes = async (width: 1440 | 390) => {
    const page = await show('button', { width });
    const places = page.getByRole('region', { name: 'Sizes' }).getByRole('button');
    const heights = await places.evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect().height),
    );
    const reached = await page.getByRole('main').evaluate((main) =>
      [...main.querySelectorAll('button, a')].map((one) => {
        const after = getComputedStyle(one, '::after');
        const more = after.content === 'none' ? 0 : -2 * Number.parseFloat(after.top);
        return one.getBoundingClientRect().height + more;
      }),
    );
    return { heights, least: Math.min(...reached) };
  };
  expect((await sizes(1440)).heights).toEqual([32, 40, 44, 52]);
  expect((await sizes(390)).least).toBeGreaterThanOrEqual(44);
});
