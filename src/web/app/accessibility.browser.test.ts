import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { inspection, type Look } from '#tests/journeys/browser/axe.ts';
import type { Person } from '#tests/journeys/browser/browser.ts';
import { signIn, signUp } from '#tests/journeys/support/portal.ts';
import { fillLogin, fillRegistration, HOME } from '#tests/journeys/support/steps.ts';
import { shopAt } from '#tests/journeys/seeds/shop.ts';
import { test } from '#tests/support/gallery.ts';

const address = inject('product');

test('signing in is accessible', async ({ person }) => {
  const { open } = await person({ expects: [/status of 401/] });
  const { faults, look } = inspection();
  const tab = await open('/auth/login');
  const enter = tab.getByRole('button', { name: 'Masuk', exact: true });
  await enter.waitFor();
  await look(tab, 'login');
  await enter.click();
  await tab.getByText('Tulis nomor ponsel Anda.').waitFor();
  await look(tab, 'login with mistakes', { again: true });
  await fillLogin(tab, { phone: '081299300002', password: 'bukan kata sandinya' });
  await tab.getByText('Nomor atau kata sandi tidak cocok. Periksa lalu coba lagi.').waitFor();
  await look(tab, 'login refused', { again: true });

  await tab.goto(`${address}/auth/register`);
  await tab.getByLabel('Kata sandi', { exact: true }).fill('rahasia');
  await tab.getByRole('button', { name: 'Daftar', exact: true }).click();
  await tab.getByText('Tulis nomor ponsel Anda.').waitFor();
  await look(tab, 'register with mistakes');
  await tab.getByRole('button', { name: 'Baca syarat layanan' }).click();
  await tab.getByRole('dialog').waitFor();
  await look(tab, 'terms', { again: true });
  await tab.goto(`${address}/auth/verify-otp`);
  await tab.getByText('Tidak ada kode yang sedang ditunggu').waitFor();
  await look(tab, 'no code awaited');
  for (const step of ['otp', 'change']) {
    await tab.goto(`${address}/auth/forgot-password/${step}`);
    await tab.getByRole('link', { name: 'Minta kode' }).waitFor();
    await look(tab, `${step} without a code`, { again: true });
  }
  await tab.getByRole('link', { name: 'Minta kode' }).click();
  await tab.getByRole('button', { name: 'Kirim kode' }).click();
  await tab.getByText('Tulis nomor ponsel Anda.').waitFor();
  await look(tab, 'forgot with a mistake', { again: true });
  await tab.goto(`${address}/auth/register`);
  await fillRegistration(tab, { name: 'Toko Anggrek', phone: '081355502001' });
  await tab.getByText(/Buka simulator/).waitFor();
  await look(tab, 'code awaited', { again: true });
  expect(faults).toEqual([]);
});

test('the first steps are accessible', async ({ person }) => {
  const who = await signUp(address, { name: 'Toko Anggrek', phone: '6281355502002' });
  const { open } = await person({ session: who.session, expects: [/status of 404/] });
  const { faults, look } = inspection();
  const tab = await open('/profile');
  const screens = [
    ['/message-history', 'Data tidak ditemukan'],
    ['/message-history?view=percakapan', 'Belum ada percakapan'],
    ['/message-history?new=1', 'Anda belum memiliki token'],
    ['/token', 'Data tidak ditemukan'],
    ['/saldo', 'Isi saldo Anda akan tampil di sini.'],
    // It makes the first token.
    ['/', 'QR diperbarui otomatis dalam'],
    ['/tidak-ada', 'Halaman tidak ditemukan'],
    ['/operator', 'Halaman tidak ditemukan'],
    ['/simulator?phone=6281355502009', 'Belum ada pesan di ponsel ini.'],
    ['/simulator?bank=1', 'Transfer yang Anda kirim akan tampil di sini.'],
  ] as const;
  for (const [path, words] of screens) {
    await tab.goto(address + path);
    await tab.getByText(words).first().waitFor();
    await look(tab, `new account at ${path}`);
  }
  expect(faults).toEqual([]);
});

test('messages are accessible', async ({ person }) => {
  const { customer, sender, peer } = await shopAt(address);
  const ratna = await person({ session: customer.session });
  const { faults, look } = inspection();
  const tab = await ratna.open(HOME);
  await tab.getByRole('table').first().waitFor();
  await look(tab, 'Beranda');
  await tab.goto(`${address}/message-history`);
  const newest = tab.getByRole('row', { name: /seragam keluarga/ });
  await newest.waitFor();
  await look(tab, 'messages');
  await newest.getByRole('button').click();
  await tab.getByText('Diterima dari pengirim').waitFor();
  await look(tab, 'a reply with its details', { again: true });
  await tab.keyboard.press('Escape');
  await tab
    .getByRole('row', { name: /Resi: JX4401928810/ })
    .getByRole('button')
    .click();
  await tab.getByText('Diterima sistem').waitFor();
  await look(tab, 'message with its details', { again: true });
  await tab.keyboard.press('Escape');
  await tab.getByRole('button', { name: 'Semua tanggal' }).click();
  await tab.getByRole('button', { name: 'Rentang khusus' }).click();
  await tab.getByRole('grid').first().waitFor();
  await look(tab, 'messages with the calendar', { again: true });
  await tab.goto(`${address}/message-history?new=1`);
  await tab.getByRole('button', { name: 'Kirim', exact: true }).click();
  await tab.getByText('Tulis nomor tujuan.').waitFor();
  await look(tab, 'sending with mistakes', { again: true });
  await tab.goto(`${address}/message-history?view=percakapan`);
  await tab
    .getByText(/seragam keluarga/)
    .first()
    .waitFor();
  await look(tab, 'conversations');
  await tab.goto(`${address}/message-history?view=percakapan&open=${sender.id}&peer=${peer}`);
  await tab.getByRole('article').first().waitFor();
  await look(tab, 'a conversation');
  expect(faults).toEqual([]);
});

test('the sheets on phones are accessible', async ({ person }) => {
  const { customer } = await shopAt(address);
  const ratna = await person({ session: customer.session, width: 390 });
  const { faults, look } = inspection();
  const tab = await ratna.open('/message-history');
  await tab.getByRole('button', { name: 'Akun Batik Kenanga' }).click();
  await tab.getByRole('dialog').getByText('Keluar').waitFor();
  await look(tab, 'the account', { phone: true });
  await tab.setViewportSize({ width: 844, height: 390 });
  await tab.getByRole('dialog').waitFor({ state: 'detached' });
  await tab.setViewportSize({ width: 390, height: 844 });
  await tab.keyboard.press('Escape');
  await tab.getByRole('button', { name: 'Filter' }).click();
  await tab.getByRole('dialog', { name: 'Saring pesan' }).waitFor();
  await look(tab, 'the filters', { phone: true });
  expect(faults).toEqual([]);
});

test('waiting and failure states are accessible', async ({ person }) => {
  const { customer } = await shopAt(address);
  const failed = /status of 503/;
  const ratna = await person({ session: customer.session, expects: [failed] });
  const { faults, look } = inspection();
  const tab = await ratna.open(HOME);
  let released = Promise.withResolvers<void>();
  const acts =
    /act=(message_list|home_summary|saldo_\w+|topup_list|token_list|subscription_get|plan_list|invoice_list|billing_profile_get)/;
  await tab.route('**/api', async (route) => {
    const body = route.request().postData() ?? '';
    if (!acts.test(body)) {
      return route.continue();
    }
    await released.promise;
    return route.fulfill({ status: 503, json: { code: 0, msg: 'Sedang penuh.' } });
  });
  for (const path of [HOME, '/message-history', '/saldo', '/billing', '/token']) {
    const again = path !== '/billing';
    released = Promise.withResolvers<void>();
    await tab.goto(address + path);
    await tab.locator('[aria-busy=true]').first().waitFor();
    await look(tab, `waiting at ${path}`, { again });
    released.resolve();
    await tab.getByRole('button', { name: 'Coba lagi' }).first().waitFor();
    await look(tab, `failing at ${path}`, { again });
  }
  expect(faults).toEqual([]);
});

test('tokens and saldo are accessible', async ({ person }) => {
  const { customer, sender } = await shopAt(address);
  // A customer who has just signed in: a new token requires the password again.
  const { phone, password } = customer;
  const session = await signIn(address, { phone, password });
  const ratna = await person({ session });
  const { faults, look } = inspection();
  const tab = await ratna.open('/token');
  await tab.getByRole('row', { name: /Kasir Malioboro/ }).waitFor();
  await look(tab, 'tokens');
  await tokenDialogs(tab, look);
  await tab.goto(`${address}/token?open=${sender.id}`);
  await tab.getByText(/siap mengirim dan menerima/).waitFor();
  await look(tab, 'a linked token');
  await tab.getByText('Untuk pengembang').click();
  await tab.getByRole('heading', { name: 'Izin & batas akses' }).waitFor();
  await look(tab, 'the parts of a token for developers', { again: true });
  await tab.getByRole('button', { name: 'Hapus token' }).click();
  await tab.getByRole('alertdialog').waitFor();
  await look(tab, 'deleting a token', { again: true });

  await tab.goto(`${address}/saldo`);
  await tab.getByRole('row').nth(1).waitFor();
  await look(tab, 'saldo');
  await tab.getByRole('link', { name: /Menunggu pembayaran/ }).click();
  await tab.getByText('Transfer tepat sejumlah').waitFor();
  await look(tab, 'a top-up that waits');
  await tab.getByRole('button', { name: 'Batalkan' }).click();
  await tab.getByRole('alertdialog').waitFor();
  await look(tab, 'cancelling a top-up', { again: true });
  await tab.goto(`${address}/saldo?new=1`);
  await tab.getByRole('button', { name: 'Pilih cara bayar' }).click();
  await tab.getByText('Tulis nominalnya.').waitFor();
  await look(tab, 'topping up with mistakes', { again: true });
  expect(faults).toEqual([]);
});

async function tokenDialogs(tab: Page, look: Look): Promise<void> {
  await tab.getByRole('button', { name: 'Tambah token' }).first().click();
  await tab.getByRole('dialog').getByLabel('Nama').fill('Notifikasi Pesanan');
  await look(tab, 'adding a token', { again: true });
  await tab.getByRole('button', { name: 'Tambah', exact: true }).click();
  await tab.getByLabel('Kunci API').waitFor();
  await look(tab, 'a key', { again: true });
  await tab.getByRole('button', { name: 'Lanjut: sambungkan ponsel' }).click();
  await tab.getByRole('img', { name: /QR/ }).waitFor();
  await look(tab, 'a QR beside the token', { again: true });
  await tab.getByRole('button', { name: 'Buat tautan pindai' }).click();
  await tab.getByText('Buka di ponsel lain').click();
  await tab.getByRole('img', { name: /QR/ }).waitFor();
  await look(tab, 'a scan link', { again: true });
}

test('the scan page and the simulated phones are accessible', async ({ person }) => {
  const { waiting, peer } = await shopAt(address);
  const phoneOwner = await person({ expects: [/status of 410/, /status of 404/] });
  const { faults, look } = inspection();
  const tab = await phoneOwner.open(waiting.scan);
  await tab.getByRole('button', { name: /Saya mengerti/ }).waitFor();
  await look(tab, 'consent');
  await tab.getByRole('button', { name: /Saya mengerti/ }).click();
  await tab.getByRole('img', { name: /Kode QR/ }).waitFor();
  await look(tab, 'a QR', { again: true });
  await phones(phoneOwner, look, peer);
  await tab.getByRole('heading', { name: 'Tersambung' }).waitFor();
  await look(tab, 'connected', { again: true });
  await tab.goto(address + waiting.scan.slice(0, -4));
  await tab.getByRole('heading', { name: 'Tautan ini tidak berlaku lagi' }).waitFor();
  await look(tab, 'a link that is gone');
  expect(faults).toEqual([]);
});

async function phones({ open }: Person, look: Look, peer: string): Promise<void> {
  const thread = await open(`/simulator?phone=${peer}`);
  const newest = thread.getByText(/seragam keluarga/).first();
  await newest.waitFor();
  const back = thread.getByRole('button', { name: 'Kembali ke daftar percakapan' });
  // A phone with several conversations opens with their list.
  if (!(await back.isVisible())) await newest.click();
  await back.waitFor();
  await look(thread, 'a phone with its conversation');
  await back.click();
  await thread.getByRole('button', { name: 'Tulis pesan baru' }).click();
  await look(thread, 'a phone writing first', { again: true });
  await thread.close();

  const camera = await open('/simulator?phone=6281225550099');
  await camera.getByRole('button', { name: 'Pindai kode QR' }).click();
  await camera.getByRole('button', { name: 'Arahkan ke tab lain' }).waitFor();
  await look(camera, 'a camera');
  await camera.getByRole('button', { name: 'Arahkan ke tab lain' }).click();
  await camera.getByText('Tersambung ke token Cabang Kotagede.').waitFor();
  await look(camera, 'a camera that has read', { again: true });
  await camera.close();
}
