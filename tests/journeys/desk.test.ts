import { expect } from 'vitest';
import { createTopup } from '#contract/saldo.ts';
import { saldoSummary } from '#contract/saldo-summary.ts';
import { simulatedTransfer } from '#contract/simulator.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { ask, signUp } from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';
import { arrivesAt, fillLogin } from './support/steps.ts';

const journey = setUpJourney({ SIMULATOR_SPEED: '0' });

journey('the operator handles money manually, and every page is accessible', async (stage) => {
  const { address, operator } = stage.product;
  const who = await signUp(address, { name: 'Kopi Senja', phone: '6281355504001' });
  const topup = await ask(address, createTopup, { amount: 150_000 }, who.session);
  const transfer = { amount: topup.total, sender: 'KOPI SENJA' };
  await ask(address, simulatedTransfer, transfer, who.session);
  await ask(address, simulatedTransfer, transfer, who.session);
  const before = await ask(address, saldoSummary, {}, who.session);

  const { open } = await stage.person({ expects: [/status of 409/] });
  const { faults, look } = inspectionHere();
  const tab = await open('/auth/login');
  await fillLogin(tab, operator);
  await arrivesAt(tab, '/operator');
  await tab.getByText('Saldo semua pelanggan').waitFor();
  await look(tab, 'the overview');

  await tab.getByRole('link', { name: 'Pelanggan', exact: true }).click();
  await tab.getByLabel('Cari pelanggan').fill('senja');
  await tab.keyboard.press('Enter');
  await tab
    .getByRole('row', { name: /Kopi Senja/ })
    .first()
    .getByRole('button')
    .click();
  await tab.getByText('Mutasi terakhir').waitFor();
  await look(tab, 'a customer');
  const begin = async (name: string) => {
    await tab.getByRole('button', { name: 'Tindakan' }).click();
    await tab.getByRole('menuitem', { name, exact: true }).click();
    return tab.getByRole('dialog', { name });
  };
  let drawer = await begin('Sesuaikan saldo');
  await drawer.getByRole('button', { name: 'Lanjut' }).click();
  await drawer.getByText('Tulis alasannya.').waitFor();
  await look(tab, 'an adjustment with mistakes');
  await drawer.getByLabel('Nominal').fill('25000');
  await drawer.getByLabel('Alasan').fill('Kompensasi gangguan kemarin');
  await drawer.getByRole('button', { name: 'Lanjut' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Tambah' }).click();
  await tab.getByText('Sudah dibukukan.', { exact: true }).waitFor();
  await tab.getByText(/Penyesuaian saldo oleh Kabari/).waitFor();
  const after = await ask(address, saldoSummary, {}, who.session);
  expect(after.available).toBe(before.available + 25_000);

  drawer = await begin('Sesuaikan saldo');
  await drawer.getByLabel('Nominal').fill('6000000');
  await drawer.getByLabel('Alasan').fill('Salah catat bulan lalu');
  await drawer.getByRole('button', { name: 'Lanjut' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Tambah' }).click();
  await tab.getByText(/Operator lain harus menyetujuinya/).waitFor();
  for (const name of ['Kembalikan biaya pesan', 'Cairkan saldo', 'Tangguhkan akun']) {
    await begin(name);
    await look(tab, name);
    await tab.keyboard.press('Escape');
  }
  drawer = await begin('Bekukan saldo');
  await drawer.getByLabel('Alasan').fill('Diminta pemilik');
  await drawer.getByRole('button', { name: 'Bekukan saldo' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Bekukan' }).click();
  await tab.getByText('Saldo dibekukan.', { exact: true }).waitFor();
  expect((await ask(address, saldoSummary, {}, who.session)).status).toBe('frozen');
  await tab.getByRole('link', { name: 'Penyesuaian', exact: true }).click();
  await tab.getByRole('heading', { name: 'Penyesuaian', level: 1 }).waitFor();
  await look(tab, 'proposals');
  await tab
    .getByRole('row', { name: /Menunggu operator kedua/ })
    .getByRole('button')
    .click();
  await tab.getByText(/operator lain yang memutuskannya/).waitFor();
  await look(tab, 'a proposal of one’s own');
  await tab.keyboard.press('Escape');

  await tab.getByRole('link', { name: 'Dana belum dikenali' }).click();
  await tab.getByRole('heading', { name: 'Dana belum dikenali', level: 1 }).waitFor();
  await tab.getByRole('row', { name: /Kopi Senja/ }).waitFor();
  await look(tab, 'suspense');
  await tab
    .getByRole('row', { name: /Kopi Senja/ })
    .getByRole('button')
    .click();
  const item = tab.getByRole('dialog', { name: 'Kopi Senja' });
  await item.getByRole('tab', { name: 'Kembalikan' }).click();
  await look(tab, 'a payment in suspense');
  await item.getByRole('tab', { name: 'Masukkan ke saldo' }).click();
  await item.getByLabel('Alasan').fill('Transfer dua kali');
  await item.getByRole('button', { name: 'Masukkan ke saldo' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Masukkan' }).click();
  await tab.getByText('Sudah dibukukan.', { exact: true }).waitFor();
  await tab.getByText(/Tidak ada dana yang menunggu/).waitFor();

  await tab.getByRole('link', { name: 'Pembukuan', exact: true }).click();
  await tab.getByRole('button', { name: 'Periksa sekarang' }).click();
  await tab.getByText(/Semua \d+ aturan cocok/).waitFor();
  await tab.getByRole('button', { name: 'Cocokkan sekarang' }).click();
  await tab.getByText('Rekonsiliasi selesai.', { exact: true }).waitFor();
  await tab.getByRole('button', { name: 'Periksa segel terakhir' }).click();
  await tab
    .getByText(/Belum ada hari yang disegel/)
    .first()
    .waitFor();
  await look(tab, 'the books');

  await tab.getByRole('link', { name: 'Harga & paket' }).click();
  await tab.getByRole('button', { name: 'Ubah harga pesan' }).click();
  const prices = tab.getByRole('dialog', { name: 'Ubah harga pesan' });
  await prices.getByLabel('Harga baru per pesan').fill('175');
  await prices.getByLabel('Alasan').fill('Tarif baru');
  await look(tab, 'a new price');
  await prices.getByRole('button', { name: 'Simpan' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Ubah harga' }).click();
  await tab.getByText('Harga disimpan.', { exact: true }).waitFor();
  await tab.getByText('Rp 175 per pesan').waitFor();
  await look(tab, 'prices');
  await tab.getByRole('button', { name: 'Tambah paket' }).click();
  await look(tab, 'a new plan');
  expect(faults).toEqual([]);
});
