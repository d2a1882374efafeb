import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { changeSubscription, getSubscription, previewSubscription } from '#contract/billing.ts';
import { saldoSummary } from '#contract/saldo-summary.ts';
import { simulatedClock } from '#contract/simulator.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { ask, type Customer, signIn, signUp, topUp } from './support/portal.ts';
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
    const { quote } = await ask(address, previewSubscription, { plan: 'usaha' }, known.session);
    await ask(address, changeSubscription, { plan: 'usaha', quote }, known.session);
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
