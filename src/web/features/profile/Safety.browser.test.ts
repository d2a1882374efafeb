import { buffer } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { checkToken } from '#contract/accounts.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { faultsHere } from '#tests/support/one-look.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import {
  ask,
  codeFor,
  deliverText,
  newSender,
  PASSWORD,
  signIn,
  signUp,
  topUp,
  type Customer,
} from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';
import { arrivesAt, fillLogin } from '#tests/journeys/support/steps.ts';

const address = inject('product');

const part = (tab: Page, name: string): Locator => tab.getByRole('region', { name, exact: true });

const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

const again = (address: string, { phone, password }: Customer): Promise<string> =>
  signIn(address, { phone, password });

test('a number is changed with a code from each phone', async ({ person }) => {
  const who = await signUp(address, { name: 'Warung Sederhana', phone: '6281355504002' });
  const other = await person({ session: await again(address, who), expects: [/status of 401/] });
  const elsewhere = await other.open('/saldo');
  await elsewhere.getByRole('heading', { name: 'Saldo' }).first().waitFor();
  const fresh = '6281355504003';
  const { open } = await person({ session: who.session, expects: [/status of 422/] });
  const tab = await open('/profile#ponsel');
  const mine = part(tab, 'Nomor ponsel');
  const dialog = tab.getByRole('dialog', { name: 'Ganti nomor ponsel' });
  await mine.getByRole('button', { name: 'Ganti nomor' }).click();
  await dialog.getByLabel('Nomor ponsel baru').fill('0813-5550-4002');
  await dialog.getByRole('button', { name: 'Kirim kode' }).click();
  await dialog.getByText('Ini nomor Anda yang sekarang').waitFor();
  await dialog.getByLabel('Nomor ponsel baru').fill('0813-5550-4003');
  await dialog.getByRole('button', { name: 'Kirim kode' }).click();
  await dialog.getByLabel('Kode dari nomor lama').waitFor();

  // Neither closing it nor a reload loses the state.
  await tab.keyboard.press('Escape');
  await tab.reload();
  await mine.getByText('Penggantian ke +62 813-5550-4003 menunggu kode.').waitFor();
  await mine.getByRole('button', { name: 'Lanjutkan penggantian' }).click();
  const codes = {
    old: await codeFor(address, who.phone, ' untuk mengganti nomor'),
    fresh: await codeFor(address, fresh, ' untuk memakai nomor ini'),
  };
  await dialog.getByLabel('Kode dari nomor lama').fill(codes.old);
  await dialog.getByLabel('Kode dari nomor baru').fill(otherThan(codes.fresh));
  await dialog.getByRole('button', { name: 'Ganti nomor' }).click();
  await dialog.getByText('Salah satu kode tidak cocok. Sisa 4 percobaan.').waitFor();
  expect((await ask(address, checkToken, {}, who.session)).phone).toBe(who.phone);
  await dialog.getByLabel('Kode dari nomor baru').fill(codes.fresh);
  await dialog.getByRole('button', { name: 'Ganti nomor' }).click();
  await dialog.waitFor({ state: 'detached' });
  await mine.getByText('+62 813-5550-4003').waitFor();

  await arrivesAt(elsewhere, '/auth/login');
  await fillLogin(elsewhere, { phone: fresh, password: PASSWORD });
  await arrivesAt(elsewhere, '/saldo');
});

test('a new password ends the other sessions', async ({ person }) => {
  const who = await signUp(address, { name: 'Bengkel Jaya', phone: '6281355504004' });
  const thief = await person({ session: await again(address, who), expects: [/status of 401/] });
  const elsewhere = await thief.open('/token');
  await elsewhere.getByRole('heading', { name: 'Nomor', exact: true }).waitFor();
  const { open } = await person({ session: who.session, expects: [/status of 422/] });
  const tab = await open('/profile#kata-sandi');
  const mine = part(tab, 'Kata sandi');
  const [current, fresh] = ['Kata sandi sekarang', 'Kata sandi baru'].map((name) =>
    mine.getByLabel(name),
  ) as [Locator, Locator];
  const change = mine.getByRole('button', { name: 'Ganti kata sandi' });
  await current.fill('bukan ini kata sandinya');
  await fresh.fill('payung hijau di beranda');
  await mine.getByText(/kuat$/i).waitFor();
  await change.click();
  await mine.getByText('Kata sandi tidak cocok').waitFor();
  // The input stays; the focus is on the field with the error.
  expect(await fresh.inputValue()).toBe('payung hijau di beranda');
  await waitFor(async () =>
    expect(await current.evaluate((input) => input === document.activeElement)).toBe(true),
  );
  await current.fill(PASSWORD);
  await fresh.fill('password123');
  await change.click();
  await mine.getByText('terlalu mudah ditebak').waitFor();
  await fresh.fill('payung hijau di beranda');
  await change.click();
  await mine.getByText('Kata sandi diganti, dan 1 sesi lain diakhiri.').waitFor();
  expect(await current.inputValue()).toBe('');
  await elsewhere.getByText('Sesi Anda sudah berakhir. Silakan masuk kembali.').waitFor();
  await arrivesAt(elsewhere, '/auth/login');
  await expect(signIn(address, who)).rejects.toThrow();
  await signIn(address, { phone: who.phone, password: 'payung hijau di beranda' });
});

test('a session ended elsewhere is signed out within seconds', async ({ person }) => {
  const who = await signUp(address, { name: 'Kedai Kopi Tuku', phone: '6281355504005' });
  const expects = [/status of 401/];
  const others = [
    await person({ session: await again(address, who), expects }),
    await person({ session: await again(address, who), expects }),
    await person({ session: await again(address, who), expects }),
  ];
  const tabs: Page[] = [];
  for (const { open } of others) {
    const tab = await open('/token');
    await tab.getByRole('heading', { name: 'Nomor', exact: true }).waitFor();
    tabs.push(tab);
  }
  const { open } = await person({ session: who.session });
  const tab = await open('/profile#sesi');
  const list = tab.getByRole('list', { name: 'Sesi Anda' });
  const rows = list.getByRole('listitem');
  await waitFor(async () => expect(await rows.count()).toBe(4));
  expect(await rows.first().innerText()).toContain('Sesi ini');
  expect(await rows.first().getByRole('button').count()).toBe(0);
  await rows
    .nth(1)
    .getByRole('button', { name: /^Akhiri sesi/ })
    .click();
  await waitFor(async () => expect(await rows.count()).toBe(3));
  const out = () => tabs.filter((one) => new URL(one.url()).pathname === '/auth/login').length;
  await waitFor(() => expect(out()).toBe(1));

  await part(tab, 'Sesi').getByRole('button', { name: 'Akhiri semua sesi lain' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Akhiri semua' }).click();
  await waitFor(async () => expect(await rows.count()).toBe(1));
  await waitFor(() => expect(out()).toBe(3));
});

async function unzip(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await fromBufferPromise(bytes);
  const found = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    const text = await buffer(await zip.openReadStreamPromise(entry));
    found.set(entry.fileName, text.toString());
  }
  return found;
}

test('a person exports everything the account holds', async ({ person }) => {
  const who = await signUp(address, { name: 'Klinik Sehat', phone: '6281355504006' });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Loket', phone: who.phone });
  const text = 'Hasil laboratorium Bapak sudah dapat diambil, ya.';
  await deliverText(address, sender, { to: '6281299990021', text });
  const { open } = await person({ session: who.session });
  const tab = await open('/profile#data');
  const mine = part(tab, 'Data saya');
  await mine.getByRole('button', { name: 'Buat arsip data saya' }).click();
  const link = mine.getByRole('link', { name: 'Unduh arsip' });
  await link.waitFor();
  await mine.getByText(/dapat diunduh sampai/).waitFor();
  const [download] = await Promise.all([tab.waitForEvent('download'), link.click()]);
  expect(download.suggestedFilename()).toMatch(/^data-kabari-\d{4}-\d\d-\d\d\.zip$/);
  const files = await unzip(await buffer(await download.createReadStream()));
  const names = [...files.keys()];
  expect(names.some((name) => name.endsWith('.json'))).toBe(true);
  expect(names.some((name) => name.endsWith('.csv'))).toBe(true);
  const all = [...files.values()].join('\n');
  expect(all).toContain(text);
  expect(all).toContain('Klinik Sehat');
  expect(all).not.toContain(sender.key);

  await fakeActs(tab, { user_export_get: () => ({ export: null, left_today: 0 }) });
  await tab.reload();
  await mine.getByText(/^Hari ini sudah 3 arsip dibuat/).waitFor();
  expect(await mine.getByRole('button', { name: 'Buat arsip data saya' }).isDisabled()).toBe(true);
});

test('the deletion of an account is requested, and cancelled', async ({ person }) => {
  const who = await signUp(address, { name: 'Salon Melati', phone: '6281355504007' });
  await topUp(address, who, 50_000);
  const { open } = await person({ session: who.session, expects: [/status of 422/] });
  const tab = await open('/profile#hapus-akun');
  await part(tab, 'Hapus akun').getByRole('button', { name: 'Hapus akun saya' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Hapus akun' });
  await dialog.getByText(/Masih ada saldo Rp\s?\d/).waitFor();
  await dialog.getByRole('button', { name: 'Kirim kode ke ponsel saya' }).click();
  await dialog
    .getByLabel('Kode verifikasi')
    .fill(await codeFor(address, who.phone, ' untuk MENGHAPUS'));
  await dialog.getByLabel('Kata sandi', { exact: true }).fill('bukan ini kata sandinya');
  await dialog.getByRole('button', { name: 'Hapus akun saya' }).click();
  await dialog.getByText('Kata sandi tidak cocok').waitFor();
  expect(await faultsHere(tab, 'the end of an account, proved wrongly')).toEqual([]);
  await dialog.getByLabel('Kata sandi', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Hapus akun saya' }).click();
  await dialog.waitFor({ state: 'detached' });

  const notice = part(tab, 'Akun akan dihapus');
  await notice.getByText(/dihapus pada/).waitFor();
  const { erased_at: at } = await ask(address, checkToken, {}, who.session);
  const days = (Date.parse(at ?? '') - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThanOrEqual(7);
  expect(await faultsHere(tab, 'an account that waits for its end')).toEqual([]);
  await tab.goto('/saldo');
  await notice.getByRole('button', { name: 'Batalkan penghapusan' }).click();
  await notice.waitFor({ state: 'detached' });
  expect((await ask(address, checkToken, {}, who.session)).erased_at).toBeNull();
});
