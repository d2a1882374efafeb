import type { Locator, Page, Response } from 'playwright-core';
import { expect, inject } from 'vitest';
import { nameContact } from '#contract/messages/conversations.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { faultsHere } from '#tests/support/one-look.ts';
import {
  ask,
  budi,
  gone,
  heading,
  shopAt,
  palette,
  takesFocus,
} from '#tests/journeys/support/frame-shop.ts';
import { ask as callAct, signUp } from '#tests/journeys/support/portal.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { subscriptionOf, usaha } from '#tests/support/billing/samples.ts';
import { test } from '#tests/support/gallery.ts';
import { arrivesAt } from '#tests/journeys/support/steps.ts';

const address = inject('product');

const isAbout = (act: string, answer: Response): boolean =>
  new URLSearchParams(answer.request().postData() ?? '').get('act') === act;

const help = (tab: Page): Locator => tab.getByRole('dialog', { name: 'Pintasan papan ketik' });

async function options(tab: Page): Promise<string[]> {
  const texts = await palette(tab).getByRole('option').allInnerTexts();
  return texts.map((text) => text.split('\n', 1)[0] ?? '');
}
const chosen = (tab: Page) => palette(tab).getByRole('option', { selected: true });

test('opens any screen by a few letters', async ({ person }) => {
  const { customer } = await shopAt(address);
  const { open } = await person({ session: customer.session });
  const tab = await open('/');
  await heading(tab, 'Beranda').waitFor();

  await ask(tab, 'nom');
  await arrivesAt(tab, '/token');
  await takesFocus(tab, heading(tab, 'Nomor'));
  await ask(tab, 'SALD');
  await arrivesAt(tab, '/saldo');

  // Recent commands come first; the arrow keys wrap; Escape restores the focus.
  const add = tab.getByRole('link', { name: 'Isi saldo' }).first();
  await add.focus();
  await tab.keyboard.press('Control+k');
  await waitFor(async () => expect(await options(tab)).toContain('Beranda'));
  expect((await options(tab)).slice(0, 2)).toEqual(['Saldo', 'Nomor']);
  await tab.keyboard.press('ArrowUp');
  await waitFor(async () => expect(await chosen(tab).innerText()).toMatch(/^Keluar/));
  await tab.keyboard.press('ArrowDown');
  await waitFor(async () => expect(await chosen(tab).innerText()).toMatch(/^Saldo/));
  const field = palette(tab).getByRole('combobox');
  expect(await field.getAttribute('aria-activedescendant')).toBe(
    await chosen(tab).getAttribute('id'),
  );
  await tab.keyboard.type('zzz');
  await waitFor(async () => expect(await options(tab)).toEqual(['Cari pesan “zzz”']));
  await tab.keyboard.press('Escape');
  await gone(palette(tab));
  await takesFocus(tab, add);

  await ask(tab, 'top up');
  await tab.getByRole('dialog', { name: 'Isi saldo' }).waitFor();
  // Not above another dialog, whose input would be lost.
  await tab.keyboard.press('Control+k');
  await tab.keyboard.press('Escape');
  await gone(tab.getByRole('dialog'));
  await ask(tab, 'tambah');
  await arrivesAt(tab, '/token');
  await tab.getByRole('dialog', { name: 'Tambah token' }).waitFor();
  await tab.keyboard.press('Escape');
  await gone(tab.getByRole('dialog'));

  await ask(tab, '0812-9999');
  await arrivesAt(tab, '/message-history');
  expect(new URL(tab.url()).searchParams.get('q')).toBe('0812-9999');
  await tab.getByRole('row', { name: /Jas Anda sudah selesai/ }).waitFor();
  await waitFor(async () =>
    expect(await tab.getByRole('row', { name: /sudah siap/ }).count()).toBe(0),
  );

  await ask(tab, 'gelap');
  const theme = () => tab.evaluate(() => document.documentElement.dataset['theme']);
  await waitFor(async () => expect(await theme()).toBe('dark'));
  await ask(tab, 'perangkat');
  await waitFor(async () => expect(await theme()).toBe(undefined));
  await tab.getByRole('button', { name: 'Cari atau lompat' }).click();
  await palette(tab).getByRole('option', { name: 'Kirim pesan' }).click();
  await tab.getByRole('dialog', { name: 'Kirim pesan' }).waitFor();
});

test('a dialog that loads late waits for the palette to close', async ({ person }) => {
  const { customer } = await shopAt(address);
  const { open } = await person({ session: customer.session });
  const tab = await open('/token');
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
  await tab.route('**/CreateToken-*.js', async (route) => {
    await allowed;
    await route.continue();
  });
  await tab.getByRole('button', { name: 'Tambah token' }).first().click();
  await tab.keyboard.press('Control+k');
  const field = palette(tab).getByRole('combobox');
  await takesFocus(tab, field);
  await tab.keyboard.type('sal');
  allow();
  const late = tab.getByRole('dialog', { name: 'Tambah token', includeHidden: true });
  await late.waitFor({ state: 'attached' });
  await tab.keyboard.type('do');
  expect(await field.inputValue()).toBe('saldo');
  expect(await late.isVisible()).toBe(false);
  await tab.keyboard.press('Escape');
  await gone(palette(tab));
  await takesFocus(tab, late.getByLabel('Nama'));
  await tab.keyboard.press('Escape');
  await gone(late);
});

test('if the plan has no room for another token, the command leads to the plans', async ({
  person,
}) => {
  const { customer } = await shopAt(address);
  const { open } = await person({ session: customer.session });
  const tab = await open();
  const full = subscriptionOf(usaha, { used: 0, forecast: null, tokens: usaha.tokens });
  await fakeActs(tab, { subscription_get: () => full });
  await tab.goto('/saldo');
  await heading(tab, 'Saldo').waitFor();
  await tab.getByRole('button', { name: 'Cari atau lompat' }).click();
  await palette(tab)
    .getByRole('option', { name: `Tambah token: paket hanya ${usaha.tokens}, lihat paket` })
    .click();
  await arrivesAt(tab, '/billing');
});

test('opens a conversation by the name of its person', async ({ person }) => {
  const { customer } = await shopAt(address);
  const name = 'Pak Budi, Jahit';
  await callAct(address, nameContact, { peer: budi, name }, customer.session);
  const { open } = await person({ session: customer.session });
  const tab = await open('/');
  await heading(tab, 'Beranda').waitFor();
  await tab.keyboard.press('Control+k');
  await palette(tab).waitFor();
  await tab.keyboard.type('pak bu');
  const people = palette(tab).getByRole('group', { name: 'Percakapan' });
  await people.getByRole('option', { name: `${name}, +62 812-9999-1001` }).click();
  await arrivesAt(tab, '/message-history');
  expect(new URL(tab.url()).searchParams.get('peer')).toBe(budi);
  await tab.getByText('Jas Anda sudah selesai').first().waitFor();
  // No number is stored among the recent commands.
  expect(await tab.evaluate(() => JSON.stringify(localStorage))).not.toContain(budi);
});

test('handles single-key shortcuts, which can be turned off', async ({ person }) => {
  const { customer } = await shopAt(address);
  const { open } = await person({ session: customer.session });
  const tab = await open('/');
  await heading(tab, 'Beranda').waitFor();
  const screens = [
    ['m', '/message-history', 'Pesan'],
    ['t', '/token', 'Nomor'],
    ['s', '/saldo', 'Saldo'],
    ['b', '/billing', 'Tagihan'],
    ['l', '/customer-service', 'Layanan Pelanggan'],
    ['p', '/profile', 'Profil'],
    ['h', '/', 'Beranda'],
  ] as const;
  for (const [key, path, title] of screens) {
    await tab.keyboard.press('g');
    await tab.keyboard.press(key);
    await arrivesAt(tab, path);
    await takesFocus(tab, heading(tab, title));
  }

  await tab.keyboard.press('g');
  await tab.keyboard.press('m');
  await takesFocus(tab, heading(tab, 'Pesan'));
  const rows = tab.locator('tbody [data-row="open"]');
  await rows.nth(2).waitFor();
  await tab.keyboard.press('j');
  await takesFocus(tab, rows.nth(0));
  await tab.keyboard.press('j');
  await tab.keyboard.press('j');
  await tab.keyboard.press('k');
  await takesFocus(tab, rows.nth(1));
  await tab.keyboard.press('Enter');
  await tab.getByRole('dialog').waitFor();
  await tab.keyboard.press('g');
  await tab.keyboard.press('t');
  await tab.keyboard.press('Escape');
  await gone(tab.getByRole('dialog'));
  await takesFocus(tab, rows.nth(1));
  expect(new URL(tab.url()).pathname).toBe('/message-history');

  const search = tab.getByRole('searchbox', { name: 'Cari nomor, nama, atau kata' });
  await tab.keyboard.press('/');
  await takesFocus(tab, search);
  await tab.keyboard.type('g t?');
  await waitFor(async () => expect(await search.inputValue()).toBe('g t?'));
  await search.fill('');
  await rows.nth(2).waitFor();
  await heading(tab, 'Pesan').focus();

  await tab.keyboard.press('?');
  for (const words of ['Buka Saldo', 'Baris berikutnya', 'Cari di halaman ini', 'Buka baris']) {
    await help(tab).getByText(words, { exact: true }).waitFor();
  }
  expect(await help(tab).getByText('Ekspor daftar').count()).toBe(1);
  const off = tab.waitForResponse((answer) => isAbout('user_update', answer));
  await help(tab).getByRole('checkbox', { name: 'Pintasan satu tombol' }).uncheck();
  expect((await off).status()).toBe(200);
  await tab.keyboard.press('Escape');
  await gone(help(tab));

  await tab.reload();
  await rows.nth(0).waitFor();
  for (const key of ['g', 't', '?', 'j']) await tab.keyboard.press(key);
  await rows.nth(0).focus();
  await tab.keyboard.press('j');
  await ask(tab, 'pintasan');
  await help(tab).waitFor();
  expect(new URL(tab.url()).pathname).toBe('/message-history');
  const on = tab.waitForResponse((answer) => isAbout('user_update', answer));
  await help(tab).getByRole('checkbox', { name: 'Pintasan satu tombol' }).check();
  expect((await on).status()).toBe(200);
  await tab.keyboard.press('Escape');
  await takesFocus(tab, rows.nth(0));
});

test('j and k reach the rows of every list, and the help lists them once there are rows', async ({
  person,
}) => {
  const { customer } = await shopAt(address);
  const { open, context } = await person({ session: customer.session });
  const tab = await open('/profile');
  await heading(tab, 'Profil').waitFor();
  await tab.keyboard.press('?');
  await help(tab).getByText('Pindah halaman').waitFor();
  expect(await help(tab).getByText('Baris berikutnya').count()).toBe(0);

  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
  await context.route('**/api', async (route) => {
    if (/act=message_list/.test(route.request().postData() ?? '')) await allowed;
    await route.continue();
  });
  await tab.goto('/message-history');
  await heading(tab, 'Pesan').waitFor();
  await tab.keyboard.press('?');
  await help(tab).getByText('Pindah halaman').waitFor();
  expect(await help(tab).getByText('Baris berikutnya').count()).toBe(0);
  allow();
  await help(tab).getByText('Baris berikutnya').waitFor();

  await tab.goto('/saldo');
  const lines = tab.locator('tbody [data-row="line"]');
  await lines.nth(1).waitFor();
  await lines.nth(0).focus();
  await tab.keyboard.press('j');
  await takesFocus(tab, lines.nth(1));
  await tab.keyboard.press('k');
  await takesFocus(tab, lines.nth(0));

  await tab.goto('/message-history?view=percakapan');
  const row = tab.locator('a[data-row="open"]').first();
  await row.waitFor();
  await tab.keyboard.press('j');
  await takesFocus(tab, row);
  await tab.keyboard.press('Enter');
  await takesFocus(tab, tab.getByLabel(/^Tulis pesan untuk/));
  await tab.keyboard.press('Escape');
  await takesFocus(tab, row);
});

test('the overlays are accessible', async ({ person }) => {
  const { customer } = await shopAt(address);
  const { open } = await person({ session: customer.session });
  const tab = await open('/');
  await heading(tab, 'Beranda').waitFor();
  await tab.keyboard.press('Control+k');
  await palette(tab).waitFor();
  const faults = await faultsHere(tab, 'palette');
  await tab.keyboard.type('pesan');
  faults.push(...(await faultsHere(tab, 'palette with words')));
  await tab.keyboard.press('Control+k');
  await gone(palette(tab));
  await tab.keyboard.press('?');
  await help(tab).waitFor();
  faults.push(...(await faultsHere(tab, 'help sheet')));
  expect(faults).toEqual([]);
});

test('works by touch on a phone', async ({ person }) => {
  const { customer } = await shopAt(address);
  const { open } = await person({ session: customer.session, width: 390 });
  const tab = await open('/');
  const bar = tab.getByRole('navigation', { name: 'Menu bawah' });
  await bar.waitFor();
  const words = ['Beranda', 'Pesan', 'Nomor', 'Saldo', 'Lainnya'];
  await waitFor(async () => expect(await bar.getByRole('listitem').allInnerTexts()).toEqual(words));
  await tab.getByRole('button', { name: 'Cari atau lompat' }).tap();
  await palette(tab).getByRole('option', { name: 'Tambah token' }).tap();
  await arrivesAt(tab, '/token');
  await tab.getByRole('dialog', { name: 'Tambah token' }).waitFor();
});

test('signing out from the palette signs out every tab', async ({ person }) => {
  const who = await signUp(address, { name: 'Toko Anggrek', phone: '6281355509002' });
  const { open } = await person({ session: who.session, expects: [/status of 401/] });
  const [first, second] = [await open('/'), await open('/token')];
  await heading(second, 'Nomor').waitFor();
  await heading(first, 'Beranda').waitFor();
  await ask(first, 'nomor');
  await arrivesAt(first, '/token');
  await ask(first, 'keluar');
  await arrivesAt(first, '/auth/login');
  await arrivesAt(second, '/auth/login');
  const left = () =>
    first.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('kept')));
  expect(await left()).toEqual([]);
});
