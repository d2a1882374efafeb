import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { simulatedPayment } from '#contract/simulator.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { ask, signUp } from '#tests/journeys/support/portal.ts';
import { isFocused, press } from '#tests/journeys/support/steps.ts';
import {
  billingWorld,
  type BillingWorld,
  fakeBilling,
  refuse,
} from '#tests/support/billing/fake-billing.ts';
import {
  bisnis,
  day,
  downgradeOf,
  gratis,
  invoices,
  saldoSummary,
  subscriptionOf,
  upgradeOf,
  usaha,
} from '#tests/support/billing/samples.ts';
import { test } from '#tests/support/gallery.ts';
import { faultsHere } from '#tests/support/one-look.ts';
import { waitFor } from '#tests/support/wait-for.ts';

let customer: Promise<string> | undefined;

/** Opens /billing with the billing data of `world`; everything else is the product's own. */
async function at(
  world: BillingWorld,
  { profiles }: { profiles: { open: (options: Options) => Promise<Profile> } },
  path = '/billing',
) {
  const phone = `62857${String(Date.now() % 1e8).padStart(8, '0')}`;
  customer ??= signUp(inject('product'), { name: 'Toko Ratna', phone }).then((one) => one.session);
  const { open, wrongs } = await profiles.open({
    session: await customer,
    expects: [/status of (?:409|402|404|503)/],
  });
  const before = wrongs.length;
  const tab = await open();
  await fakeBilling(tab, world);
  await tab.goto(inject('gallery') + path);
  const done = async () => {
    expect(wrongs.slice(before)).toEqual([]);
    await tab.close();
  };
  return { tab, done };
}
type Options = { session: string; expects: readonly RegExp[] };
type Profile = { open: (path?: string) => Promise<Page>; wrongs: readonly string[] };

const active = () => subscriptionOf(usaha, { used: 1_240, forecast: 6_250 });
const dialog = (tab: Page) => tab.getByRole('dialog');
const consent = (tab: Page) => dialog(tab).getByRole('button', { name: /^Setujui/ });
const query = (tab: Page) => new URL(tab.url()).searchParams;
const told = async (tab: Page, sentence: RegExp) => {
  const place = tab.locator('main [tabindex="-1"]').filter({ hasText: sentence });
  await place.waitFor();
  await waitFor(async () => expect(await isFocused(tab, place)).toBe(true));
};

test('choosing a plan works with the keyboard alone, and focus moves to the result', async ({
  profiles,
}) => {
  const world = billingWorld(active(), {
    previews: { bisnis: upgradeOf(450_000) },
    onChange: (_act, _fields, now) => {
      now.subscription = subscriptionOf(bisnis, { used: 1_240, forecast: 6_250 });
      return { data: now.subscription };
    },
  });
  const { tab, done } = await at(world, { profiles });
  await press(tab, tab.getByRole('link', { name: 'Naik ke Bisnis' }));
  await consent(tab).waitFor();
  const words = (await dialog(tab).innerText()).replace(/\s+/g, ' ');
  expect(words).toMatch(/Paket Bisnis, 20 hari Rp 199\.334/);
  expect(words).toMatch(/Sisa paket Usaha, 20 hari, dikembalikan -Rp 66\.000/);
  expect(words).toMatch(/Kuota periode ini menjadi 18\.334 pesan/);
  expect(words).toMatch(/Dibayar sekarang dari saldo Rp 133\.334/);
  expect(words).toMatch(/Saldo sekarang Rp 450\.000 Saldo sesudahnya Rp 316\.666/);
  expect(words).toMatch(/Tagihan berikutnya, 12 Des 2026 Rp 299\.000/);
  await press(tab, consent(tab));
  await told(tab, /Paket Bisnis aktif\. Rp\s133\.334 dipotong dari saldo\./);
  expect(world.asked).toEqual([{ act: 'subscription_change', plan: 'bisnis', quote: 'quote-1' }]);
  expect(query(tab).get('change')).toBe(null);
  await tab.getByText('dari 25.000 pesan').waitFor();
  expect(await faultsHere(tab, 'a plan that was just chosen')).toEqual([]);
  await done();
});

test('an outdated preview is shown again, and nothing is bought before consent', async ({
  profiles,
}) => {
  const fresh = {
    ...upgradeOf(450_000),
    total: rupiah(126_667),
    charge: rupiah(189_367),
    credit: rupiah(62_700),
    days_left: 19,
    quote: 'quote-2',
  };
  const world = billingWorld(active(), {
    previews: { bisnis: upgradeOf(450_000) },
    onChange: (_act, { quote }, now) => {
      now.previews = { bisnis: fresh };
      return quote === 'quote-2' ? { data: now.subscription } : refuse('quote_stale', {});
    },
  });
  const { tab, done } = await at(world, { profiles }, '/billing?change=bisnis');
  await consent(tab).click();
  await dialog(tab).getByRole('alert').getByText('Perhitungannya baru saja berubah.').waitFor();
  const again = dialog(tab).getByRole('button', { name: /^Setujui dan bayar Rp\s126\.667$/ });
  await again.click();
  await dialog(tab).waitFor({ state: 'hidden' });
  expect(world.asked.at(-1)).toMatchObject({ quote: 'quote-2' });
  await done();
});

test('an insufficient saldo links to a top-up of exactly the shortage', async ({ profiles }) => {
  const world = billingWorld(active(), { previews: { bisnis: upgradeOf(90_000) } });
  const { tab, done } = await at(world, { profiles }, '/billing?change=bisnis');
  await dialog(tab)
    .getByText(/Saldo kurang Rp\s43\.334\./)
    .waitFor();
  expect(await consent(tab).count()).toBe(0);
  await dialog(tab)
    .getByRole('link', { name: /Isi saldo Rp\s43\.334/ })
    .click();
  await tab.waitForURL(/\/saldo\?/);
  await waitFor(async () =>
    expect(await dialog(tab).getByLabel('Nominal').inputValue()).toContain('43.334'),
  );
  await tab.getByRole('button', { name: 'Pilih cara bayar' }).click();
  await tab.getByRole('radio', { name: /^QRIS/ }).check();
  await tab.getByRole('button', { name: 'Lanjut ke pembayaran' }).click();
  await tab.waitForURL(/open=TU-/);
  const topup_id = new URL(tab.url()).searchParams.get('open') ?? '';
  await ask(inject('product'), simulatedPayment, { topup_id, outcome: 'pay' });
  await tab.getByRole('link', { name: 'Kembali ke paket' }).click();
  await dialog(tab).getByRole('heading', { name: 'Naik ke paket Bisnis' }).waitFor();
  await done();
});

test('a downgrade begins with the next period and costs nothing now', async ({ profiles }) => {
  const world = billingWorld(active(), {
    previews: { gratis: downgradeOf(450_000) },
    onChange: (_act, _fields, now) => {
      now.subscription = { ...active(), next_plan: gratis, next_charge: null };
      return { data: now.subscription };
    },
  });
  const { tab, done } = await at(world, { profiles });
  await tab.getByRole('link', { name: 'Turun ke Gratis' }).click();
  await dialog(tab).getByText('1 token lebih banyak dari batas paket Gratis').waitFor();
  expect(await faultsHere(tab, 'a downgrade')).toEqual([]);
  await dialog(tab).getByRole('button', { name: 'Setujui, mulai 12 Des 2026' }).click();
  await told(tab, /Perubahan dicatat: paket Gratis mulai 12 Des 2026\./);
  await tab.getByRole('button', { name: 'Batalkan perubahan' }).waitFor();
  expect(await tab.getByRole('link', { name: 'Turun ke Gratis' }).count()).toBe(0);
  await done();
});

test('a plan is cancelled at the end of its period after a confirmation, and resumed with one press', async ({
  profiles,
}) => {
  const world = billingWorld(active(), {
    onChange: (act, _fields, now) => {
      const ends = act === 'subscription_cancel';
      now.subscription = { ...active(), cancel_at_period_end: ends };
      return { data: now.subscription };
    },
  });
  const { tab, done } = await at(world, { profiles });
  await tab.getByRole('button', { name: 'Berhenti di akhir periode' }).click();
  const question = tab.getByRole('alertdialog');
  await question.getByText(/Mulai 12 Des 2026 akun memakai paket Gratis/).waitFor();
  expect(await faultsHere(tab, 'ending a plan')).toEqual([]);
  await question.getByRole('button', { name: 'Berhenti di akhir periode' }).click();
  await told(tab, /Paket Usaha berhenti setelah 11 Des 2026\./);
  await press(tab, tab.getByRole('button', { name: 'Lanjutkan paket Usaha' }));
  await told(tab, /Paket Usaha dilanjutkan\./);
  expect(world.asked.map(({ act }) => act)).toEqual(['subscription_cancel', 'subscription_resume']);
  await done();
});

test('a plan that waits for payment shows the amount, the deadline and how to pay', async ({
  profiles,
}) => {
  const topup = `TU-${'0'.repeat(26)}`;
  const due = {
    ...active(),
    status: 'past_due' as const,
    shortage: rupiah(54_000),
    grace_until: day('2026-11-25'),
  };
  const [open] = invoices;
  const world = billingWorld(due, {
    onChange: () => ({ data: { invoice: open, topup_id: topup } }),
  });
  const { tab, done } = await at(world, { profiles });
  await tab.getByText(/Saldo kurang Rp\s54\.000 untuk membayar paket Usaha\./).waitFor();
  await tab.getByText(/tetap berlaku sampai 25 Nov 2026, 00\.00 WIB/).waitFor();
  expect(await faultsHere(tab, 'a plan that waits for its payment')).toEqual([]);
  const link = tab.getByRole('link', { name: /Isi saldo Rp\s54\.000/ });
  expect(await link.getAttribute('href')).toMatch(/^\/saldo\?(?=.*new=1)(?=.*amount=54000)/);
  await tab.getByRole('link', { name: 'Lihat tagihan' }).click();
  // The welcome bonus is not enough: saldo is not offered, but a top-up of the shortage is.
  await dialog(tab)
    .getByRole('link', { name: /Isi saldo Rp/ })
    .waitFor();
  expect(await dialog(tab).getByRole('button', { name: 'Bayar dari saldo' }).count()).toBe(0);
  await dialog(tab).getByRole('button', { name: 'Bayar dengan' }).click();
  await tab.getByRole('menuitem', { name: 'QRIS' }).click();
  await tab.waitForURL(new RegExp(`/saldo\\?open=${topup}`));
  expect(world.asked).toEqual([{ act: 'invoice_pay', invoice_id: open?.id, method: 'qris' }]);
  await done();
});

test('at the limit of top-ups, an invoice is paid from saldo only, and the reason is there', async ({
  profiles,
}) => {
  const [open] = invoices;
  const { tab, done } = await at(billingWorld(active()), { profiles });
  await fakeActs(tab, { saldo_summary: () => saldoSummary({ topups_open: 3 }) });
  await tab.goto(`${inject('gallery')}/billing?open=${open?.id}`);
  const other = dialog(tab).getByRole('button', { name: 'Bayar dengan' });
  await waitFor(async () => expect(await other.isDisabled()).toBe(true));
  const reason = dialog(tab).getByText(/^Anda masih punya 3 isi saldo yang menunggu\./);
  expect(await other.getAttribute('aria-describedby')).toBe(await reason.getAttribute('id'));
  await dialog(tab).getByRole('button', { name: 'Bayar dari saldo' }).waitFor();
  await reason.getByRole('link', { name: 'Lihat yang menunggu' }).click();
  await tab.waitForURL(/\/saldo\?new=1/);
  await done();
});

test('a plan that costs something cannot be chosen while the saldo is frozen', async ({
  profiles,
}) => {
  const world = billingWorld(active(), { previews: { bisnis: upgradeOf(450_000) } });
  const { tab, done } = await at(world, { profiles });
  await fakeActs(tab, { saldo_summary: () => saldoSummary({ status: 'frozen' }) });
  await tab.goto(`${inject('gallery')}/billing?change=bisnis`);
  const reason = dialog(tab).getByText(/^Saldo sedang dibekukan: tidak dapat diisi atau dipakai\./);
  await reason.getByRole('link', { name: 'Hubungi Layanan Pelanggan' }).waitFor();
  expect(await consent(tab).isDisabled()).toBe(true);
  expect(await consent(tab).getAttribute('aria-describedby')).toBe(await reason.getAttribute('id'));
  await done();
});

test('a plan without a quota, or suspended, has a figure and no bar', async ({ profiles }) => {
  const world = active();
  const { tab, done } = await at(
    billingWorld({ ...world, usage: { ...world.usage, used: 0, quota: 0, beyond: 12 } }),
    { profiles },
  );
  await tab.getByText('Paket ini tidak punya kuota', { exact: false }).waitFor();
  expect(await tab.getByRole('meter').count()).toBe(0);
  expect(await tab.getByText('Sisa kuota').count()).toBe(0);
  await done();

  const usage = { ...world.usage, used: 0, quota: 0 };
  const suspended = await at(billingWorld({ ...world, status: 'suspended', usage }), { profiles });
  await suspended.tab.getByText('Kuota tidak berlaku selama paket ditangguhkan.').waitFor();
  await suspended.done();
});

test('usage is a figure, a bar with its values, and a sentence', async ({ profiles }) => {
  const { tab, done } = await at(billingWorld(active()), { profiles });
  const meter = tab.getByRole('meter', { name: 'Kuota terpakai' });
  await meter.waitFor();
  const value = (name: string) => meter.getAttribute(name);
  expect(await value('aria-valuenow')).toBe('1240');
  expect(await value('aria-valuemax')).toBe('5000');
  expect(await value('aria-valuetext')).toBe('1.240 dari 5.000 pesan, 24 persen');
  await tab.getByText(/^Dengan pemakaian sekarang, kuota habis sekitar 6 Des\./).waitFor();
  await done();
});

test('invoices are filtered in the address, and open to their document', async ({ profiles }) => {
  const world = billingWorld(active());
  const { tab, done } = await at(world, { profiles });
  const table = tab.getByRole('table', { name: 'Tagihan' });
  const rows = async () => (await table.getByRole('row').count()) - 1;
  await waitFor(async () => expect(await rows()).toBe(invoices.length));
  await tab.getByRole('combobox', { name: 'Status' }).selectOption('paid');
  await waitFor(async () => expect(await rows()).toBe(4));
  await tab.getByRole('combobox', { name: 'Jenis tagihan' }).selectOption('topup');
  await waitFor(async () => expect(await rows()).toBe(1));
  expect([query(tab).get('status'), query(tab).get('kind')]).toEqual(['paid', 'topup']);
  await table.getByRole('button', { name: /Isi saldo/ }).click();
  await dialog(tab).getByRole('heading', { name: 'Tagihan INV/2026/11/000128' }).waitFor();
  expect(await faultsHere(tab, 'an invoice')).toEqual([]);
  const words = (await dialog(tab).innerText()).replace(/\s+/g, ' ');
  expect(words).toMatch(/Subtotal Rp 250\.000 DPP nilai lain Rp 229\.167 PPN Rp 27\.500/);
  expect(words).toMatch(/Kode unik Rp 123 Total Rp 277\.623/);
  expect(words).toMatch(/Terbilang: dua ratus tujuh puluh tujuh ribu/);
  await dialog(tab).getByRole('button', { name: 'Unduh PDF' }).click();
  await waitFor(async () => expect(world.asked).toMatchObject([{ act: 'invoice_pdf' }]));
  await tab.keyboard.press('Escape');
  await dialog(tab).waitFor({ state: 'hidden' });
  expect(query(tab).get('status')).toBe('paid');

  await tab.goto(`${inject('gallery')}/billing?open=inv_${'9'.repeat(26)}`);
  await dialog(tab).getByText('Tagihan ini tidak ditemukan.').waitFor();
  await dialog(tab).getByRole('button', { name: 'Lihat semua tagihan' }).click();
  await dialog(tab).waitFor({ state: 'hidden' });
  await done();
});

test('the buyer is saved as typed, and an invalid NPWP is not submitted', async ({ profiles }) => {
  const world = billingWorld(active(), {
    onChange: (_act, fields, now) => {
      now.buyer = { ...now.buyer, npwp: (fields['npwp'] ?? '').replace(/\D/g, '') };
      return { data: now.buyer };
    },
  });
  const { tab, done } = await at(world, { profiles });
  const npwp = tab.getByLabel('NPWP');
  await npwp.fill('12.345');
  const save = tab.getByRole('button', { name: 'Simpan data tagihan' });
  await save.click();
  await tab.getByText('NPWP terdiri dari 15 atau 16 angka.').waitFor();
  expect(await isFocused(tab, npwp)).toBe(true);
  expect(world.asked).toEqual([]);
  await npwp.fill('3201 0123 4567 8901');
  await save.click();
  await tab.getByText('Data untuk tagihan disimpan.').first().waitFor();
  expect(world.asked).toHaveLength(1);
  await done();
});
