import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import {
  answerFrom,
  codeFor,
  deliverText,
  forNewBrowser,
  newSender,
  PASSWORD,
  signIn,
  signUp,
  topUp,
} from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';
import { arrivesAt, isFocused, press, write } from './support/steps.ts';

const journey = setUpSharedJourney();

journey('registering and signing in work with the keyboard only', async ({ product, person }) => {
  const who = await signUp(product.address, { name: 'Bengkel Jaya', phone: '6281355501001' });
  const { open } = await person();
  const tab = await open('/auth/register');
  await press(tab, tab.getByRole('button', { name: 'Daftar', exact: true }));
  const name = tab.getByLabel('Nama Anda atau nama usaha');
  await waitFor(async () => expect(await isFocused(tab, name)).toBe(true));
  expect(await name.getAttribute('aria-invalid')).toBe('true');
  await write(tab, name, 'Warung Bu Tini');
  await write(tab, tab.getByLabel('Nomor ponsel'), '081355501002');
  await write(tab, tab.getByLabel('Kata sandi', { exact: true }), PASSWORD);
  await press(tab, tab.getByLabel('Saya menyetujui syarat layanan'), 'Space');
  await press(tab, tab.getByRole('button', { name: 'Daftar', exact: true }));
  await arrivesAt(tab, '/auth/verify-otp');
  await waitFor(async () =>
    expect(await isFocused(tab, tab.getByLabel('Kode verifikasi'))).toBe(true),
  );

  await tab.goto(`${product.address}/auth/login`);
  await write(tab, tab.getByLabel('Nomor ponsel'), '081355501001');
  await write(tab, tab.getByLabel('Kata sandi', { exact: true }), who.password);
  await tab.keyboard.press('Enter');
  await arrivesAt(tab, '/auth/verify-otp');
  await waitFor(async () =>
    expect(await isFocused(tab, tab.getByLabel('Kode verifikasi'))).toBe(true),
  );
  await tab.keyboard.type(await codeFor(product.address, who.phone, forNewBrowser));
  await arrivesAt(tab, '/');
  await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
});

journey('a token is created with the keyboard only', async ({ product, person }) => {
  const who = await signUp(product.address, { name: 'Toko Roti Manis', phone: '6281355501003' });
  const { open } = await person({ session: who.session });
  const tab = await open('/token');
  const add = tab.getByRole('button', { name: 'Tambah token' }).first();
  await add.waitFor();
  await tab.keyboard.press('Tab');
  await waitFor(async () =>
    expect(await isFocused(tab, tab.getByRole('link', { name: 'Lewati ke isi halaman' }))).toBe(
      true,
    ),
  );
  await tab.keyboard.press('Enter');
  await press(tab, add);
  const dialog = tab.getByRole('dialog');
  await write(tab, dialog.getByLabel('Nama'), 'Kasir');
  await tab.keyboard.press('Enter');
  await dialog.getByLabel('Kunci API').waitFor();
  await press(tab, dialog.getByRole('button', { name: 'Sudah saya simpan' }));
  await dialog.waitFor({ state: 'detached' });
  await tab.getByRole('row', { name: /Kasir/ }).waitFor();
});

journey('a reply is sent with the keyboard only', async ({ product, person }) => {
  const { address } = product;
  const phone = '6281355501004';
  const who = await signUp(address, { name: 'Apotek Waras', phone });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone });
  await deliverText(address, sender, { to: '6281299990001', text: 'Obat Ibu sudah siap diambil.' });
  await answerFrom(address, '6281299990001', { sender, text: 'Baik, saya ke sana sore ini' });

  const { open } = await person({ session: who.session });
  const tab = await open('/message-history?view=percakapan');
  await press(tab, tab.getByRole('link', { name: /saya ke sana sore ini/ }));
  const box = tab.getByLabel(/^Tulis pesan untuk/);
  await write(tab, box, 'Baik, Bu. Kami tutup pukul 21.00.');
  await tab.keyboard.press('Enter');
  const bubble = tab.getByRole('article').filter({ hasText: 'Kami tutup pukul 21.00' });
  await waitFor(async () => expect(await bubble.innerText()).toMatch(/Terkirim|Sampai|Dibaca/));
  expect(await isFocused(tab, box)).toBe(true);
});

journey('an operator reads a list with the keyboard only', async ({ product, person }) => {
  const { address, operator } = product;
  await signUp(address, { name: 'Salon Ayu', phone: '6281355501005' });
  const { open } = await person({ session: await signIn(address, operator) });
  const tab = await open('/operator/audit');
  const rows = tab.getByRole('row').getByRole('button', { name: /^M/ });
  await rows.nth(1).waitFor();
  await press(tab, rows.nth(0), 'j');
  expect(await isFocused(tab, rows.nth(1))).toBe(true);
  await tab.keyboard.press('Enter');
  const details = tab.getByRole('dialog');
  await details.getByText('Alamat IP').waitFor();
  await tab.keyboard.press('Escape');
  await details.waitFor({ state: 'detached' });
  await waitFor(async () => expect(await isFocused(tab, rows.nth(1))).toBe(true));
  await tab.keyboard.press('k');
  expect(await isFocused(tab, rows.nth(0))).toBe(true);
});
