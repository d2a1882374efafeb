import { expect } from 'vitest';
import { inspection } from './browser/axe.ts';
import { signIn, signUp } from './support/portal.ts';
import { shopAt } from './seeds/shop.ts';
import { setUpJourney } from './support/stage.ts';
import { fillRegistration } from './support/steps.ts';

const journey = setUpJourney({ SIMULATOR_SPEED: '0' });

journey('everybody can sign in', async ({ product, person }) => {
  const { open } = await person({ still: true });
  const { faults, look } = inspection();
  const tab = await open('/auth/login');
  const enter = tab.getByRole('button', { name: 'Masuk', exact: true });
  await enter.waitFor();
  await look(tab, 'login');
  await enter.click();
  await tab.getByText('Tulis nomor ponsel Anda.').waitFor();
  await look(tab, 'login with mistakes');

  await tab.goto(`${product.address}/auth/register`);
  await tab.getByLabel('Kata sandi', { exact: true }).fill('rahasia');
  await tab.getByRole('button', { name: 'Daftar', exact: true }).click();
  await tab.getByText('Tulis nomor ponsel Anda.').waitFor();
  await look(tab, 'register with mistakes');
  await tab.getByRole('button', { name: 'Baca syarat layanan' }).click();
  await tab.getByRole('dialog').waitFor();
  await look(tab, 'terms');
  await tab.goto(`${product.address}/auth/verify-otp`);
  await tab.getByText('Tidak ada kode yang sedang ditunggu').waitFor();
  await look(tab, 'no code awaited');
  await tab.goto(`${product.address}/auth/register`);
  await fillRegistration(tab, { name: 'Toko Anggrek', phone: '081355502001' });
  await tab.getByText(/Buka simulator/).waitFor();
  await look(tab, 'code awaited');
  expect(faults).toEqual([]);
});

journey('everybody can begin', async ({ product, person }) => {
  const who = await signUp(product.address, { name: 'Toko Anggrek', phone: '6281355502002' });
  const { open } = await person({ still: true, session: who.session, expects: [/status of 404/] });
  const { faults, look } = inspection();
  const tab = await open('/');
  const screens = [
    ['/', 'Langkah pertama'],
    ['/message-history', 'Data tidak ditemukan'],
    ['/message-history?view=percakapan', 'Belum ada percakapan'],
    ['/message-history?new=1', 'Anda belum memiliki token'],
    ['/token', 'Data tidak ditemukan'],
    ['/saldo', 'Isi saldo Anda akan tampil di sini.'],
    ['/docs', 'Numbers with fixed outcomes'],
    ['/tidak-ada', 'Halaman tidak ditemukan'],
    ['/operator', 'Halaman tidak ditemukan'],
    ['/simulator', 'Belum ada pesan di ponsel ini.'],
    ['/simulator?bank=1', 'Transfer yang Anda kirim akan tampil di sini.'],
  ] as const;
  for (const [path, words] of screens) {
    await tab.goto(product.address + path);
    await tab.getByText(words).first().waitFor();
    await look(tab, `new account at ${path}`);
  }
  expect(faults).toEqual([]);
});

journey('the operator can do their work', async ({ product, person }) => {
  await shopAt(product.address);
  const session = await signIn(product.address, product.operator);
  const { open } = await person({ still: true, session });
  const { faults, look } = inspection();
  const tab = await open('/operator/isi-saldo?status=pending');
  const row = tab.getByRole('row', { name: /Batik Kenanga/ });
  await row.waitFor();
  await look(tab, 'operator');
  await row.getByRole('button').click();
  const drawer = tab.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Konfirmasi' }).click();
  await drawer.getByText('Tulis alasannya.').waitFor();
  await look(tab, 'a top-up to decide, with mistakes');
  expect(faults).toEqual([]);
});

journey('everybody can use the messages', async ({ product, person }) => {
  const { customer, sender, peer } = await shopAt(product.address);
  const ratna = await person({ still: true, session: customer.session });
  const { faults, look } = inspection();
  const tab = await ratna.open('/');
  await tab.getByRole('table').first().waitFor();
  await look(tab, 'Beranda');
  await tab.goto(`${product.address}/message-history`);
  const newest = tab.getByRole('row', { name: /seragam keluarga/ });
  await newest.waitFor();
  await look(tab, 'messages');
  await newest.getByRole('button').click();
  await tab.getByText('Diterima dari pengirim').waitFor();
  await look(tab, 'a reply with its details');
  await tab.keyboard.press('Escape');
  await tab
    .getByRole('row', { name: /Resi: JX4401928810/ })
    .getByRole('button')
    .click();
  await tab.getByText('Diterima sistem').waitFor();
  await look(tab, 'message with its details');
  await tab.keyboard.press('Escape');
  await tab.getByRole('button', { name: 'Semua tanggal' }).click();
  await tab.getByRole('button', { name: 'Rentang khusus' }).click();
  await tab.getByRole('grid').first().waitFor();
  await look(tab, 'messages with the calendar');
  await tab.goto(`${product.address}/message-history?new=1`);
  await tab.getByRole('button', { name: 'Kirim', exact: true }).click();
  await tab.getByText('Tulis nomor tujuan.').waitFor();
  await look(tab, 'sending with mistakes');
  await tab.goto(`${product.address}/message-history?view=percakapan`);
  await tab
    .getByText(/seragam keluarga/)
    .first()
    .waitFor();
  await look(tab, 'conversations');
  await tab.goto(
    `${product.address}/message-history?view=percakapan&open=${sender.id}&peer=${peer}`,
  );
  await tab.getByRole('article').first().waitFor();
  await look(tab, 'a conversation');
  expect(faults).toEqual([]);
});

journey('everybody can use the sheets of a phone', async ({ product, person }) => {
  const { customer } = await shopAt(product.address);
  const ratna = await person({ still: true, session: customer.session, width: 390 });
  const { faults, look } = inspection();
  const tab = await ratna.open('/message-history');
  await tab.getByRole('button', { name: 'Akun Batik Kenanga' }).click();
  await tab.getByRole('dialog').getByText('Keluar').waitFor();
  await look(tab, 'the account', { phone: true });
  // Turned on its side it is a wide screen, where the sheet has no place.
  await tab.setViewportSize({ width: 844, height: 390 });
  await tab.getByRole('dialog').waitFor({ state: 'detached' });
  await tab.setViewportSize({ width: 390, height: 844 });
  await tab.keyboard.press('Escape');
  await tab.getByRole('button', { name: 'Filter' }).click();
  await tab.getByRole('dialog', { name: 'Saring pesan' }).waitFor();
  await look(tab, 'the filters', { phone: true });
  expect(faults).toEqual([]);
});
