import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('an initial alert does not interrupt; a later danger does', async ({ show }) => {
  const page = await show('alert');
  const state = page.getByRole('region', { name: 'Shown later, and closed' });
  for (const look of ['Default', 'Fill', 'Pro']) {
    const place = page.getByRole('region', { name: look, exact: true });
    expect(await place.getByRole('status').count()).toBe(8);
    expect(await place.getByRole('alert').count()).toBe(0);
  }
  expect(await state.getByText('Muncul kemudian').count()).toBe(0);

  await state.getByRole('button', { name: 'Show a danger' }).click();
  await state.getByRole('alert').getByText('Muncul kemudian').waitFor();
  await state.getByRole('button', { name: 'Show a success' }).click();
  await state.getByRole('status').getByText('Muncul kemudian').waitFor();
  expect(await state.getByRole('alert').count()).toBe(0);
});

test('the button closes it, once', async ({ show }) => {
  const page = await show('alert', { width: 390 });
  const state = page.getByRole('region', { name: 'Shown later, and closed' });
  await state.getByRole('button', { name: 'Show a danger' }).click();
  const close = state.getByRole('button', { name: 'Tutup' });
  const box = await boxOf(close);
  expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44);
  await close.click();
  await waitFor(async () => expect(await state.getByText('Muncul kemudian').count()).toBe(0));
  expect(await state.getByLabel('Closed').textContent()).toBe('1');
});

test('every state has a look of its own, in each variant', async ({ show }) => {
  const page = await show('alert');
  for (const look of ['Default', 'Fill', 'Pro']) {
    const place = page.getByRole('region', { name: look, exact: true });
    const looks = await place.getByRole('status').evaluateAll((alerts) =>
      alerts.map((alert) => {
        const { backgroundColor, color, borderColor } = getComputedStyle(alert);
        const bar = getComputedStyle(alert, '::before').backgroundColor;
        return [backgroundColor, color, borderColor, bar].join(' ');
      }),
    );
    expect(new Set(looks).size).toBe(8);
  }
});
