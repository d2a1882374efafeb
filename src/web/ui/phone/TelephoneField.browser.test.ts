import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const PLAIN = 'Plain, as specified';
const OURS = 'On our screens';

const textOf = (page: Page, of: string) => page.getByLabel(of, { exact: true }).textContent();
const plainTextOf = async (page: Page) =>
  JSON.parse((await textOf(page, 'Told by the plain field')) || '[]') as unknown[];
const field = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name });
const country = (page: Page, section: string) =>
  page.getByRole('region', { name: section, exact: true }).getByRole('button');
const listbox = (page: Page) => page.getByRole('listbox', { name: 'Negara' });
const options = (page: Page) => page.getByRole('option').allInnerTexts();
const caret = (of: Locator) => of.evaluate((one) => (one as HTMLInputElement).selectionStart);
const putCaret = (of: Locator, at: number) =>
  of.evaluate((one, to) => (one as HTMLInputElement).setSelectionRange(to, to), at);
/** The caret moves to the end shortly after the focus; earlier typing goes elsewhere. */
const focusAtEnd = async (of: Locator) => {
  await of.focus();
  await waitFor(async () =>
    expect(
      await of.evaluate((one: HTMLInputElement) => one.selectionStart === one.value.length),
    ).toBe(true),
  );
};
const isFocused = (of: Locator) => of.evaluate((one) => one === document.activeElement);
const active = (page: Page) =>
  page.evaluate(() => {
    const id = document.activeElement?.getAttribute('aria-activedescendant');
    return id && document.getElementById(id)?.children[1]?.textContent;
  });

test('a number is grouped while typed, reported with its country, and validated once touched', async ({
  show,
}) => {
  const page = await show('telephone-field');
  const phone = field(page, 'Phone');
  await waitFor(async () => expect(await phone.inputValue()).toBe('+33'));
  expect(await phone.getAttribute('placeholder')).toBe('1 (702) 123-4567');
  expect(await phone.getAttribute('inputmode')).toBe('tel');
  expect(await phone.getAttribute('autocomplete')).toBe('tel');
  expect(await country(page, PLAIN).getAttribute('aria-label')).toBe('Negara: Prancis (+33)');
  const wrong = page.getByText('Tulis nomor telepon yang lengkap.');
  expect(await wrong.count()).toBe(0);

  await focusAtEnd(phone);
  await waitFor(async () => expect(await phone.getAttribute('placeholder')).toBe(''));
  await waitFor(async () => expect(await caret(phone)).toBe(3));
  await page.keyboard.type('6');
  await wrong.waitFor();
  expect(await phone.getAttribute('aria-invalid')).toBe('true');
  await page.keyboard.type('123456');
  await waitFor(async () => expect(await wrong.isVisible()).toBe(false));
  await page.keyboard.type('78');
  await waitFor(async () => expect(await phone.inputValue()).toBe('+33 6 12 34 56 78'));
  const france = { name: 'France', dialCode: '33', format: '+.. . .. .. .. ..' };
  expect(await plainTextOf(page)).toEqual([
    '33612345678',
    { ...france, countryCode: 'fr' },
    'change',
    '+33 6 12 34 56 78',
  ]);

  await phone.fill('');
  await wrong.waitFor();
  expect((await plainTextOf(page))[0]).toBe('');
  await phone.blur();
  expect(await phone.getAttribute('placeholder')).toBe('1 (702) 123-4567');
  expect(await phone.inputValue()).toBe('+');
  await focusAtEnd(phone);
  await waitFor(async () => expect(await phone.inputValue()).toBe('+33'));
  await waitFor(async () => expect(await caret(phone)).toBe(3));
  for (let taken = 0; taken < 2; taken++) await page.keyboard.press('Backspace');
  await page.keyboard.type('17025551234');
  await waitFor(async () => expect(await phone.inputValue()).toBe('+1 (702) 555-1234'));
  expect(await country(page, PLAIN).getAttribute('aria-label')).toBe(
    'Negara: Amerika Serikat (+1)',
  );
});

test('the caret keeps its digit, a sixteenth digit is ignored, and copying omits grouping', async ({
  show,
}) => {
  const page = await show('telephone-field', { own: true });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const to = field(page, 'Nomor tujuan');
  await focusAtEnd(to);
  await waitFor(async () => expect(await caret(to)).toBe(3));
  await page.keyboard.type('81234567890');
  await waitFor(async () => expect(await to.inputValue()).toBe('+62 812-3456-7890'));
  await putCaret(to, '+62 812'.length);
  await page.keyboard.type('99');
  await waitFor(async () => expect(await to.inputValue()).toBe('+62 812-9934-567890'));
  expect(await caret(to)).toBe('+62 812-99'.length);
  await page.keyboard.type('5');
  await waitFor(async () => expect(await to.inputValue()).toBe('+62 812-9934-567890'));
  expect(await caret(to)).toBe('+62 812-99'.length);
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await waitFor(async () => expect(await to.inputValue()).toBe('+62 812-3456-7890'));
  expect(await textOf(page, 'Recipient')).toBe('6281234567890');

  await to.dblclick();
  const selected = await to.evaluate((one) => {
    const input = one as HTMLInputElement;
    return input.value.slice(input.selectionStart ?? 0, input.selectionEnd ?? 0);
  });
  expect(selected).toBe('+62 812-3456-7890');
  await page.keyboard.press('Control+c');
  await waitFor(async () =>
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('6281234567890'),
  );

  const long = field(page, 'Nomor panjang');
  await focusAtEnd(long);
  await page.keyboard.insertText('81234567890123456');
  expect(await textOf(page, 'Nomor panjang, digits')).toBe('6281234567890123456');
});

test('a pasted number replaces the whole text', async ({ show }) => {
  const page = await show('telephone-field', { width: 390 });
  const to = field(page, 'Nomor tujuan');
  for (const [pasted, shown, digits] of [
    ['0812-3456-7890', '+62 812-3456-7890', '6281234567890'],
    ['6281234567890', '+62 812-3456-7890', '6281234567890'],
    ['+65 9123 4567', '+65 9123-4567', '6591234567'],
    ['0044 7911 123456', '+44 7911 123456', '447911123456'],
  ] as const) {
    await to.fill('');
    await to.blur();
    await focusAtEnd(to);
    await waitFor(async () => expect(await to.inputValue()).toMatch(/^\+\d+$/));
    await page.keyboard.insertText(pasted);
    await waitFor(async () => expect(await to.inputValue()).toBe(shown));
    expect(await textOf(page, 'Recipient')).toBe(digits);
    await to.press('Control+a');
    await page.keyboard.insertText(pasted);
    await waitFor(async () => expect(await to.inputValue()).toBe(shown));
  }

  const own = field(page, 'Nomor ponsel');
  await focusAtEnd(own);
  await page.keyboard.type('081234567890');
  await waitFor(async () => expect(await own.inputValue()).toBe('+62 812-3456-7890'));
  await putCaret(own, '+62 812-3'.length);
  await page.keyboard.type('9');
  await waitFor(async () => expect(await own.inputValue()).toBe('+62 812-3945-67890'));
  expect(await caret(own)).toBe('+62 812-39'.length);
  await own.press('End');
  for (let taken = 0; taken < 20; taken++) await page.keyboard.press('Backspace');
  await waitFor(async () => expect(await own.inputValue()).toBe(''));
  expect(await textOf(page, 'Own number')).toBe('');
});

test('an impossible number is reported on blur, and cleared on change', async ({ show }) => {
  const page = await show('telephone-field');
  const to = field(page, 'Nomor tujuan');
  await to.fill('621234567890123');
  await to.blur();
  await page.getByText('Nomor ini tidak ada di Indonesia. Periksa lagi angkanya.').waitFor();
  expect(await to.getAttribute('aria-invalid')).toBe('true');
  await focusAtEnd(to);
  await page.keyboard.press('Backspace');
  await waitFor(async () => expect(await to.getAttribute('aria-invalid')).toBeNull());
  await to.fill('0812-3456-7890');
  await to.blur();
  await waitFor(async () => expect(await to.getAttribute('aria-invalid')).toBeNull());
});

test('with the keyboard a country is found by name, ISO code and dial code, and picked', async ({
  show,
}) => {
  const page = await show('telephone-field');
  const button = country(page, OURS);
  const to = field(page, 'Nomor tujuan');
  await to.fill('0812 3456 789');
  await page.keyboard.press('Shift+Tab');
  await waitFor(async () => expect(await isFocused(button)).toBe(true));
  expect(await button.getAttribute('aria-expanded')).toBe('false');
  await page.keyboard.press('Enter');
  const search = page.getByRole('combobox', { name: 'Cari negara atau kode' });
  await search.waitFor();
  await waitFor(async () => expect(await isFocused(search)).toBe(true));
  expect(await button.getAttribute('aria-expanded')).toBe('true');
  expect(await search.getAttribute('aria-controls')).toBe(await listbox(page).getAttribute('id'));
  expect(await search.evaluate((one) => one.closest('[role=listbox]'))).toBeNull();
  expect(await page.getByRole('option').count()).toBe(211);
  expect(await page.getByRole('option', { selected: true }).innerText()).toMatch(/Indonesia/);
  expect(await active(page)).toBe('Indonesia');
  await waitFor(async () =>
    expect(
      await page.getByRole('option', { selected: true }).evaluate((one) => {
        const [top, box] = [
          one.getBoundingClientRect().top,
          one.parentElement?.getBoundingClientRect(),
        ];
        return box !== undefined && top > box.top && top < box.bottom;
      }),
    ).toBe(true),
  );

  const finds = async (query: string, countries: readonly string[], reach = Infinity) => {
    await search.fill(query);
    await waitFor(async () => {
      const names = (await options(page)).map((text) => text.split('\n').at(-2));
      expect(names.slice(0, reach)).toEqual(countries);
    });
  };
  await finds('jerman', ['Jerman']);
  await finds(' Germ ', ['Jerman']);
  await finds('+998', ['Uzbekistan']);
  await finds('my', ['Malaysia'], 1);
  await finds('qqq', []);
  await page.getByRole('status').filter({ hasText: 'Negara tidak ditemukan' }).waitFor();
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await search.inputValue()).toBe(''));
  expect(await active(page)).toBe('Indonesia');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await waitFor(async () => expect(await active(page)).toBe('Inggris Raya'));
  await page.keyboard.press('Enter');
  await listbox(page).waitFor({ state: 'detached' });
  await waitFor(async () => expect(await isFocused(to)).toBe(true));
  expect(await to.inputValue()).toBe('+44 8123 456789');
  expect(await caret(to)).toBe('+44 8123 456789'.length);
  expect(await textOf(page, 'Recipient')).toBe('448123456789');
  expect(await button.getAttribute('aria-label')).toBe('Negara: Inggris Raya (+44)');
});

test('searches the countries 250 ms after the last letter; a key does not wait', async ({
  show,
}) => {
  const page = await show('telephone-field', { own: true });
  const button = country(page, OURS);
  await button.and(page.locator('[aria-label*="Indonesia"]')).waitFor();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await button.focus();
  await page.keyboard.press('Enter');
  const search = page.getByRole('combobox', { name: 'Cari negara atau kode' });
  await search.waitFor();
  await waitFor(async () => expect(await isFocused(search)).toBe(true));
  const count = () => page.getByRole('option').count();
  await page.keyboard.type('jer');
  await page.clock.runFor(249);
  await page.keyboard.type('man');
  await page.clock.runFor(249);
  expect(await search.inputValue()).toBe('jerman');
  expect(await count()).toBe(211);
  await page.clock.runFor(1);
  await waitFor(async () => expect(await count()).toBe(1));
  await search.fill('jepang');
  await page.keyboard.press('Enter');
  await waitFor(async () =>
    expect(await button.getAttribute('aria-label')).toBe('Negara: Jepang (+81)'),
  );
});

test('without a search box typing jumps to a name after a pause; Escape and Tab close', async ({
  show,
}) => {
  const page = await show('telephone-field', { own: true });
  const button = country(page, PLAIN);
  await field(page, 'Phone').and(page.locator('[value^="+33"]')).waitFor();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await button.focus();
  await page.keyboard.press('Enter');
  await listbox(page).waitFor();
  await waitFor(async () => expect(await isFocused(listbox(page))).toBe(true));
  expect(await page.getByRole('combobox').count()).toBe(0);
  expect(await active(page)).toBe('Prancis');
  await page.keyboard.type('jep');
  await page.clock.runFor(249);
  await waitFor(async () => expect(await active(page)).toBe('Prancis'));
  await page.clock.runFor(1);
  await waitFor(async () => expect(await active(page)).toBe('Jepang'));
  await page.keyboard.type('arab s');
  await page.clock.runFor(250);
  await waitFor(async () => expect(await active(page)).toBe('Arab Saudi'));
  await page.keyboard.press('End');
  await waitFor(async () => expect(await active(page)).toBe('Zimbabwe'));
  await page.keyboard.press('ArrowDown');
  await waitFor(async () => expect(await active(page)).toBe('Zimbabwe'));
  await page.keyboard.press('Home');
  await waitFor(async () => expect(await active(page)).toBe('Afganistan'));
  await page.keyboard.press('Escape');
  await listbox(page).waitFor({ state: 'detached' });
  await waitFor(async () => expect(await isFocused(button)).toBe(true));
  await page.keyboard.press('Enter');
  await listbox(page).waitFor();
  await page.keyboard.press('Tab');
  await listbox(page).waitFor({ state: 'detached' });
  await waitFor(async () => expect(await isFocused(field(page, 'Phone'))).toBe(true));
  await button.click();
  await listbox(page).waitFor();
  await button.click();
  await listbox(page).waitFor({ state: 'detached' });
  await button.click();
  await listbox(page).waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  await listbox(page).waitFor({ state: 'detached' });
});

test('on a phone the countries fill a dialog, and a tap picks one', async ({ show }) => {
  const page = await show('telephone-field', { width: 390 });
  await country(page, 'Chosen countries').tap();
  const dialog = page.getByRole('dialog', { name: 'Pilih negara' });
  await dialog.waitFor();
  expect((await options(page)).map((text) => text.split('\n').at(-2))).toEqual(
    'Indonesia Malaysia Singapura Brunei Filipina Kamboja Laos Myanmar_(Burma) Thailand Timor_Leste Vietnam'
      .split(' ')
      .map((name) => name.replace('_', ' ')),
  );
  const option = dialog.getByRole('option', { name: /Singapura/ });
  expect((await boxOf(option)).height).toBeGreaterThanOrEqual(44);
  await option.tap();
  await dialog.waitFor({ state: 'detached' });
  const phone = field(page, 'Nomor di ASEAN');
  await waitFor(async () => expect(await isFocused(phone)).toBe(true));
  expect(await phone.inputValue()).toBe('+65');
  expect(await textOf(page, 'Nomor di ASEAN, digits')).toBe('65');
  const button = await boxOf(country(page, 'Chosen countries'));
  expect(Math.min(button.width, button.height)).toBeGreaterThanOrEqual(42);
});

test('in a dialog the list is above it, and handles Escape and Enter itself', async ({ show }) => {
  for (const width of [1440, 390] as const) {
    const page = await show('telephone-field', { width });
    await page.getByRole('button', { name: 'Tambah kontak' }).click();
    const dialog = page.getByRole('dialog', { name: 'Kontak baru' });
    const button = dialog.getByRole('button', { name: /^Negara: / });
    await button.click();
    const search = page.getByRole('combobox', { name: 'Cari negara atau kode' });
    await waitFor(async () => expect(await isFocused(search)).toBe(true));
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
    await waitFor(async () => expect(await isFocused(button)).toBe(true));
    expect(await dialog.isVisible()).toBe(true);

    await page.keyboard.press('Enter');
    await waitFor(async () => expect(await isFocused(search)).toBe(true));
    await page.keyboard.type('malay');
    await page.keyboard.press('Enter');
    await search.waitFor({ state: 'detached' });
    const phone = dialog.getByRole('textbox', { name: 'Nomor kontak' });
    await waitFor(async () => expect(await isFocused(phone)).toBe(true));
    await focusAtEnd(phone);
    await page.keyboard.type('123456789');
    await waitFor(async () => expect(await phone.inputValue()).toBe('+60 12-3456-789'));
    expect(await textOf(page, 'Contact')).toBe('60123456789, saved 0 times');
    await page.keyboard.press('Enter');
    await waitFor(async () =>
      expect(await textOf(page, 'Contact')).toBe('60123456789, saved 1 times'),
    );
  }
});

test('options work: a fixed dial code, none at all, no country, a disabled field', async ({
  show,
}) => {
  const page = await show('telephone-field');
  const fixed = field(page, 'Nomor Indonesia');
  await fixed.fill('+1 702 555 1234');
  await waitFor(async () => expect(await fixed.inputValue()).toBe('+62 812 345 678'));
  await fixed.fill('0811 222 333');
  await waitFor(async () => expect(await fixed.inputValue()).toBe('+62 811 222 333'));

  const national = field(page, 'Nomor nasional');
  await focusAtEnd(national);
  await page.keyboard.type('7025551234');
  await waitFor(async () => expect(await national.inputValue()).toBe('(702) 555-1234'));
  expect(await textOf(page, 'Nomor nasional, digits')).toBe('7025551234');

  const any = field(page, 'Nomor mana saja');
  expect(await any.inputValue()).toBe('');
  await focusAtEnd(any);
  await page.keyboard.type('+4479');
  await waitFor(async () => expect(await any.inputValue()).toBe('+44 79'));
  expect(await country(page, 'Without a country').getAttribute('aria-label')).toBe(
    'Negara: Inggris Raya (+44)',
  );
  expect(await field(page, 'Nomor lama').isDisabled()).toBe(true);
  expect(await country(page, 'Disabled').isDisabled()).toBe(true);
  await page.getByText('Nomor ini sudah terdaftar.').waitFor();
});
