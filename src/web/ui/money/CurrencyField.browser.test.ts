import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const textOf = (page: Page, of: string) => page.getByLabel(of, { exact: true }).textContent();
const caret = (field: Locator) => field.evaluate((one) => (one as HTMLInputElement).selectionStart);
const putCaret = (field: Locator, at: number) =>
  field.evaluate((one, to) => (one as HTMLInputElement).setSelectionRange(to, to), at);
/** Pastes as a person does: the event comes before the text. */
const paste = (field: Locator, text: string) =>
  field.evaluate((one, pasted) => {
    (one as HTMLInputElement).select();
    one.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true }));
    document.execCommand('insertText', false, pasted);
  }, text);

test('an amount is grouped while typed; k, m and b multiply, a letter alone is ignored', async ({
  show,
}) => {
  const page = await show('currency-field');
  const field = page.getByRole('textbox', { name: 'Jumlah (rupiah)' });
  expect(await field.getAttribute('placeholder')).toBe('000.000');
  expect(await field.getAttribute('mask')).toBe('999.999');
  expect(await field.getAttribute('inputmode')).toBe('decimal');
  await field.focus();
  const typed = async (text: string) => {
    await field.fill('');
    await page.keyboard.type(text);
    return field.inputValue();
  };
  expect(await typed('1250000')).toBe('1.250.000');
  expect(await textOf(page, 'Amount')).toBe('1250000');
  expect(await typed('1,5k')).toBe('1.500');
  expect(await typed('2m')).toBe('2.000.000');
  expect(await typed('3B')).toBe('3.000.000.000');
  expect(await typed('1,25m')).toBe('1.250.000');
  expect(await typed('k')).toBe('');
  expect(await typed('0k')).toBe('0');
  expect(await typed('50rb')).toBe('50');
  expect(await typed('1234567890123456')).toBe('123.456.789.012.345');

  expect(await typed('1500')).toBe('1.500');
  expect(await textOf(page, 'As the library tells it')).toBe('["1500","amount",1500,"1.500"]');
  for (const nothing of ['', '-', ',']) {
    await typed('5');
    expect(await typed(nothing)).toBe(nothing);
    expect(await textOf(page, 'Amount')).toBe('none');
    expect(await textOf(page, 'As the library tells it')).toBe('["undefined","amount",null,""]');
  }
  await field.blur();
  expect(await field.inputValue()).toBe('');
  await field.focus();
  await typed('1.500,75');
  await field.blur();
  expect(await field.inputValue()).toBe('1.500');
});

test('the caret keeps its distance from the end, and Backspace deletes the digit before a point', async ({
  show,
}) => {
  const page = await show('currency-field', { width: 390 });
  const field = page.getByRole('textbox', { name: 'Jumlah (rupiah)' });
  await field.focus();
  await page.keyboard.type('1234567');
  await putCaret(field, 5);
  await page.keyboard.type('9');
  await waitFor(async () => expect(await field.inputValue()).toBe('12.349.567'));
  expect(await caret(field)).toBe(6);
  await putCaret(field, 7);
  await page.keyboard.press('Backspace');
  await waitFor(async () => expect(await field.inputValue()).toBe('1.234.567'));
  await putCaret(field, 1);
  await page.keyboard.press('Delete');
  await waitFor(async () => expect(await field.inputValue()).toBe('134.567'));

  await paste(field, '1,500,000.50');
  expect(await field.inputValue()).toBe('1.500.000,50');
  expect(await textOf(page, 'Amount')).toBe('1500000');
  await paste(field, 'Rp1.250.000,-');
  expect(await field.inputValue()).toBe('1.250.000');
  await paste(field, '1k2');
  expect(await field.inputValue()).toBe('12');
});

test('quick amounts set the value, and typing continues from it at the caret', async ({ show }) => {
  const page = await show('currency-field');
  const field = page.getByRole('textbox', { name: 'Nominal isi saldo (rupiah)' });
  const quick = page.getByRole('group', { name: 'Nominal siap pakai' }).first();
  const million = quick.getByRole('button', { name: 'Rp 1.000.000' });
  expect(await quick.getByRole('button', { pressed: true }).textContent()).toMatch(/^Rp.250\.000$/);
  await field.focus();
  await page.keyboard.press('End');
  await page.keyboard.type('0');
  await waitFor(async () => expect(await field.inputValue()).toBe('2.500.000'));
  for (let press = 0; press < 5; press++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await waitFor(async () => expect(await million.getAttribute('aria-pressed')).toBe('true'));
  expect(await field.inputValue()).toBe('1.000.000');
  expect(await textOf(page, 'Top-up')).toBe('1000000');
  await field.focus();
  await putCaret(field, 6);
  await page.keyboard.press('Backspace');
  await waitFor(async () => expect(await field.inputValue()).toBe('100.000'));
  await page.keyboard.press('Backspace');
  await waitFor(async () => expect(await field.inputValue()).toBe('10.000'));
});

test('from one million on the amount is also in words, linked to the field but not announced', async ({
  show,
}) => {
  const page = await show('currency-field');
  const field = page.getByRole('textbox', { name: 'Jumlah (rupiah)' });
  const described = () =>
    field.evaluate((one) =>
      (one.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent)
        .join('; '),
    );
  await field.fill('999999');
  await waitFor(async () =>
    expect(await described()).toBe('Boleh ditulis singkat: 50k atau 1,5m.'),
  );
  await field.fill('1250000');
  await waitFor(async () =>
    expect(await described()).toBe(
      'satu juta dua ratus lima puluh ribu rupiah; Boleh ditulis singkat: 50k atau 1,5m.',
    ),
  );
  const words = page.getByText('satu juta dua ratus lima puluh ribu rupiah');
  expect(await words.locator('xpath=ancestor-or-self::*[@aria-live]').count()).toBe(0);
});

test('arrows step within the limits, typing exceeds them; Indonesian suffixes and decimals on request', async ({
  show,
}) => {
  const page = await show('currency-field');
  const price = page.getByRole('textbox', { name: 'Harga paket (rupiah)' });
  await price.focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await waitFor(async () => expect(await textOf(page, 'Price')).toBe('115000'));
  await page.keyboard.press('ArrowUp');
  await waitFor(async () => expect(await textOf(page, 'Price')).toBe('115000'));
  for (let press = 0; press < 9; press++) await page.keyboard.press('ArrowDown');
  await waitFor(async () => expect(await textOf(page, 'Price')).toBe('55000'));
  await price.fill('500');
  await waitFor(async () => expect(await textOf(page, 'Price')).toBe('500'));

  const budget = page.getByRole('textbox', { name: 'Anggaran (rupiah)' });
  await budget.pressSequentially('50rb');
  await waitFor(async () => expect(await budget.inputValue()).toBe('50.000'));
  await budget.fill('');
  await budget.pressSequentially('2miliar');
  await waitFor(async () => expect(await textOf(page, 'Budget')).toBe('2000000000'));

  const rate = page.getByRole('textbox', { name: 'Tarif per pesan (rupiah)' });
  await rate.fill(',5');
  await rate.blur();
  expect(await rate.inputValue()).toBe('0,50');
  expect(await textOf(page, 'Rate')).toBe('0.5');
});

test('ignored input is reported, until it is corrected', async ({ show }) => {
  const page = await show('currency-field');
  const field = page.getByRole('textbox', { name: 'Anggaran (rupiah)' });
  const said = page.getByRole('status').filter({ hasText: 'tidak dibaca' });
  const typed = async (text: string) => {
    await field.fill('');
    await field.focus();
    await page.keyboard.type(text);
  };
  await typed('50rb');
  expect(await said.count()).toBe(0);
  await typed('1.5jt');
  await waitFor(async () => expect(await field.inputValue()).toBe('1.500.000'));
  await typed('1.500.000');
  await waitFor(async () => expect(await field.inputValue()).toBe('1.500.000'));
  await typed('50x');
  await waitFor(async () => expect(await said.innerText()).toMatch(/^“x” tidak dibaca/));
  const described = (await field.getAttribute('aria-describedby')) ?? '';
  expect(described).toContain((await said.getAttribute('id')) ?? 'none');
  await page.keyboard.type('5');
  await waitFor(async () => expect(await said.count()).toBe(0));
  await typed('1234567890123456');
  await waitFor(async () => expect(await said.innerText()).toMatch(/^Paling banyak 15 angka/));
  await typed('50r');
  expect(await said.count()).toBe(0);
  await field.blur();
  await waitFor(async () => expect(await said.innerText()).toMatch(/^“r”/));
  await typed('1500,75');
  await field.blur();
  await waitFor(async () => expect(await said.innerText()).toMatch(/^Angka di belakang koma/));
});

test('on a phone, whose amount keyboard has no letters, buttons multiply', async ({ show }) => {
  const page = await show('currency-field', { width: 390 });
  const field = page.getByRole('textbox', { name: 'Anggaran (rupiah)' });
  const place = page.locator('div').filter({ has: field }).last();
  await field.tap();
  await page.keyboard.type('1,5');
  await place.getByRole('button', { name: 'Kali sejuta' }).tap();
  expect(await field.inputValue()).toBe('1.500.000');
  expect(await textOf(page, 'Budget')).toBe('1500000');
  expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
  await field.fill('50');
  await place.getByRole('button', { name: 'Kali seribu' }).tap();
  expect(await field.inputValue()).toBe('50.000');
  // The component as specified has none.
  expect(await page.getByRole('button', { name: 'Kali seribu' }).count()).toBe(1);
});
