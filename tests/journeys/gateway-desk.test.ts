import { expect } from 'vitest';
import { listFlagged } from '#contract/operator/payments.ts';
import { createTopup, getTopup } from '#contract/saldo.ts';
import { simulatedPayment } from '#contract/simulator.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { ask, askRows, signIn, signUp } from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';

const journey = setUpJourney({ SIMULATOR_SPEED: '0' });

journey(
  'the operator reviews payments and refunds of a gateway, and resolves them',
  async (stage) => {
    const { address, operator } = stage.product;
    const who = await signUp(address, { name: 'Kopi Senja', phone: '6281355504005' });
    const order = { amount: 150_000, method: 'qris' } as const;
    const waiting = await ask(address, createTopup, order, who.session);
    const paid = await ask(address, createTopup, { ...order, amount: 200_000 }, who.session);
    const happens = (outcome: 'pay' | 'refund_part') =>
      ask(address, simulatedPayment, { topup_id: paid.id, outcome }, who.session);
    await happens('pay');
    await waitFor(async () => {
      const { status } = await ask(address, getTopup, { topup_id: paid.id }, who.session);
      expect(status).toBe('paid');
    });

    const desk = await signIn(address, operator);
    const { open } = await stage.person({ session: desk, expects: [/status of 409/] });
    const { faults, look } = inspectionHere();
    const tab = await open('/operator');
    await tab.getByText('Tidak ada yang menunggu', { exact: true }).waitFor();

    // The filter finds top-ups that wait at a gateway, and no bank reference is requested.
    await tab.getByRole('link', { name: 'Isi saldo' }).first().click();
    await tab.getByText('Tidak ada isi saldo yang menunggu tindakan').waitFor();
    await tab.getByLabel('Status', { exact: true }).selectOption({ label: 'Menunggu di gerbang' });
    await tab
      .getByRole('row', { name: /Kopi Senja/ })
      .getByRole('button')
      .click();
    const drawer = tab.getByRole('dialog', { name: 'Kopi Senja' });
    await drawer.getByText('Midtrans', { exact: true }).waitFor();
    await drawer.getByText(waiting.id).waitFor();
    expect(await drawer.getByText('Referensi mutasi bank').count()).toBe(0);
    await look(tab, 'an order that waits at its gateway');
    await drawer.getByRole('button', { name: 'Tanya gerbang lagi' }).click();
    await tab.getByText('Gerbang sudah ditanya: menunggu pembayaran.').waitFor();
    await tab.keyboard.press('Escape');

    await happens('refund_part');
    await waitFor(async () => (await askRows(address, listFlagged, {}, desk)).length === 1);
    await tab.getByRole('link', { name: 'Dana belum dikenali' }).click();
    await tab.getByText('Sebagian ditarik', { exact: true }).waitFor();
    await look(tab, 'money that a gateway gave back');
    await tab
      .getByRole('row', { name: /Sebagian ditarik/ })
      .getByRole('button')
      .click();
    const flag = tab.getByRole('dialog', { name: 'Kopi Senja' });
    await flag.getByText('Tersisa').waitFor();
    expect(new URL(tab.url()).searchParams.get('flag')).toBe(paid.id);
    await tab.reload();
    await flag.getByText('Tersisa').waitFor();
    await look(tab, 'a part that went back');
    await flag.getByRole('button', { name: 'Tandai selesai' }).click();
    await flag.getByText('Tulis alasannya.').waitFor();
    await flag.getByLabel('Alasan').fill('Saldo sudah disesuaikan');
    await flag.getByRole('button', { name: 'Tandai selesai' }).click();
    await tab.getByRole('alertdialog').getByRole('button', { name: 'Tandai selesai' }).click();
    await tab.getByText('Penarikan ditandai selesai.', { exact: true }).waitFor();
    await tab.getByText('Tidak ada yang ditarik').waitFor();

    await tab.goto(`${address}/operator/isi-saldo?status=paid&open=${paid.id}`);
    await drawer.getByText(/Saldo sudah disesuaikan/).waitFor();
    await look(tab, 'a payment whose part went back');
    await drawer.getByLabel('Alasan').fill('Diminta pelanggan');
    await drawer.getByRole('button', { name: 'Kembalikan pembayaran' }).click();
    await tab.getByRole('alertdialog').getByRole('button', { name: 'Kembalikan' }).click();
    await tab
      .getByText(/Pembayaran ini tinggal Rp.100\.000/)
      .first()
      .waitFor();
    expect(faults).toEqual([]);
  },
);
