import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { getSubscription } from '#contract/billing.ts';
import { saldoSummary } from '#contract/saldo-summary.ts';
import { simulatedClock } from '#contract/simulator.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import {
  ask,
  type Customer,
  newSender,
  sendTexts,
  signIn,
  signUp,
  topUp,
} from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';
import { HOME, press, rupiahIn } from './support/steps.ts';

const journey = setUpJourney({ SIMULATOR_SPEED: '0', CLOCK: 'movable' }, 'light', {
  freePlan: 'as it comes',
});

const amountOf = async (tab: Page, term: string | RegExp): Promise<number> =>
  rupiahIn(
    await tab
      .getByRole('dialog')
      .locator('dl > div')
      .filter({ hasText: term })
      .locator('dd')
      .textContent(),
  );

const availableOf = async (address: string, { session }: Customer): Promise<number> =>
  (await ask(address, saldoSummary, {}, session)).available;

async function choose(tab: Page, name: string): Promise<number> {
  await press(tab, tab.getByRole('link', { name: `Naik ke ${name}` }));
  const dialog = tab.getByRole('dialog', { name: `Naik ke paket ${name}` });
  await dialog.getByText('Dibayar sekarang dari saldo').waitFor();
  const paid = await amountOf(tab, 'Dibayar sekarang dari saldo');
  const [before, after] = [
    await amountOf(tab, 'Saldo sekarang'),
    await amountOf(tab, 'Saldo sesudahnya'),
  ];
  expect(before - after).toBe(paid);
  await press(tab, dialog.getByRole('button', { name: /^Setujui dan bayar/ }));
  await tab.getByText(new RegExp(`^Paket ${name} aktif\\.`)).waitFor();
  return paid;
}

journey(
  'the exact amount of a preview is charged, with an invoice and its document',
  async ({ product: { address }, person }) => {
    const shop = await signUp(address, { name: 'Toko Kue Melati', phone: '6281355512001' });
    await topUp(address, shop, 500_000);
    const { open, context } = await person({ session: shop.session });
    const tab = await open('/billing');
    await tab.getByText('Tanpa biaya bulanan', { exact: true }).waitFor();

    const before = await availableOf(address, shop);
    const first = await choose(tab, 'Usaha');
    expect(before - (await availableOf(address, shop))).toBe(first);
    // The next plan is prorated; on the first day that refunds the price of the previous one.
    const between = await availableOf(address, shop);
    const second = await choose(tab, 'Bisnis');
    expect(between - (await availableOf(address, shop))).toBe(second);
    expect(second).toBeLessThan(299_000);

    const invoice = tab.getByRole('row', { name: /Paket Usaha/ }).first();
    await invoice.getByText('Lunas').waitFor();
    await invoice.getByRole('button').click();
    const drawer = tab.getByRole('dialog', { name: /^Tagihan INV\// });
    await drawer.getByText(/^Terbilang:/).waitFor();
    const answered = tab.waitForResponse((answer) =>
      /(?:^|&)act=invoice_pdf(?:&|$)/.test(answer.request().postData() ?? ''),
    );
    await drawer.getByRole('button', { name: 'Unduh PDF' }).click();
    const { data } = (await (await answered).json()) as { data: { url: string; filename: string } };
    expect(data.filename).toMatch(/\.pdf$/);
    const file = await fetch(new URL(data.url, address));
    expect(file.status).toBe(200);
    expect((await file.text()).slice(0, 5)).toBe('%PDF-');
    expect(
      context.pages().filter((page) => new URL(page.url()).pathname.startsWith('/billing')),
    ).toHaveLength(1);
  },
);

journey(
  'a short balance shows the missing amount, and the plan continues once it is paid',
  async ({ product: { address }, person }) => {
    const known = await signUp(address, { name: 'Laundry Bersih', phone: '6281355512002' });
    await topUp(address, known, 100_000);
    const early = await person({ session: known.session });
    const before = await early.open('/billing');
    await choose(before, 'Usaha');
    await early.context.close();

    const { period_end: end } = await ask(address, getSubscription, {}, known.session);
    const to = new Date(end.getTime() + 60_000).toISOString();
    await ask(address, simulatedClock, { to });
    // A month later all sessions have expired.
    const { phone, password } = known;
    const shop = { ...known, session: await signIn(address, { phone, password }) };
    const due = await ask(address, getSubscription, {}, shop.session);
    expect(due.status).toBe('past_due');

    const { open } = await person({ session: shop.session });
    const tab = await open('/billing');
    await tab.getByText(/^Saldo kurang Rp.* untuk membayar paket Usaha\.$/).waitFor();
    const link = tab.getByRole('main').getByRole('link', { name: /^Isi saldo Rp/ });
    const amount = rupiahIn(await link.textContent());
    expect(amount).toBe(due.shortage);
    const start = await open(HOME);
    const task = start.getByRole('link', { name: /Paket Usaha.*Belum dibayar/ });
    await task.waitFor();
    expect(await task.getAttribute('href')).toBe('/billing');
    const { faults, look } = inspectionHere();
    await look(tab, 'a plan that waits for its payment');
    expect(faults).toEqual([]);

    await topUp(address, shop, amount);
    await tab.getByText('Menunggu pembayaran', { exact: true }).waitFor({ state: 'hidden' });
    await tab.getByText(/^Saldo kurang/).waitFor({ state: 'hidden' });
    await waitFor(async () =>
      expect((await ask(address, getSubscription, {}, shop.session)).status).toBe('active'),
    );
    await task.waitFor({ state: 'detached' });
    const renewed = tab.getByRole('row', { name: /Paket Usaha/ }).first();
    await renewed.getByText('Lunas').waitFor();
  },
);

journey(
  'a plan is cancelled and resumed, and every state is accessible',
  async ({ product: { address }, person }) => {
    const shop = await signUp(address, { name: 'Klinik Sehat', phone: '6281355512003' });
    await topUp(address, shop, 500_000);
    const { open } = await person({ session: shop.session });
    const { faults, look } = inspectionHere();
    const tab = await open('/billing');
    await tab.getByRole('row', { name: /Isi saldo/ }).waitFor();
    await look(tab, 'billing');
    await choose(tab, 'Usaha');
    await look(tab, 'a plan that was just chosen');
    await tab.getByRole('link', { name: 'Turun ke Gratis' }).click();
    await tab.getByRole('button', { name: /^Setujui, mulai/ }).waitFor();
    await look(tab, 'a downgrade');
    await tab.keyboard.press('Escape');

    await tab.getByRole('button', { name: 'Berhenti di akhir periode' }).click();
    const question = tab.getByRole('alertdialog');
    await question.waitFor();
    await look(tab, 'ending a plan');
    await question.getByRole('button', { name: 'Berhenti di akhir periode' }).click();
    await tab.getByText(/^Paket Usaha berhenti setelah/).waitFor();
    expect(await ask(address, getSubscription, {}, shop.session)).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
      next_charge: null,
    });
    await tab.getByRole('button', { name: 'Lanjutkan paket Usaha' }).click();
    await tab.getByText('Paket Usaha dilanjutkan.').waitFor();

    await tab
      .getByRole('row', { name: /Paket Usaha/ })
      .first()
      .getByRole('button')
      .click();
    await tab
      .getByRole('dialog', { name: /^Tagihan INV\// })
      .getByText(/^Terbilang:/)
      .waitFor();
    await look(tab, 'an invoice');
    expect(faults).toEqual([]);
  },
);

journey(
  'sending within the quota of a plan shows the rest of it, and no price',
  async ({ product: { address }, person }) => {
    const shop = await signUp(address, { name: 'Kopi Pagi', phone: '6281355512009' });
    const sender = await newSender(address, shop, { name: 'Kasir', phone: '6281355512009' });
    const { open } = await person({ session: shop.session });
    const tab = await open('/message-history?new=1');
    const form = tab.getByRole('dialog', { name: 'Kirim pesan' });
    await form.getByText('Termasuk kuota paket (sisa 100)').waitFor();
    await sendTexts(address, sender, [{ to: '6281244010001', text: 'Pesanan siap.' }]);
    await tab.goto(`${address}/token`);
    await tab.goto(`${address}/message-history?new=1`);
    await form.getByText('Termasuk kuota paket (sisa 99)').waitFor();
  },
);

journey(
  'the token limit of a plan is shown before the form',
  async ({ product: { address }, person }) => {
    const shop = await signUp(address, { name: 'Kopi Sore', phone: '6281355512010' });
    await newSender(address, shop, { name: 'Kasir', phone: '6281355512010' });
    const { open } = await person({ session: shop.session });
    const { faults, look } = inspectionHere();
    const tab = await open('/token');
    await tab.getByText('Paket Anda hanya untuk 1 token.').waitFor();
    expect(await tab.getByRole('button', { name: 'Tambah token' }).isDisabled()).toBe(true);
    await look(tab, 'no room for another token');
    // The command palette and other pages open the form by its address.
    await tab.goto(`${address}/token?view=new`);
    const full = tab.getByRole('dialog', { name: 'Tambah token' });
    await full.getByText(/^Paket Anda hanya untuk 1 token\./).waitFor();
    await look(tab, 'no room for another token, in place of the form');
    expect(faults).toEqual([]);
    await press(tab, full.getByRole('link', { name: 'Lihat paket di Tagihan' }));
    await tab.getByRole('heading', { name: 'Tagihan', exact: true }).waitFor();
  },
);
