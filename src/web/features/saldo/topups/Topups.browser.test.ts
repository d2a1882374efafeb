import type { Locator, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { readQr } from '#tests/journeys/browser/qr.ts';
import { fakeActs, type FakeActs } from '#tests/journeys/support/fake-acts.ts';
import {
  fakePayments,
  gatewayTopup,
  QRIS,
  topupId,
  usage,
} from '#tests/journeys/support/fake-payments.ts';
import { type Customer, signUp, topUp } from '#tests/journeys/support/portal.ts';
import { saldoSummary } from '#tests/support/billing/samples.ts';
import { type OpenPerson, test } from '#tests/support/gallery.ts';
import { isFocused, press } from '#tests/journeys/support/steps.ts';

const address = inject('product');
const refused = [/status of (?:404|409|422)/];

let customer: Promise<Customer> | undefined;

async function session(): Promise<string> {
  customer ??= openShop();
  return (await customer).session;
}

async function openShop(): Promise<Customer> {
  const who = await signUp(address, { name: 'Toko Ratna', phone: '6281355505601' });
  await topUp(address, who, 500_000);
  return who;
}

async function saldoTab(person: OpenPerson, acts: FakeActs, query = '') {
  const { open } = await person({ session: await session(), expects: refused });
  const tab = await open();
  const asked = await fakeActs(tab, acts);
  await tab.goto(`/saldo${query}`);
  return { tab, asked };
}

const dialogOf = (tab: Page, name = 'Isi saldo') => tab.getByRole('dialog', { name });

/** Goes on to the payment methods. */
const next = (form: Locator) =>
  press(form.page(), form.getByRole('button', { name: 'Pilih cara bayar' }));
const pay = (form: Locator) => form.getByRole('button', { name: 'Lanjut ke pembayaran' });
const amountOf = (form: Locator) => form.getByLabel('Nominal', { exact: false }).first();

test('a top-up takes two steps, by keyboard alone; Back keeps the amount', async ({ person }) => {
  const made = gatewayTopup({ qr: QRIS });
  const acts = { ...fakePayments(made), saldo_summary: () => saldoSummary() };
  const { tab, asked } = await saldoTab(person, acts, '?new=1&amount=99000');
  const form = dialogOf(tab);
  await waitFor(async () => expect(await amountOf(form).inputValue()).toBe('99.000'));
  await waitFor(async () => expect(await isFocused(tab, amountOf(form))).toBe(true));
  await form.getByText(/≈ 660 pesan, Rp\s150 per pesan/).waitFor();
  const { look, faults } = inspectionHere();
  await look(tab, 'the amount of a top-up');
  const before = await form.locator('form').evaluate((one) => one.getBoundingClientRect().height);

  await tab.keyboard.press('Enter');
  await form.getByRole('heading', { name: 'Langkah 2 dari 2 Cara bayar' }).waitFor();
  await form.getByText(/Isi saldo Rp\s99\.000, belum termasuk PPN/).waitFor();
  const last = form.getByRole('radio', { name: /^Transfer bank Terakhir dipakai/ });
  await waitFor(async () => expect(await isFocused(tab, last)).toBe(true));
  expect(await last.isChecked()).toBe(true);
  expect(await form.getByRole('radio').first().getAttribute('value')).toBe('bank');
  await form.getByRole('group', { name: 'Virtual account' }).waitFor();
  expect(await form.getByText('Pembayaran simulasi').filter({ visible: true }).count()).toBe(2);
  const after = await form.locator('form').evaluate((one) => one.getBoundingClientRect().height);
  expect(Math.abs(after - before)).toBeLessThan(40);
  await look(tab, 'the payment of a top-up');
  expect(faults).toEqual([]);

  await press(tab, form.getByRole('button', { name: 'Kembali' }));
  await waitFor(async () => expect(await isFocused(tab, amountOf(form))).toBe(true));
  expect(await amountOf(form).inputValue()).toBe('99.000');
  await tab.keyboard.press('Enter');
  await waitFor(async () => expect(await isFocused(tab, last)).toBe(true));
  await tab.keyboard.press('ArrowDown');
  const qris = form.getByRole('radio', { name: /^QRIS Pembayaran simulasi Dari aplikasi/ });
  expect(await isFocused(tab, qris)).toBe(true);
  await tab.keyboard.press('Enter');
  await form.getByRole('img', { name: /Kode QRIS/ }).waitFor();
  const created = asked.filter(({ act }) => act === 'topup_create');
  expect(created).toMatchObject([{ amount: '99000', method: 'qris' }]);
});

test('a double click passes one step only, Back too, and no price means no count', async ({
  person,
}) => {
  const acts = {
    ...fakePayments(),
    saldo_summary: () => saldoSummary({ price_beyond_quota: rupiah(0) }),
  };
  const { tab, asked } = await saldoTab(person, acts);
  await tab.getByRole('link', { name: 'Isi saldo', exact: true }).first().click();
  const form = dialogOf(tab);
  await form.getByText('belum termasuk PPN', { exact: false }).waitFor();
  await amountOf(form).fill('50000');
  expect(await form.getByText('≈').count()).toBe(0);
  await form.getByRole('button', { name: 'Pilih cara bayar' }).dblclick();
  await pay(form).waitFor();
  expect(asked.some(({ act }) => act === 'topup_create')).toBe(false);
  await tab.goBack();
  await waitFor(async () => expect(await amountOf(form).inputValue()).toBe('50.000'));
  await tab.goBack();
  await form.waitFor({ state: 'detached' });
});

test('a method that does not accept the amount shows its limit, and cannot be selected', async ({
  person,
}) => {
  const { tab } = await saldoTab(person, fakePayments(), '?new=1&amount=50000');
  const form = dialogOf(tab);
  await form.getByText('belum termasuk PPN', { exact: false }).waitFor();
  await amountOf(form).fill('20000000');
  await next(form);
  const closed = form.getByRole('radio', {
    name: /^QRIS Pembayaran simulasi Sampai Rp\s10\.000\.000/,
  });
  expect(await closed.isDisabled()).toBe(true);
  await form.getByRole('radio', { name: 'BCA' }).check();
  await form.getByText('Cara bayar lain').click();
  expect(await form.getByRole('radio', { name: /Xendit/ }).isDisabled()).toBe(true);
  await form.getByRole('button', { name: 'Kembali' }).click();
  await amountOf(form).fill('9000');
  await next(form);
  await form.getByText(/Isi saldo minimal Rp\s10\.000/).waitFor();
});

test('a refusal shows above the methods, and links to the pending top-ups', async ({ person }) => {
  const full = {
    refused: 'topup_too_many',
    message: 'Anda masih punya 3 isi saldo yang menunggu.',
    facts: { limit: 3 },
  };
  const acts = { ...fakePayments(), topup_create: () => full };
  const { tab } = await saldoTab(person, acts, '?new=1&amount=50000');
  const form = dialogOf(tab);
  await next(form);
  await form.getByText('Cara bayar lain').click();
  await form.getByRole('radio', { name: /Xendit/ }).check();
  await pay(form).click();
  const refusal = form.getByText('Anda masih punya', { exact: false });
  await refusal.waitFor();
  const isSeen = () =>
    refusal.evaluate((words) => {
      const { left, top, height } = words.getBoundingClientRect();
      return words.contains(document.elementFromPoint(left + 4, top + height / 2));
    });
  await waitFor(isSeen);
  await form.getByRole('button', { name: 'Lihat yang menunggu' }).click();
  await form.waitFor({ state: 'detached' });
});

test('at the limit of unpaid top-ups, another is not offered, and they are listed', async ({
  person,
}) => {
  const open = ['A', 'B', 'C'].map((letter) => gatewayTopup({ id: topupId(letter), qr: QRIS }));
  const [first] = open;
  let waiting = 3;
  const acts = {
    ...fakePayments(first),
    saldo_summary: () => saldoSummary({ topups_open: waiting }),
    topup_list: () => ({ list: open }),
  };
  const { tab } = await saldoTab(person, acts);
  const reason = /Anda masih punya 3 isi saldo yang menunggu\. Bayar atau batalkan salah satunya\./;
  const button = tab.getByRole('button', { name: 'Isi saldo', exact: true });
  await button.waitFor();
  expect(await button.isDisabled()).toBe(true);
  expect(await button.getAttribute('aria-describedby')).toBe('topup-limit');
  const { look, faults } = inspectionHere();
  await look(tab, 'the page at the limit of top-ups');
  await tab.getByText(reason).getByRole('link', { name: 'Lihat yang menunggu' }).click();
  const list = dialogOf(tab);
  await list.getByText(reason).waitFor();
  await waitFor(async () => expect(await list.getByRole('listitem').count()).toBe(3));
  expect(await amountOf(list).count()).toBe(0);
  await look(tab, 'the unpaid top-ups');
  expect(faults).toEqual([]);
  await list.getByRole('link').first().click();
  await list.getByRole('img', { name: /Kode QRIS/ }).waitFor();

  waiting = 2;
  await tab.goto('/saldo?new=1');
  await amountOf(dialogOf(tab)).waitFor();
});

test('at the limit of a day without unpaid top-ups, the reason leads to customer service', async ({
  person,
}) => {
  const acts = { ...fakePayments(), saldo_summary: () => saldoSummary({ topups_unpaid: 20 }) };
  const { tab } = await saldoTab(person, acts, '?new=1');
  const dialog = dialogOf(tab);
  await dialog.getByText(/^Dalam 24 jam ini sudah 20 isi saldo tidak jadi dibayar\./).waitFor();
  expect(await amountOf(dialog).count()).toBe(0);
  await tab.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  const button = tab.getByRole('button', { name: 'Isi saldo', exact: true });
  expect(await button.isDisabled()).toBe(true);
  const reason = tab.getByText(/^Dalam 24 jam ini sudah 20 isi saldo/);
  await reason.getByRole('link', { name: 'Hubungi Layanan Pelanggan' }).click();
  await tab.waitForURL(/\/customer-service/);
});

test('if payment methods cannot be loaded, there is still the bank transfer', async ({
  person,
}) => {
  const down = { refused: 'busy', message: 'Sedang ramai.', facts: { seconds: 1 } };
  const { tab } = await saldoTab(person, { topup_methods: () => down }, '?new=1&amount=50000');
  const form = dialogOf(tab);
  await next(form);
  await form.getByText('Pembayaran lewat transfer bank.', { exact: false }).waitFor();
  await pay(form).click();
  await form.getByText('Transfer tepat sejumlah').waitFor();
  await form.getByText('Sudah transfer tetapi belum lunas?').click();
  await form.getByText('Bukti transfer', { exact: true }).waitFor();
  const { look, faults } = inspectionHere();
  await look(tab, 'a bank transfer with its slip');
  expect(faults).toEqual([]);
  await form.getByRole('button', { name: 'Batalkan' }).click();
  await tab.getByRole('button', { name: 'Batalkan isi saldo' }).click();
  await form.getByText('Dibatalkan', { exact: true }).waitFor();
});

test('a QRIS can be scanned, saved, and checked', async ({ person }) => {
  let topup = gatewayTopup({ qr: QRIS });
  const acts = {
    ...fakePayments(),
    topup_get: () => topup,
    topup_check: () => topup,
  };
  const { tab, asked } = await saldoTab(person, acts, `?open=${topup.id}`);
  const detail = dialogOf(tab);
  const code = detail.getByRole('img', { name: /Kode QRIS untuk membayar Rp\s277\.500/ });
  await code.waitFor();
  expect(await readQr(code)).toBe(QRIS);
  const { look, faults } = inspectionHere();
  await look(tab, 'a QRIS');
  expect(faults).toEqual([]);

  const [download] = await Promise.all([
    tab.waitForEvent('download'),
    detail.getByRole('button', { name: 'Simpan gambar QR' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`QRIS ${topup.id}.png`);
  const check = detail.getByRole('button', { name: 'Saya sudah bayar' });
  await press(tab, check);
  await detail.getByText('Pembayarannya belum kami terima.', { exact: false }).waitFor();
  topup = gatewayTopup({ status: 'paid', paid_at: new Date().toISOString() });
  await check.click();
  await detail.getByText('sudah masuk ke saldo Anda', { exact: false }).first().waitFor();
  expect(asked.filter(({ act }) => act === 'topup_check')).toHaveLength(2);
});

test('a virtual account, a payment page, and closed top-ups are each explained', async ({
  person,
}) => {
  const { look, faults } = inspectionHere();
  const va = { bank: 'BCA', number: '1234567890123456' };
  const states = [
    [{ method: 'va_bca', va }, '1234 5678 9012 3456'],
    [{ method: 'snap', page_url: 'https://pay.example/1' }, 'Buka halaman pembayaran'],
    [{ status: 'creating' }, 'Cara bayarnya sedang disiapkan.'],
    [{ status: 'review' }, 'sedang kami periksa'],
    [{ status: 'expired' }, 'Waktu bayarnya sudah habis.'],
  ] as const;
  let topup = gatewayTopup();
  const acts = { ...fakePayments(), topup_get: () => topup };
  const { tab } = await saldoTab(person, acts);
  for (const [more, words] of states) {
    topup = gatewayTopup(more);
    await tab.goto(`/saldo?open=${topup.id}`);
    await dialogOf(tab).getByText(words, { exact: false }).first().waitFor();
    await look(tab, words);
    if ('page_url' in more) {
      const link = tab.getByRole('link', { name: /Buka halaman pembayaran/ });
      expect(await link.getAttribute('rel')).toMatch(/noopener/);
      expect(await link.getAttribute('target')).toBe('_blank');
    }
  }
  // Its countdown does not stand at zero until the server has closed it.
  topup = gatewayTopup({ expires_at: new Date(Date.now() - 1_000) });
  await tab.goto(`/saldo?open=${topup.id}`);
  await dialogOf(tab).getByText('Sisa waktu habis').waitFor();
  expect(faults).toEqual([]);
});

test('an unknown top-up is reported as not found', async ({ person }) => {
  const { tab } = await saldoTab(person, {}, '?open=TU-NOPE');
  const none = dialogOf(tab);
  await none.getByText('Isi saldo ini tidak ditemukan.').waitFor();
  await none.getByRole('button', { name: 'Lihat saldo' }).click();
  await none.waitFor({ state: 'detached' });
  expect(new URL(tab.url()).search).toBe('');
});

test('the statement is exported as a file; one too long for a PDF is offered as CSV', async ({
  person,
}) => {
  const long = 'Mutasinya 12.345 baris, dan PDF memuat paling banyak 5.000. Pilih CSV.';
  const { tab, asked } = await saldoTab(
    person,
    {
      saldo_export: ({ format }) =>
        format === 'pdf'
          ? {
              refused: 'statement_too_long',
              message: long,
              facts: { limit: 5_000 },
            }
          : { url: '/favicon.ico', filename: 'mutasi.csv' },
    },
    '?from=2026-11-01&to=2026-11-30&kind=topup',
  );
  await tab.getByRole('button', { name: 'Unduh', exact: true }).click();
  const dialog = dialogOf(tab, 'Unduh mutasi');
  await dialog.getByRole('radio', { name: /PDF/ }).check();
  await dialog.getByRole('button', { name: 'Unduh PDF' }).click();
  await dialog.getByText(long).waitFor();
  const { look, faults } = inspectionHere();
  await look(tab, 'a statement that is too long');
  expect(faults).toEqual([]);
  await dialog.getByRole('button', { name: 'Unduh sebagai CSV' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(asked.map(({ format, from, to, kind }) => [format, from, to, kind])).toContainEqual([
    'csv',
    '2026-11-01',
    '2026-11-30',
    'topup',
  ]);
});

test('an impossible date is reported, and the statement shows all', async ({ person }) => {
  const { tab } = await saldoTab(person, {}, '?from=2026-02-31&to=2026-03-02');
  await tab.getByText('Tanggal 31/2/2026 tidak ada.', { exact: false }).waitFor();
  await tab.getByRole('row', { name: /Bonus/ }).waitFor();
  await tab.getByRole('button', { name: 'Hapus filter' }).click();
  await tab.getByText('tidak ada.', { exact: false }).waitFor({ state: 'detached' });
  expect(await isFocused(tab, tab.getByRole('button', { name: 'Tanggal: Semua tanggal' }))).toBe(
    true,
  );
});

test('a configured threshold raises a notice on the page once the saldo is below it', async ({
  person,
}) => {
  const { tab } = await saldoTab(person, { saldo_usage: () => usage() });
  const { look, faults } = inspectionHere();
  await tab.getByText('Cukup untuk ±', { exact: false }).waitFor();
  await tab.getByText('Lihat angkanya').click();
  const figures = tab.getByRole('table', { name: 'Saldo terpakai per hari, dalam rupiah' });
  expect(await figures.getByRole('columnheader').allInnerTexts()).toEqual([
    'Tanggal',
    'Biaya pesan',
    'Masih ditahan',
    'Biaya paket',
    'Jumlah',
  ]);
  await press(tab, tab.getByRole('button', { name: 'Atur peringatan' }));
  await tab.getByLabel('Beri tahu di bawah', { exact: false }).first().fill('90jt');
  await look(tab, 'the form of the threshold');
  await tab.keyboard.press('Enter');
  await tab.getByText('Saldo di bawah batas Rp', { exact: false }).waitFor();
  await look(tab, 'the page with a low saldo');
  await press(tab, tab.getByRole('button', { name: 'Matikan' }));
  await tab.getByText('Saldo di bawah batas Rp', { exact: false }).waitFor({ state: 'detached' });
  await tab.getByRole('button', { name: 'Atur peringatan' }).waitFor();
  expect(faults).toEqual([]);
});

test('a month with the cost of a plan alone has a sentence and no chart', async ({ person }) => {
  const days = Array.from({ length: 30 }, (_, n) => ({
    date: `2026-11-${String(n + 1).padStart(2, '0')}`,
    captured: 0,
    held: 0,
    plan: n === 20 ? 99_000 : 0,
  }));
  const acts = { saldo_usage: () => ({ days, pace: { state: 'none' } }) };
  const { tab } = await saldoTab(person, acts);
  const usage = tab.getByRole('region', { name: 'Pemakaian 30 hari' });
  await usage.getByText(/hanya biaya paket yang memotong saldo/).waitFor();
  await usage.getByText(/^Rp\s99\.000$/).waitFor();
  expect(await usage.getByText('Saldo terpakai per hari', { exact: false }).count()).toBe(0);
});

test('the simulated gateway lists pending orders, and acts as their payer', async ({ person }) => {
  const { open } = await person({ session: await session() });
  const tab = await open();
  let waiting = [gatewayTopup({ qr: QRIS })];
  await fakeActs(tab, {
    topup_list: () => ({ list: waiting }),
    simulator_pay: () => {
      waiting = [];
      return { done: true };
    },
  });
  await tab.goto('/simulator?bank=1');
  await tab.getByRole('group', { name: /^Pembayaran TU-/ }).waitFor();
  const { look, faults } = inspectionHere();
  await look(tab, 'the simulated gateway');
  expect(faults).toEqual([]);
  await tab.getByRole('button', { name: 'Bayar', exact: true }).click();
  await tab.getByText('Hasil pembayaran dikirim ke Kabari.').waitFor();
  await tab.getByText('Tidak ada pembayaran yang menunggu.').waitFor();
});
