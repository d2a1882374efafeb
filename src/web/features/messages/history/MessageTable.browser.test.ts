import type { Locator, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { faultsHere } from '#tests/support/one-look.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { frames } from '#tests/journeys/browser/browser.ts';
import {
  type Customer,
  newSender,
  type Sender,
  sendMessages,
  sendTexts,
  signUp,
  topUp,
} from '#tests/journeys/support/portal.ts';
import { saldoSummary } from '#tests/support/billing/samples.ts';
import { test } from '#tests/support/gallery.ts';
import { isFocused } from '#tests/journeys/support/steps.ts';

const address = inject('product');

/** Fails: not on the network. */
const MISSING = '62800000003';

type Shop = { customer: Customer; sender: Sender };
let bakery: Promise<Shop> | undefined;

async function openBakery(): Promise<Shop> {
  const phone = '6281355506111';
  const customer = await signUp(address, { name: 'Roti Bu Tini', phone });
  await topUp(address, customer, 50_000);
  const sender = await newSender(address, customer, { name: 'Kasir', phone });
  await sendTexts(
    address,
    sender,
    Array.from({ length: 12 }, (_, n) => ({
      to: `62812990000${String(n).padStart(2, '0')}`,
      text: `Pesanan roti nomor ${n + 1} siap diambil.`,
    })),
  );
  await sendMessages(address, sender, [
    { to: MISSING, type: 'text', text: { body: 'Kue ulang tahun Kak Sari sudah jadi.' } },
    {
      to: MISSING,
      type: 'location',
      location: { latitude: -6.9147, longitude: 107.6098, name: 'Toko Roti Bu Tini' },
    },
    { to: MISSING, type: 'contact', contact: { name: 'Kurir Dedi', phone: '081355504009' } },
    {
      to: '6281299000099',
      type: 'text',
      text: { body: 'Besok kami buka pukul 06.00.' },
      send_at: new Date(Date.now() + 86_400_000).toISOString(),
    },
  ]);
  return { customer, sender };
}

/** The bakery of all tests here: those that change messages come last, in this order. */
const shop = () => (bakery ??= openBakery());

const list = (tab: Page): Locator => tab.getByRole('table', { name: /^Pesan, yang terbaru/ });
const rowOf = (tab: Page, name: RegExp): Locator => list(tab).getByRole('row', { name });
const views = (tab: Page): Locator => tab.getByRole('navigation', { name: 'Tampilan riwayat' });
const drawer = (tab: Page): Locator => tab.getByRole('dialog', { name: 'Rincian pesan' });
const failed = (tab: Page) => list(tab).getByText('Gagal', { exact: true });

test('messages are read one after the other with the keyboard alone', async ({ person }) => {
  const { customer } = await shop();
  const { open } = await person({ session: customer.session });
  const tab = await open('/message-history');
  await waitFor(async () => expect(await failed(tab).count()).toBe(3));
  const opener = (row: number) => list(tab).locator('[data-row="open"]').nth(row);
  await tab.keyboard.press('j');
  await tab.keyboard.press('j');
  await waitFor(async () => expect(await isFocused(tab, opener(1))).toBe(true));
  await tab.keyboard.press('x');
  await tab
    .getByRole('group', { name: /^Baris terpilih/ })
    .getByText('1 dipilih')
    .waitFor();
  await tab.keyboard.press('x');
  await tab.keyboard.press('Enter');
  await drawer(tab).getByText('Kurir Dedi').first().waitFor();
  await tab.keyboard.press('j');
  await drawer(tab).getByText('Toko Roti Bu Tini').first().waitFor();
  await tab.keyboard.press('j');
  await drawer(tab).getByText('Kue ulang tahun Kak Sari sudah jadi.').first().waitFor();
  await tab.keyboard.press('k');
  await drawer(tab).getByText('Toko Roti Bu Tini').first().waitFor();
  await tab.keyboard.press('Escape');
  await drawer(tab).waitFor({ state: 'detached' });
  // Not the row that was opened first: the one that was read last.
  await waitFor(async () => expect(await isFocused(tab, opener(2))).toBe(true));
  await tab.keyboard.press('/');
  await waitFor(async () =>
    expect(await isFocused(tab, tab.getByRole('searchbox').first())).toBe(true),
  );
  await tab.keyboard.press('j');
  expect(await tab.getByRole('searchbox').first().inputValue()).toBe('j');
});

test('a failure says what happened, on whose side, and what to do', async ({ person }) => {
  const { customer } = await shop();
  const { open } = await person({ session: customer.session, height: 1_100 });
  const tab = await open('/message-history');
  await rowOf(tab, /Kue ulang tahun/)
    .getByText('Gagal')
    .waitFor();
  await rowOf(tab, /Kue ulang tahun/)
    .getByText('Kue ulang tahun')
    .click();
  const why = drawer(tab).getByRole('region', { name: 'Mengapa gagal' });
  await why.getByText(/tidak terdaftar di WhatsApp/).waitFor();
  await why.getByText('Penerima', { exact: true }).waitFor();
  await why.getByText(/Mencoba lagi tidak mengubah hasilnya/).waitFor();
  expect(await why.getByRole('link').count()).toBe(0);
  expect(await faultsHere(tab, 'the drawer of a failure')).toEqual([]);
  await tab.keyboard.press('Escape');

  await rowOf(tab, /Besok kami buka/)
    .getByText('Besok kami buka')
    .click();
  await drawer(tab).getByRole('button', { name: 'Ubah jadwal' }).click();
  const moving = tab.getByRole('dialog', { name: 'Ubah jadwal' });
  await moving.getByLabel(/^Jam/).selectOption({ label: '23.30' });
  expect(await faultsHere(tab, 'another time')).toEqual([]);
  await moving.getByRole('button', { name: 'Simpan jadwal' }).click();
  await drawer(tab)
    .getByText(/^Akan dikirim .*23\.30 WIB$/)
    .first()
    .waitFor();
});

test('filters are saved as a view, in all tabs at once', async ({ person }) => {
  const { customer } = await shop();
  const { open } = await person({ session: customer.session });
  const [tab, other] = [
    await open('/message-history?status[]=failed&status[]=cancelled'),
    await open('/message-history'),
  ];
  await waitFor(async () => expect(await failed(tab).count()).toBe(3));
  const statuses = tab.getByRole('button', { name: 'Status: Gagal, Dibatalkan' });
  await statuses.click();
  await tab.getByRole('checkbox', { name: 'Dibatalkan' }).click();
  await waitFor(async () => expect(new URL(tab.url()).search).toBe('?status[]=failed'));
  await tab.keyboard.press('Escape');
  await views(tab).getByRole('button', { name: 'Simpan tampilan' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Simpan tampilan' });
  await dialog.getByRole('button', { name: 'Simpan', exact: true }).click();
  await dialog.getByText('Beri nama tampilan ini.').waitFor();
  await dialog.getByLabel('Nama').fill('Yang gagal');
  await dialog.getByRole('button', { name: 'Simpan', exact: true }).click();
  const saved = views(tab).getByRole('link', { name: 'Yang gagal' });
  await waitFor(async () => expect(await saved.getAttribute('aria-current')).toBe('true'));

  await views(other).getByRole('link', { name: 'Yang gagal' }).click();
  await waitFor(async () => expect(await failed(other).count()).toBe(3));
  expect(new URL(other.url()).search).toBe('?status[]=failed');
  expect(await faultsHere(other, 'a saved view')).toEqual([]);

  await views(tab).getByRole('button', { name: 'Kelola tampilan Yang gagal' }).click();
  await tab.getByRole('menuitem', { name: 'Ganti nama' }).click();
  const renaming = tab.getByRole('dialog', { name: 'Ganti nama tampilan' });
  await waitFor(async () => expect(await isFocused(tab, renaming.getByLabel('Nama'))).toBe(true));
  await renaming.getByLabel('Nama').fill('Perlu dikirim ulang');
  await renaming.getByRole('button', { name: 'Simpan', exact: true }).click();
  await views(other).getByRole('link', { name: 'Perlu dikirim ulang' }).waitFor();
  await views(tab).getByRole('button', { name: 'Kelola tampilan Perlu dikirim ulang' }).click();
  await tab.getByRole('menuitem', { name: 'Hapus tampilan' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Hapus' }).click();
  await views(other)
    .getByRole('link', { name: 'Perlu dikirim ulang' })
    .waitFor({ state: 'detached' });
  // The button that opened the question has gone with the view.
  const heading = tab.getByRole('heading', { level: 1 });
  await waitFor(async () => expect(await isFocused(tab, heading)).toBe(true));
  await views(tab).getByRole('link', { name: 'Semua' }).click();
  await waitFor(async () => expect(new URL(tab.url()).search).toBe(''));
});

test('a saldo that covers no message, and the limit of views, are shown before the forms', async ({
  person,
}) => {
  const { customer } = await shop();
  const { open } = await person({ session: customer.session, width: 390 });
  const tab = await open();
  const view = (n: number) => ({
    id: `viw_${String(n).padStart(26, '0')}`,
    name: `Tampilan ${n}`,
    filters: {},
  });
  await fakeActs(tab, {
    saldo_summary: () => saldoSummary({ available: rupiah(100) }),
    message_view_list: () => ({ views: Array.from({ length: 30 }, (_, n) => view(n)) }),
  });
  await tab.goto('/message-history?new=1');
  const form = tab.getByRole('dialog', { name: 'Kirim pesan' });
  await form.getByText('Saldo tidak cukup untuk satu pesan.').waitFor();
  expect(await form.getByRole('button', { name: 'Kirim', exact: true }).isDisabled()).toBe(true);
  expect(await faultsHere(tab, 'a message without saldo')).toEqual([]);

  await tab.goto('/message-history?status[]=failed&status[]=cancelled');
  await views(tab).getByRole('button', { name: 'Simpan tampilan' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Simpan tampilan' });
  await dialog.getByText(/^Sudah ada 30 tampilan, jadi ini menggantikan/).waitFor();
  expect(await dialog.getByLabel('Nama').inputValue()).toBe('Tampilan 0');
  expect(await dialog.getByRole('option', { name: 'Tampilan baru' }).count()).toBe(0);
  expect(await faultsHere(tab, 'views at their limit')).toEqual([]);
});

test('selected messages are resent and cancelled, and ineligible ones are listed', async ({
  person,
}) => {
  const { customer } = await shop();
  const { open } = await person({ session: customer.session });
  const tab = await open('/message-history');
  await waitFor(async () => expect(await failed(tab).count()).toBe(3));
  const boxes = list(tab).getByRole('checkbox');
  await boxes.nth(1).click();
  await boxes.nth(4).click({ modifiers: ['Shift'] });
  const bar = tab.getByRole('group', { name: /^Baris terpilih/ });
  await bar.getByText('4 dipilih').waitFor();
  expect(await faultsHere(tab, 'chosen rows')).toEqual([]);

  await bar.getByRole('button', { name: 'Kirim ulang' }).click();
  const asking = tab.getByRole('alertdialog', { name: 'Kirim ulang 3 pesan?' });
  await asking.getByText(/Biayanya Rp\s450\./).waitFor();
  await asking.getByText(/Hanya pesan keluar yang gagal/).waitFor();
  expect(await faultsHere(tab, 'what sending anew costs')).toEqual([]);
  await asking.getByRole('button', { name: 'Kirim ulang 3 pesan' }).click();
  const result = tab.getByRole('dialog', { name: '3 pesan dikirim ulang sebagai pesan baru.' });
  await result.getByText(/Hanya pesan keluar yang gagal/).waitFor();
  await result.getByRole('button', { name: 'Selesai' }).click();
  await bar.waitFor({ state: 'detached' });
  await waitFor(async () => expect(await failed(tab).count()).toBe(6));
  for (const name of [/Kue ulang tahun/, /Toko Roti Bu Tini/, /Kurir Dedi/])
    expect(await rowOf(tab, name).count()).toBe(2);

  const planned = rowOf(tab, /Besok kami buka/);
  await planned.getByRole('checkbox').check();
  await bar.getByRole('button', { name: 'Batalkan', exact: true }).click();
  await tab.getByRole('button', { name: 'Batalkan 1 pesan' }).click();
  await planned.getByText('Dibatalkan').waitFor();
  await bar.waitFor({ state: 'detached' });
});

const standing = (tab: Page) =>
  list(tab)
    .locator('[data-row="open"]')
    .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));

test('rows being read do not move, and new ones wait', async ({ person }) => {
  const { customer, sender } = await shop();
  const { open } = await person({ session: customer.session });
  const text = { body: 'Lusa kami buka pukul 07.00.' };
  const send_at = new Date(Date.now() + 172_800_000).toISOString();
  await sendMessages(address, sender, [{ to: '6281299000098', type: 'text', text, send_at }]);
  const [tab, idle] = [await open('/message-history'), await open('/message-history')];
  const first = rowOf(tab, /Lusa kami buka/);
  for (const one of [first, rowOf(idle, /Lusa kami buka/)]) await one.waitFor();
  await tab.keyboard.press('j');
  const before = await standing(tab);
  await sendTexts(
    address,
    sender,
    [1, 2, 3].map((n) => ({ to: `628129911000${n}`, text: `Roti tawar gelombang ${n}.` })),
  );
  // Without a reader they come in by themselves.
  await waitFor(async () => expect(await rowOf(idle, /Roti tawar/).count()).toBe(3));
  const pill = tab.getByRole('button', { name: '3 pesan baru' });
  await pill.waitFor();
  expect(await rowOf(tab, /Roti tawar/).count()).toBe(0);
  expect(await standing(tab)).toEqual(before);
  expect(await faultsHere(tab, 'new messages wait')).toEqual([]);

  // A row being read is updated in place, even when it is no longer on its page.
  await rowOf(idle, /Lusa kami buka/)
    .getByRole('checkbox')
    .check();
  await idle.getByRole('button', { name: 'Batalkan', exact: true }).click();
  await idle.getByRole('button', { name: 'Batalkan 1 pesan' }).click();
  await first.getByText('Dibatalkan').waitFor();

  await pill.click();
  await waitFor(async () => expect(await rowOf(tab, /Roti tawar/).count()).toBe(3));
  await pill.waitFor({ state: 'detached' });

  const second = await open('/message-history?page=1');
  await waitFor(async () => expect((await standing(second)).length).toBe(10));
  await frames(second);
  const words = await list(second).innerText();
  await sendTexts(address, sender, [{ to: '6281299110009', text: 'Roti gandum habis.' }]);
  await idle.getByRole('button', { name: '1 pesan baru' }).waitFor();
  await frames(second);
  expect(await list(second).innerText()).toBe(words);
});
