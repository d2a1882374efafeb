import { expect } from 'vitest';
import { createTopup } from '#contract/saldo.ts';
import { saldoSummary } from '#contract/saldo-summary.ts';
import { simulatedTransfer } from '#contract/simulator.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { ask, signIn, signUp } from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';

const journey = setUpSharedJourney();

journey('the operator refunds a payment, and releases a bonus', async (stage) => {
  const { address, operator } = stage.product;
  const who = await signUp(address, { name: 'Kopi Lembah', phone: '6281355519003' });
  const before = await ask(address, saldoSummary, {}, who.session);
  const session = await signIn(address, operator);
  const { open } = await stage.person({ session });
  const { faults, look } = inspectionHere();
  const tab = await open('/operator');

  await tab.getByRole('link', { name: 'Pelanggan', exact: true }).click();
  await tab
    .getByRole('row', { name: /Kopi Lembah/ })
    .getByRole('button')
    .click();
  await tab.getByText('Saldo bonus: hanya simulator dan nomor sendiri.').waitFor();
  await tab.getByRole('button', { name: 'Tindakan' }).click();
  await tab.getByRole('menuitem', { name: 'Izinkan saldo bonus' }).click();
  const customer = tab.getByRole('dialog', { name: 'Izinkan saldo bonus' });
  await look(tab, 'a bonus');
  await customer.getByLabel('Alasan').fill('Toko yang kami kenal');
  await customer.getByRole('button', { name: 'Izinkan untuk semua nomor' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Izinkan' }).click();
  await customer.waitFor({ state: 'detached' });
  expect((await ask(address, saldoSummary, {}, who.session)).bonus_only).toBe(false);

  const topup = await ask(address, createTopup, { amount: 150_000 }, who.session);
  await ask(address, simulatedTransfer, { amount: topup.total, sender: 'KOPI' }, who.session);
  await tab.goto(`${address}/operator/isi-saldo?status=semua`);
  await tab
    .getByRole('row', { name: /Kopi Lembah/ })
    .getByRole('button')
    .click();
  const drawer = tab.getByRole('dialog', { name: 'Kopi Lembah' });
  await drawer.getByLabel('Alasan').fill('Salah isi');
  await look(tab, 'a paid top-up');
  await drawer.getByRole('button', { name: 'Kembalikan pembayaran' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Kembalikan' }).click();
  await drawer.getByText('Menunggu transfer manual').waitFor();
  const after = await ask(address, saldoSummary, {}, who.session);
  expect(after.available).toBe(before.available);
  await tab.keyboard.press('Escape');

  await tab.getByRole('link', { name: 'Dana belum dikenali' }).click();
  await tab.getByText('Perlu ditransfer').waitFor();
  await look(tab, 'money on its way back');
  await tab
    .getByRole('row', { name: /Kopi Lembah/ })
    .getByRole('button')
    .click();
  const refund = tab.getByRole('dialog', { name: 'Kopi Lembah' });
  await refund.getByLabel('Referensi transfer dari bank').fill('BCA 22110917');
  await look(tab, 'a refund by hand');
  await refund.getByRole('button', { name: 'Sudah ditransfer' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Catat' }).click();
  await tab.getByText('Tidak ada pengembalian yang menunggu').waitFor();
  expect(faults).toEqual([]);
});
