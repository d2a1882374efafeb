import type { Locator, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { inspectionHere } from '#tests/support/one-look.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { listTokens } from '#contract/tokens.ts';
import {
  answerFrom,
  askRows,
  deliverText,
  newSender,
  signUp,
  topUp,
} from '#tests/journeys/support/portal.ts';
import { HOME } from '#tests/journeys/support/steps.ts';
import { test } from '#tests/support/gallery.ts';

const address = inject('product');

const boxOf = async (place: Locator) => {
  const box = await place.boundingBox();
  if (!box) throw new Error('it is not shown');
  return box;
};

test('Beranda shows the current state in cards of equal height', async ({ person }) => {
  const shop = await signUp(address, { name: 'Toko Kain', phone: '6281355507102' });
  await topUp(address, shop, 50_000);
  const sender = await newSender(address, shop, { name: 'Kasir', phone: shop.phone });
  const peer = '6281299995001';
  await deliverText(address, sender, { to: peer, text: 'Kain Anda sudah siap.' });
  await answerFrom(address, peer, { sender, text: 'Baik, saya ambil sore' });
  await answerFrom(address, peer, { sender, text: 'STOP' });
  const { open } = await person({ session: shop.session });
  const tab = await open(HOME);
  const news = tab.getByRole('table', { name: 'Pesan terbaru' });
  await news.getByText('Baik, saya ambil sore').waitFor();
  expect(await news.getByText('STOP', { exact: true }).count()).toBe(0);
  // One day has data: a sentence instead of figures.
  const words = tab.getByRole('region', { name: 'Pesan Anda' });
  await words.getByText('Hari ini 1 pesan terkirim, 1 sampai (100%), 1 dibaca (100%).').waitFor();
  const figures = await boxOf(words.locator('> div'));
  const saldo = await boxOf(tab.getByRole('region', { name: 'Saldo' }).locator('> div'));
  expect(Math.abs(figures.y - saldo.y)).toBeLessThan(1);
  expect(Math.abs(figures.height - saldo.height)).toBeLessThan(1);

  // A menu of icons shows its names as tooltips, also at its foot.
  await tab.getByRole('button', { name: 'Ciutkan menu' }).click();
  await tab
    .getByRole('navigation', { name: 'Menu utama' })
    .getByRole('link', { name: /^Profil/ })
    .hover();
  await tab.getByText('Profil Toko Kain', { exact: true }).last().waitFor();
});

/** A day of Beranda; the figures are cumulative, as the server returns them. */
const dayOf = (date: string, sent: number) => ({
  date,
  accepted: sent + 3,
  waiting: 1,
  sent,
  delivered: sent - 2,
  read: sent - 5,
  failed: 2,
  received: 4,
});

const noDay = { accepted: 0, waiting: 0, sent: 0, delivered: 0, read: 0, failed: 0, received: 0 };

/** Beranda of a shop that is past the first steps, with messages on the last `busy` days. */
function homeOf(busy: number, attention: readonly object[] = []) {
  const days = Array.from({ length: 30 }, (_, n) => {
    const date = new Date(Date.UTC(2026, 9, 23 + n)).toISOString().slice(0, 10);
    return n < 30 - busy ? { date, ...noDay } : dayOf(date, 12);
  });
  const { date: _, ...today } = dayOf('', 12);
  return {
    saldo: { available: 125_000, held: 150 },
    welcome_bonus: 0,
    checklist: { topped_up: true, has_token: true, linked: true, sent: true },
    channel: 'simulator',
    unread: 2,
    today,
    yesterday: busy > 1 ? today : noDay,
    days,
    attention,
    unpaid_plan: null as object | null,
    paused: [] as object[],
    newest: [],
  };
}

const disconnected = {
  token_id: `tok_${'1'.repeat(26)}`,
  name: 'Kasir',
  status: 'disconnected',
  channel: 'web',
  reason: 'disconnected',
};

test('a shop whose only number is disconnected keeps its overview, without the first steps', async ({
  person,
}) => {
  const shop = await signUp(address, { name: 'Toko Benang', phone: '6281355507109' });
  const { open } = await person({ session: shop.session });
  const tab = await open('/profile');
  const home = homeOf(6, [disconnected]);
  home.checklist.linked = false;
  await fakeActs(tab, { home_summary: () => home });
  await tab.goto('/');
  await tab.getByRole('region', { name: 'Perlu perhatian' }).getByText('Kasir').waitFor();
  await tab.getByRole('region', { name: 'Saldo' }).getByText('Rp 125.000').waitFor();
  expect(await tab.getByRole('region', { name: 'Langkah pertama' }).count()).toBe(0);
  expect(await tab.getByRole('link', { name: 'Kirim pesan' }).count()).toBe(0);
});

test('Beranda has figures and a chart from the seventh day with messages, before it sentences', async ({
  person,
}) => {
  const shop = await signUp(address, { name: 'Toko Kancing', phone: '6281355507104' });
  const { open } = await person({ session: shop.session });
  const { faults, look } = inspectionHere();
  const tab = await open('/profile');
  let home = homeOf(6);
  await fakeActs(tab, { home_summary: () => home });
  await tab.goto('/');
  const words = tab.getByRole('region', { name: 'Pesan Anda' });
  await words.getByText('Hari ini 12 pesan terkirim, 10 sampai (83%), 7 dibaca (58%).').waitFor();
  await words
    .getByText('72 pesan terkirim, 60 sampai (83%), 42 dibaca (58%).', { exact: false })
    .waitFor();
  await words.getByText('2 pesan gagal.', { exact: false }).waitFor();
  expect(await tab.getByRole('region', { name: '30 hari terakhir' }).count()).toBe(0);
  await look(tab, 'Beranda in sentences');

  home = homeOf(7, [disconnected]);
  await tab.goto('/');
  const chart = tab.getByRole('region', { name: '30 hari terakhir' });
  await chart.getByText('Sampai, belum dibaca').waitFor();
  const today = tab.getByRole('region', { name: 'Hari ini' }).locator('dl > div');
  const shares = ['', '83% dari yang terkirim', '58% dari yang terkirim', '13% dari 15 pesan'];
  for (const [at, share] of shares.entries()) {
    await today.nth(at).getByText(share, { exact: false }).first().waitFor();
  }
  // The segments have each message once; the table below has the cumulative figures.
  await chart.getByText('Lihat angkanya').click();
  const row = chart.getByRole('row').last();
  expect(await row.getByRole('cell').allTextContents()).toEqual(['12', '10', '7', '1', '2', '15']);
  // Saldo first, then what needs attention, then the figures.
  expect(await tab.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()).toEqual([
    'Saldo',
    'Perlu perhatian',
    'Hari ini',
    '30 hari terakhir',
    'Pesan terbaru',
  ]);
  await look(tab, 'Beranda with figures');
  expect(faults).toEqual([]);
});

test('the step of the first top-up has the only button for it', async ({ person }) => {
  const shop = await signUp(address, { name: 'Toko Resleting', phone: '6281355507188' });
  const { open } = await person({ session: shop.session });
  const tab = await open('/profile');
  let home = homeOf(6);
  home.checklist.topped_up = false;
  await fakeActs(tab, { home_summary: () => home });
  await tab.goto('/');
  const main = tab.getByRole('main');
  await main.getByText('2 dari 3 selesai').waitFor();
  await main.getByRole('region', { name: 'Saldo' }).waitFor();
  const buttons = main.getByRole('link', { name: 'Isi saldo', exact: true });
  await waitFor(async () => expect(await buttons.count()).toBe(1));
  home = homeOf(6);
  await tab.goto('/');
  await main.getByRole('region', { name: 'Saldo' }).getByRole('link').waitFor();
});

test('a broadcast is one of the newest messages, and opens its campaign', async ({ person }) => {
  const shop = await signUp(address, { name: 'Toko Renda', phone: '6281355507189' });
  const { open } = await person({ session: shop.session });
  const tab = await open('/profile');
  const campaign = { id: `cmp_${'1'.repeat(26)}`, name: 'Promo akhir tahun', messages: 200 };
  const newest = [
    {
      id: `msg_${'1'.repeat(26)}`,
      direction: 'out',
      token: { id: disconnected.token_id, name: 'Kasir' },
      peer: '6281299995001',
      peer_name: null,
      type: 'text',
      excerpt: 'Diskon 20% hari ini',
      status: 'delivered',
      possible_duplicate: false,
      failure: null,
      created_at: new Date(),
      scheduled_at: null,
      campaign,
    },
  ];
  let price = 150;
  const priced = () => newest.map((one) => ({ ...one, price }));
  await fakeActs(tab, { home_summary: () => ({ ...homeOf(6), newest: priced() }) });
  await tab.goto('/');
  const table = tab.getByRole('table', { name: 'Pesan terbaru' });
  await table.getByRole('columnheader', { name: 'Biaya' }).waitFor();
  // Within the quota no message has a cost, and the table no column for it.
  price = 0;
  await tab.goto('/');
  await table.getByRole('columnheader', { name: 'Waktu' }).waitFor();
  await table.getByRole('columnheader', { name: 'Biaya' }).waitFor({ state: 'detached' });
  const row = table.getByRole('row').nth(1);
  await row.getByText('Kiriman Promo akhir tahun').waitFor();
  await row.getByText('200 pesan').waitFor();
  await row.getByText('Diskon 20% hari ini').click();
  await tab.waitForURL(/\/message-history\/kiriman\?open=cmp_/);
});

const qrIn = (tab: Page) => tab.getByRole('img', { name: /^Kode QR untuk dipindai/ });

test('a new account gets one token, in two tabs too, and sees its QR again on return', async ({
  person,
}) => {
  const shop = await signUp(address, { name: 'Warung Baru', phone: '6281355507101' });
  // The later tab's QR replaces that of the other.
  const { open } = await person({ session: shop.session, expects: [/status of 410/] });
  const [first, second] = await Promise.all([open('/'), open('/')]);
  await waitFor(async () =>
    expect((await qrIn(first).count()) + (await qrIn(second).count())).toBeGreaterThan(0),
  );
  await first.close();
  await second.reload();
  await qrIn(second).waitFor();
  const tokens = await askRows(address, listTokens, {}, shop.session);
  expect(tokens).toMatchObject([{ name: 'Warung Baru', key_hint: '' }]);
});

test('a first token that cannot be made says what to do, and is made on the next try', async ({
  person,
}) => {
  const shop = await signUp(address, { name: 'Warung Sore', phone: '6281355507119' });
  const { open } = await person({ session: shop.session, expects: [/ERR_FAILED/] });
  const tab = await open();
  await tab.route('**/api', (route) =>
    route.request().postData()?.includes('token_first') ? route.abort() : route.fallback(),
  );
  await tab.goto(`${address}/`);
  const retry = tab.getByRole('button', { name: 'Coba lagi' });
  await retry.waitFor();
  await tab.unroute('**/api');
  await retry.click();
  await qrIn(tab).waitFor();
});

test('a linked account sends its first message to its own number, paid by the bonus', async ({
  person,
}) => {
  const shop = await signUp(address, { name: 'Warung Pagi', phone: '6281355507105' });
  await newSender(address, shop, { name: 'Kasir', phone: shop.phone });
  const { open } = await person({ session: shop.session });
  const tab = await open('/');
  await tab.getByText('bonus selamat datang dari kami').waitFor();
  const number = tab.getByLabel('Nomor tujuan');
  expect(await number.inputValue()).toBe('+62 813-5550-7105');
  // It is whole on the smallest phone too.
  await tab.setViewportSize({ width: 320, height: 640 });
  const hidden = () => number.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  await waitFor(async () => expect(await hidden()).toBe(0));
  await tab.getByLabel('Isi pesan').fill('');
  const send = tab.getByRole('button', { name: 'Kirim pesan' });
  await send.click();
  await tab.getByText('Tulis isi pesan.').waitFor();
  await tab.getByLabel('Isi pesan').fill('Uji coba');
  await send.click();
  await tab.getByRole('region', { name: 'Pesan pertama terkirim' }).waitFor();
  expect(await tab.getByText('2 dari 3 selesai').count()).toBe(1);
  expect(await askRows(address, listTokens, {}, shop.session)).toHaveLength(1);
});

test('on a phone the header leaves room for the list, and the sheet has one column', async ({
  person,
}) => {
  const shop = await signUp(address, { name: 'Toko Benang', phone: '6281355507103' });
  const { open } = await person({ session: shop.session, width: 390 });
  const tab = await open('/token');
  const title = await boxOf(tab.getByRole('heading', { name: 'Nomor', level: 1 }));
  const action = await boxOf(tab.getByRole('button', { name: 'Tambah token' }).first());
  expect(action.y).toBeLessThan(title.y + title.height);
  await tab.getByRole('button', { name: 'Lainnya' }).click();
  const sheet = tab.getByRole('dialog', { name: 'Lainnya' });
  const entries = [
    sheet.getByRole('link', { name: 'Profil' }),
    sheet.getByRole('button', { name: /^Tema/ }),
    sheet.getByRole('link', { name: 'Simulator ponsel' }),
  ];
  const lefts = async () => {
    const boxes = await Promise.all(entries.map(boxOf));
    return new Set(boxes.map(({ x }) => Math.round(x))).size;
  };
  await waitFor(async () => expect(await lefts()).toBe(1));
});
