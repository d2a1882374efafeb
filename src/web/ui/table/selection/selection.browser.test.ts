import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true });
const turns = (page: Page, caption: string) =>
  page.getByRole('navigation', { name: `Halaman ${caption}` });

test('all rows of a page are selected at once; those of other pages stay selected', async ({
  show,
}) => {
  const page = await show('data-table');
  const list = table(page, 'Pesan pilihan');
  const all = list.getByRole('checkbox', { name: 'Pilih semua baris di halaman ini' });
  const mixed = () => all.evaluate((box: HTMLInputElement) => box.indeterminate);
  const bar = page.getByRole('group', { name: /Baris terpilih/ });
  await list.getByRole('checkbox', { name: 'Pilih baris Budi Santoso 1', exact: true }).check();
  expect(await mixed()).toBe(true);
  await all.check();
  expect(await mixed()).toBe(false);
  await bar.getByText('10 dipilih').waitFor();
  await turns(page, 'Pesan pilihan')
    .getByRole('button', { name: 'Halaman 4', exact: true })
    .click();
  await waitFor(async () => expect(await list.getByRole('row').count()).toBe(5));
  expect(await all.isChecked()).toBe(false);
  await all.check();
  await bar.getByText('14 dipilih').waitFor();
  await bar.getByRole('button', { name: 'Kosongkan pilihan' }).click();
  await bar.waitFor({ state: 'detached' });
  expect(await all.isChecked()).toBe(false);
});

test('Shift selects all rows from the last one on', async ({ show }) => {
  const page = await show('data-table');
  const list = table(page, 'Pesan pilihan');
  const chosen = page.getByLabel('Chosen', { exact: true });
  const box = (row: number) => list.getByRole('checkbox').nth(row);
  await box(2).click();
  await box(5).click({ modifiers: ['Shift'] });
  expect(await chosen.textContent()).toBe('msg-002 msg-003 msg-004 msg-005');
  await box(5).click();
  await box(2).click({ modifiers: ['Shift'] });
  expect(await chosen.textContent()).toBe('');
});

test('on a phone a button or a long press shows checkboxes, and a tap selects', async ({
  show,
}) => {
  const page = await show('data-table', { width: 390 });
  const list = table(page, 'Pesan pilihan');
  const chosen = page.getByLabel('Chosen', { exact: true });
  const first = list.getByRole('button', { name: 'Budi Santoso 1', exact: true });
  const box = list.getByRole('checkbox', { name: 'Pilih baris Budi Santoso 1', exact: true });
  await first.waitFor();
  expect(await box.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Pilih baris, Pesan pilihan' }).click();
  await box.waitFor();
  await first.click();
  expect(await chosen.textContent()).toBe('msg-001');
  expect(await page.getByLabel('Opened from the chosen').textContent()).toBe('');
  const bar = page.getByRole('group', { name: /Baris terpilih/ });
  await bar.getByRole('button', { name: 'Kosongkan pilihan' }).click();
  await box.waitFor({ state: 'hidden' });

  const row = list.getByRole('row').filter({ hasText: 'Budi Santoso 1' }).first();
  await row.dispatchEvent('pointerdown', { pointerType: 'touch', clientX: 40, clientY: 40 });
  await box.waitFor();
  await row.dispatchEvent('pointerup', { pointerType: 'touch' });
  expect(await chosen.textContent()).toBe('msg-001');
  // The click at the end of the press neither opens nor toggles anything.
  await row.dispatchEvent('click');
  expect(await chosen.textContent()).toBe('msg-001');
  expect(await page.getByLabel('Opened from the chosen').textContent()).toBe('');
});
