import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import type { SupportCard, SupportMessage, SupportThread } from '#contract/support.ts';
import { inspection } from '#tests/journeys/browser/axe.ts';
import { fakeActs, fakeRequests, type FakeActs } from '#tests/journeys/support/fake-acts.ts';
import { signUp } from '#tests/journeys/support/portal.ts';
import { isFocused, press, write } from '#tests/journeys/support/steps.ts';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

type World = { thread: SupportThread; lines: SupportMessage[] };
type Profile = { open: (path?: string) => Promise<Page>; wrongs: readonly string[] };
type Profiles = { open: (options: object) => Promise<Profile> };

const hours = { open_now: true, opens_at: null, lines: ['Senin–Jumat 08.00–17.00 WIB'], note: '' };
const empty: SupportThread = {
  status: 'closed',
  last_seq: 0,
  customer_read: 0,
  operator_read: 0,
  unread: 0,
  operator: null,
  usual_answer_seconds: 240,
  hours,
  rating: { due: false, score: null },
};
const content = {
  type: 'text',
  caption: '',
  url: null,
  external: false,
  filename: null,
  name: null,
  phone: null,
};

const lineOf = (seq: number, given: Partial<SupportMessage>): SupportMessage => ({
  id: publicId('support', `01900000-0000-7000-8000-${String(seq).padStart(12, '0')}`),
  seq,
  side: 'customer',
  author: null,
  mine: true,
  internal: false,
  content,
  size: null,
  card: null,
  event: null,
  at: new Date('2026-11-23T02:00:00Z'),
  ...given,
});

const said = (seq: number, caption: string, given: Partial<SupportMessage> = {}) =>
  lineOf(seq, { content: { ...content, caption }, ...given });

const serverOf = (world: World, more: FakeActs = {}): FakeActs => ({
  support_thread: () => world.thread,
  support_unread: () => ({ total: 0 }),
  support_help: () => ({ causes: [] }),
  support_read: () => world.thread,
  support_typing: () => ({}),
  support_send: ({ message_id = '', text = '' }) => {
    const seq = world.thread.last_seq + 1;
    const line = { ...said(seq, text), id: publicId('support', message_id) };
    // A page that was left before the response sends it again; the first message is returned.
    const first = world.lines.find(({ id }) => id === line.id);
    if (first) return first;
    world.lines.unshift(line);
    world.thread = { ...world.thread, status: 'open', last_seq: seq };
    return line;
  },
  ...more,
});

let customer: Promise<string> | undefined;

/** Opens support with the server `acts`; everything else is the product's own. */
async function at(profiles: Profiles, world: World, more: FakeActs = {}, query = '') {
  const phone = `62858${String(Date.now() % 1e8).padStart(8, '0')}`;
  customer ??= signUp(inject('product'), { name: 'Toko Ratna', phone }).then((one) => one.session);
  const { open, wrongs } = await profiles.open({
    session: await customer,
    expects: [/status of (?:404|409|422|503)/],
  });
  const before = wrongs.length;
  const tab = await open();
  const asked = await fakeActs(tab, serverOf(world, more));
  // A list with manual paging has its rows beside their count.
  await fakeRequests(tab, ({ act, start }) => {
    if (act !== 'support_messages') return undefined;
    const data = world.lines.slice(Number(start), Number(start) + 10);
    return { json: { code: 1, msg: '', data, count: data.length } };
  });
  await tab.goto(`${inject('gallery')}/customer-service${query}`);
  await box(tab).waitFor();
  const done = async () => {
    expect(wrongs.slice(before)).toEqual([]);
    await tab.evaluate(() => localStorage.removeItem('kept:draft support own'));
    await tab.close();
  };
  const sends = () => asked.filter(({ act }) => act === 'support_send');
  return { tab, asked, sends, done };
}

const box = (tab: Page) => tab.getByRole('textbox', { name: /^Tulis pesan untuk/ });
const articles = (tab: Page) => tab.getByRole('article');

const disconnected = {
  cause: 'token_disconnected',
  title: 'Nomor Kasir terputus',
  answer: 'Pesannya tidak terkirim sampai tersambung lagi.',
  about: { type: 'topup', id: `top_${'0'.repeat(26)}` },
  href: '/token',
  action: 'Sambungkan lagi',
};
const short = {
  ...disconnected,
  cause: 'saldo_short',
  title: 'Saldo Anda tinggal Rp 50',
  about: null,
};

test('before the first question it suggests the probable cause, and attaches it', async ({
  profiles,
}) => {
  const support_card = () => ({
    refused: 'not_found',
    message: 'Isi saldo tidak ditemukan.',
    facts: { what: 'Isi saldo' },
  });
  const world = { thread: empty, lines: [] };
  const causes = { support_help: () => ({ causes: [disconnected, short] }), support_card };
  const { tab, done } = await at(profiles, world, causes);
  await tab.getByText('Biasanya dibalas dalam 4 menit.').waitFor();
  const help = tab.getByRole('region', { name: 'Bantuan cepat' });
  await help.getByRole('link', { name: 'Sambungkan lagi' }).first().waitFor();
  const still = help.getByRole('button', { name: 'Masih perlu bantuan' });
  await press(tab, still.first());
  await waitFor(async () => expect(await isFocused(tab, box(tab))).toBe(true));
  expect(new URL(tab.url()).search).toBe(`?about=topup&id=${disconnected.about.id}`);
  await press(tab, still.nth(1));
  await waitFor(async () => expect(await box(tab).inputValue()).toBe('Saldo Anda tinggal Rp 50: '));
  await done();
});

test('a refused message keeps its reason, is resent under its id, and never duplicated', async ({
  profiles,
}) => {
  const world: World = { thread: empty, lines: [] };
  const serve = serverOf(world)['support_send']!;
  let refusing = true;
  const support_send = (fields: Readonly<Record<string, string>>) =>
    refusing
      ? { refused: 'support_too_many', message: 'Terlalu banyak pesan.', facts: { seconds: 60 } }
      : serve(fields);
  const { tab, sends, done } = await at(profiles, world, { support_send });
  await write(tab, box(tab), 'Halo, saya perlu bantuan');
  await tab.keyboard.press('Enter');
  const again = tab.getByRole('button', { name: 'Kirim ulang' });
  await again.waitFor();
  await tab.reload();
  await again.waitFor();
  refusing = false;
  await press(tab, again);
  await tab.getByText('Terkirim', { exact: true }).waitFor();
  expect(await articles(tab).count()).toBe(1);
  expect(new Set(sends().map(({ message_id }) => message_id)).size).toBe(1);
  await done();
});

test('messages written offline survive a reload, and arrive once and in order', async ({
  profiles,
}) => {
  const world: World = { thread: empty, lines: [] };
  const { tab, sends, done } = await at(profiles, world);
  await tab.evaluate(() => {
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
    window.dispatchEvent(new Event('offline'));
  });
  for (const text of ['satu', 'dua']) {
    await write(tab, box(tab), text);
    await tab.keyboard.press('Enter');
  }
  await tab.getByText('2 pesan menunggu tersambung.').waitFor();
  expect(sends()).toEqual([]);
  await tab.goto(`${inject('gallery')}/profile`);
  await waitFor(() =>
    expect(world.lines.map(({ content: { caption } }) => caption)).toEqual(['dua', 'satu']),
  );
  await tab.goto(`${inject('gallery')}/customer-service`);
  await articles(tab).nth(1).waitFor();
  expect(await articles(tab).allInnerTexts()).toEqual([
    expect.stringContaining('satu'),
    expect.stringContaining('dua'),
  ]);
  expect(new Set(sends().map(({ message_id }) => message_id)).size).toBe(2);
  await done();
});

test('a closed thread is rated with keys alone, once', async ({ profiles }) => {
  const world: World = {
    thread: { ...empty, last_seq: 2, rating: { due: true, score: null } },
    lines: [
      said(2, 'Percakapan ditutup', { side: 'system', mine: false, event: 'closed' }),
      said(1, 'Terima kasih'),
    ],
  };
  const support_rate = ({ score = '' }) => {
    world.thread = { ...world.thread, rating: { due: false, score: Number(score) } };
    return world.thread;
  };
  const { tab, asked, done } = await at(profiles, world, { support_rate });
  const { faults, look } = inspection();
  const star = tab.getByRole('radio', { name: '1 dari 5, Sangat buruk' });
  await star.focus();
  for (let step = 0; step < 4; step++) await tab.keyboard.press('ArrowRight');
  await look(tab, 'rating');
  await tab.keyboard.press('Tab');
  await tab.keyboard.type('Cepat dan ramah');
  await press(tab, tab.getByRole('button', { name: 'Kirim penilaian' }));
  await tab.getByText('Tulis lagi kapan saja').waitFor();
  const rated = asked.filter(({ act }) => act === 'support_rate');
  expect(rated).toEqual([expect.objectContaining({ score: '5', comment: 'Cepat dan ramah' })]);
  expect(faults).toEqual([]);
  await done();
});

test('messages of both sides, cards, files and hours are shown in every profile', async ({
  profiles,
}) => {
  const operator = { side: 'operator', author: 'Rina', mine: false } as const;
  const card: SupportCard = {
    type: 'message',
    id: 'msg_1',
    title: 'Pesan ke +62 812-3456-7890',
    status: 'Gagal',
    lines: ['Nomor Kasir'],
  };
  // The account has no token any more.
  const gone: SupportCard = {
    ...card,
    type: 'token',
    id: 'tok_1',
    title: 'Nomor Kasir',
    lines: [],
  };
  const file = { ...content, type: 'pdf', filename: 'bukti.pdf', url: '/files/bukti.pdf' };
  const world: World = {
    thread: {
      ...empty,
      status: 'open',
      last_seq: 4,
      operator: 'Rina',
      operator_read: 1,
      hours: {
        ...hours,
        open_now: false,
        opens_at: new Date('2026-11-23T01:00:00Z'),
        note: 'Libur 25 Desember.',
      },
    },
    lines: [
      lineOf(4, { content: { ...content, type: 'vcard', name: 'Budi', phone: '6281234567890' } }),
      lineOf(3, { ...operator, content: file, size: 120_000 }),
      said(2, 'Kami periksa dulu', { ...operator, card: gone }),
      said(1, 'Mengapa gagal?', { card }),
    ],
  };
  const { tab, asked, done } = await at(profiles, world);
  const { faults, look } = inspection();
  await tab.getByText('Rina menangani pertanyaan Anda.').waitFor();
  await tab.getByText(/buka lagi Senin, 23 November pukul 08\.00 WIB/).waitFor();
  expect(await tab.getByText(/secepatnya|Biasanya dibalas/).count()).toBe(0);
  const link = tab.getByRole('link', { name: /Pesan ke \+62 812-3456-7890/ });
  expect(await link.getAttribute('href')).toBe('/message-history?open=msg_1');
  await tab.getByText('Dibaca', { exact: true }).waitFor({ state: 'attached' });
  await tab.getByText('Nomor Kasir').first().waitFor();
  await waitFor(async () => expect(await tab.locator('a[href*=tok_1]').count()).toBe(0));
  await look(tab, 'thread');
  await tab.getByRole('button', { name: 'Lampiran' }).click();
  // Why a file cannot be sent stays beside the box until it is read: a toast would cover the send button.
  await tab.getByLabel('Dokumen').setInputFiles({
    name: 'program.exe',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from('MZ'),
  });
  await tab
    .getByRole('region', { name: /^Percakapan/ })
    .getByText(/^program\.exe tidak/)
    .waitFor();
  await look(tab, 'refused file');
  await tab.getByRole('button', { name: 'Tutup', exact: true }).click();
  await tab.getByRole('button', { name: 'Lampiran' }).click();
  await tab.getByRole('button', { name: 'Kontak', exact: true }).click();
  const form = tab.getByRole('form', { name: 'Kirim kontak' });
  await form.getByRole('button', { name: 'Kirim kontak' }).click();
  await form.getByText('Tulis namanya.').waitFor();
  await look(tab, 'contact');
  await tab.getByLabel('Kartu kontak (.vcf)').setInputFiles({
    name: 'siti.vcf',
    mimeType: 'text/vcard',
    buffer: Buffer.from('BEGIN:VCARD\r\nFN:Siti\r\nTEL:0812 1111 2222\r\nEND:VCARD\r\n'),
  });
  await waitFor(async () => expect(await form.getByLabel('Nama').inputValue()).toBe('Siti'));
  await form.getByRole('button', { name: 'Kirim kontak' }).click();
  await waitFor(() =>
    expect(asked).toContainEqual(
      expect.objectContaining({ contact_name: 'Siti', contact_phone: '6281211112222' }),
    ),
  );
  expect(await isFocused(tab, box(tab))).toBe(true);
  expect(faults).toEqual([]);
  await done();
});

test('older messages load on scrolling up, each once, by the pages’ counts', async ({
  profiles,
}) => {
  const lines = Array.from({ length: 55 }, (_, index) => said(55 - index, `baris ${55 - index}.`));
  const world: World = { thread: { ...empty, status: 'open', last_seq: 55 }, lines };
  const { tab, done } = await at(profiles, world);
  await tab.getByText('baris 55.').waitFor();
  const scroll = tab.getByRole('region', { name: 'Pesan dalam percakapan' });
  await waitFor(async () => {
    await scroll.evaluate((one) => (one.scrollTop = 0));
    expect(await tab.getByText('baris 1.', { exact: true }).count()).toBe(1);
  });
  await done();
});
