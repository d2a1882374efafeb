import { describe, expect, test as plain } from 'vitest';
import * as fc from 'fast-check';
import { publicId } from '#contract/base/ids.ts';
import type { MessageStatus, MessageType, StatusFilter } from '#contract/messages.ts';
import { civilDate } from '#contract/base/time.ts';
import { newId } from '#server/infra/ids.ts';
import { test } from '#tests/support/database/database.ts';
import { rowsRead } from '#tests/support/database/rows-read.ts';
import { acceptTexts } from '#tests/support/app/fake-channel.ts';
import { customerWith, makeToken } from '#tests/support/people/people.ts';
import {
  type MessageOptions,
  type Stored,
  changeConversations,
  idOf,
  insertMessages,
  makeConversation,
  storeMessages,
} from '#tests/support/people/stored-messages.ts';
import { SIZE, found, indexAll, storeLate, text } from '#tests/support/people/worded-messages.ts';
import { messageList } from '#server/domains/messages/history/history.ts';
import { matcherOf, wordsIn } from '#server/domains/messages/history/words.ts';

type Ask = Parameters<typeof messageList>[2];

const DAY_MS = 86_400_000;

describe('the words of a text', () => {
  plain('are its runs of 2 to 40 letters and digits in lower case, each once', () => {
    expect(wordsIn('Halo, Kak! INV-2026/77 a ' + 'x'.repeat(41) + ' halo')).toEqual([
      'halo',
      'kak',
      'inv',
      '2026',
      '77',
    ]);
    expect(wordsIn('ＴＯＫＯ ﬁnal Re\u0301sume\u0301 नमस्ते')).toEqual([
      'toko',
      'final',
      'résumé',
      'नमस्ते',
    ]);
    expect(wordsIn('••• !? 🎉')).toEqual([]);
    expect(wordsIn(Array.from({ length: 300 }, (_, n) => `kata${n}`).join(' '))).toHaveLength(200);
  });

  plain('match in a text in the same way as they are extracted', () => {
    const letters = fc.constantFrom('a', 'B', '7', ' ', '-', '_', '.', 'é', '\n', 'K');
    const some = fc.array(letters, { maxLength: 500 }).map((all) => all.join(''));
    fc.assert(
      fc.property(some, some, (typed, said) => {
        const words = wordsIn(typed).slice(0, 2);
        const has = wordsIn(said);
        expect(matcherOf(words)(said)).toBe(words.every((one) => has.includes(one)));
      }),
      { numRuns: 300 },
    );
  });
});

/** Messages of a batch, in place of 2,048. */
const SMALL = 24;

const texts = [
  'Pesanan',
  'sudah',
  'KAMI',
  'kirim',
  'terima-kasih',
  'INV/77',
  'ﬁnal',
  'Résumé',
  'नमस्ते',
  '注文',
];
const named = '6281234567890';
const peers = [named, '6285511112222', '12025550123'];
const statuses: readonly MessageStatus[] = ['queued', 'sent', 'delivered', 'read', 'failed'];
const start = Date.parse('2026-10-20T03:00:00Z');

const aMessage = (tokens: readonly string[]) =>
  fc.record({
    at: fc
      .integer({ min: 0, max: 30 * 24 * 60 })
      .map((minute) => new Date(start + minute * 60_000)),
    tokenId: fc.constantFrom(...tokens),
    peer: fc.constantFrom(...peers),
    direction: fc.constantFrom('in' as const, 'out' as const),
    type: fc.constantFrom<MessageType>('text', 'text', 'image'),
    said: fc.shuffledSubarray(texts).map((some) => some.join(' ')),
    status: fc.constantFrom(...statuses),
  });

const stored = ({ said, type, direction, status, ...rest }: Generated): MessageOptions => ({
  ...rest,
  type,
  direction,
  status: direction === 'in' ? 'received' : status,
  body: type === 'text' ? { text: said } : { link: 'https://toko.example/a', caption: said },
});
type Generated = Omit<Required<MessageOptions>, 'body'> & { said: string };

/** The expected result, by scanning all messages. */
function expected(all: readonly Stored[], ask: Ask & { q: string }): string[] {
  const words = wordsIn(ask.q);
  const fits = (one: Stored) => {
    const has = wordsIn(Object.values(one.body).join(' '));
    const isNamed = one.peer === named && 'pesanan budi'.startsWith(ask.q.toLowerCase());
    return (
      (isNamed || (words.length > 0 && words.every((word) => has.includes(word)))) &&
      (ask.from === undefined || civilDate(one.at) >= ask.from) &&
      (ask.to === undefined || civilDate(one.at) <= ask.to) &&
      (ask.status === undefined || ask.status.some((status) => status === one.status)) &&
      (ask.direction === undefined || one.direction === ask.direction) &&
      (ask.token_id === undefined || one.tokenId === ask.token_id) &&
      (ask.type === undefined || one.type === ask.type)
    );
  };
  const ids = all
    .filter(fits)
    .map(({ id }) => id)
    .toSorted();
  return (ask.sort_type === 'asc' ? ids : ids.toReversed()).map((id) => publicId('message', id));
}

describe('a search by words', () => {
  test('finds the same as a full scan: in batches, late ones, and unindexed ones', async ({
    db,
    sql,
  }) => {
    const { accountId, tokenId } = await customerWith(sql);
    const tokens = [tokenId, await makeToken(sql, accountId, { name: 'Gudang' })];
    const messages = fc.sample(aMessage(tokens), 460).map(stored);
    const all: Stored[] = [];
    const store = async (from: number, upto: number) =>
      void all.push(...(await storeMessages(db.owner, accountId, messages.slice(from, upto))));
    await store(0, 300);
    // With 60 messages some words are stored as places, others as bits.
    await indexAll(sql, accountId, 60);
    all.push(...(await storeLate(db, accountId, messages.slice(300, 360), true)));
    await indexAll(sql, accountId, 60);
    all.push(...(await storeLate(db, accountId, messages.slice(360, 400), false)));
    all.push(...(await storeLate(db, accountId, messages.slice(400, 460), true)));
    await changeConversations(sql, { accountId, peer: named }, { peerName: 'Pesanan Budi' });

    const maybe = <T>(values: readonly T[]) =>
      fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
    const days = ['2026-10-20', '2026-10-28', '2026-11-01', '2026-11-08', '2026-11-19'];
    const anAsk = fc.record({
      q: fc.constantFrom(
        ...texts,
        'pesanan kirim',
        'kasih kami sudah',
        'RÉSUMÉ ﬁnal',
        'pesanan sudah kami',
        // More words than are joined.
        'pesanan sudah kami kirim terima kasih inv 77',
        'pes',
        'tidak',
        '!?',
      ),
      from: maybe(days),
      to: maybe(days),
      status: fc.option(
        fc.subarray<StatusFilter>(['sent', 'read', 'failed', 'received'], { minLength: 1 }),
        { nil: undefined, freq: 2 },
      ),
      direction: maybe(['in', 'out'] as const),
      token_id: maybe(tokens),
      type: maybe(['text', 'image'] as const),
      sort_type: maybe(['asc', 'desc'] as const),
    });
    await fc.assert(
      fc.asyncProperty(anAsk, async (ask) => {
        expect(await found(db.tenantSql, accountId, ask)).toEqual(expected(all, ask));
      }),
      { numRuns: 150 },
    );
    const [{ overlapping } = { overlapping: 0 }] = await sql<{ overlapping: number }[]>`
      select count(*) as overlapping from word_batches a join word_batches b
        on a.account_id = b.account_id and a.upto > b.upto and a.low < b.upto`;
    expect(overlapping).toBeGreaterThan(0);
  });

  test('shows 10,000 messages of a common word, any page, both ways', async ({ db, sql }) => {
    const { accountId, tokenId } = await customerWith(sql);
    const messages = Array.from({ length: 12_500 }, (_, i) => ({
      id: idOf(new Date((1_790_000_000 + i) * 1000)),
      tokenId,
      body: text(`Promo nomor ${i % 100 ? `x${i}` : 'istimewa'}${i % 5 ? '' : ' kelima'}`).body!,
      status: i % 1000 ? 'read' : 'failed',
    }));
    await insertMessages(db.owner, accountId, messages);
    // So many batches that two common words are read side by side; with 24 messages some have bits, others places.
    await indexAll(sql, accountId, SMALL);
    const numbers = async (ask: Ask) => {
      const { rows, total } = await messageList(db.tenantSql, accountId, ask);
      return { total, at: rows.map(({ created_at: at }) => at.getTime() / 1000 - 1_790_000_000) };
    };
    const ten = (first: number, step: number) =>
      Array.from({ length: 10 }, (_, n) => first + n * step);
    const ask = { q: 'promo' };
    const oldest = { ...ask, sort_type: 'asc' } as const;
    expect(await numbers(ask)).toEqual({ total: 10_000, at: ten(12_499, -1) });
    expect(await numbers({ ...ask, page: 999 })).toEqual({ total: 10_000, at: ten(2509, -1) });
    expect(await numbers({ ...ask, page: 1000 })).toEqual({ total: 10_000, at: [] });
    expect(await numbers(oldest)).toEqual({ total: 10_000, at: ten(0, 1) });
    expect(await numbers({ ...oldest, page: 731 })).toEqual({ total: 10_000, at: ten(7310, 1) });
    expect(await numbers({ q: 'istimewa promo', page: 3 })).toEqual({
      total: 125,
      at: ten(9400, -100),
    });
    for (const q of ['nomor promo', 'promo kelima', 'kelima nomor promo']) {
      const isAll = q === 'nomor promo';
      const [total, step] = isAll ? [10_000, 1] : [2500, 5];
      const last = isAll ? 12_499 : 12_495;
      for (const page of [0, 77, total / 10 - 1]) {
        const at = ten(last - page * 10 * step, -step);
        expect(await numbers({ q, page })).toEqual({ total, at });
        const back = ten(page * 10 * step, step);
        expect(await numbers({ q, page, sort_type: 'asc' })).toEqual({ total, at: back });
      }
    }
    // With a status, only as many of the first matches as can be looked up in time; the answer says so.
    const failed = await messageList(db.tenantSql, accountId, { ...ask, status: ['failed'] });
    expect(failed).toMatchObject({ total: 2, searched: 2016 });
    const few = await messageList(db.tenantSql, accountId, { q: 'istimewa', status: ['failed'] });
    expect(few).toMatchObject({ total: 13, searched: undefined });
    expect((await numbers({ ...ask, type: 'image' })).total).toBe(0);
    // If a name matches as well, all other filters behave this way.
    const conversation = { accountId, tokenId, peer: '6281234567890', peerName: 'Promo Toko' };
    await makeConversation(sql, conversation);
    expect(await numbers({ ...ask, page: 999 })).toEqual({ total: 10_000, at: ten(2509, -1) });
    for (const one of [ask, oldest]) {
      const some = await messageList(db.tenantSql, accountId, { ...one, status: ['failed'] });
      expect(some).toMatchObject({ total: one === ask ? 2 : 3, searched: 2016 });
    }
  });

  test('looks words up batch by batch that are in many batches and never together', async ({
    db,
    sql,
  }) => {
    const { accountId, tokenId } = await customerWith(sql);
    const words = ['batik', 'kebaya', 'sarung', 'selendang'];
    const batches = 60;
    const messages = Array.from({ length: batches * SMALL }, (_, i) => ({
      id: idOf(new Date((1_790_000_000 + i) * 1000)),
      tokenId,
      body: text(words.filter((_, n) => n !== i % 4).join(' ')).body!,
      status: 'read',
    }));
    await insertMessages(db.owner, accountId, messages);
    await indexAll(sql, accountId, SMALL);
    const { found: rows } = await rowsRead(db.tenantSql, 'message_words', async (tx) => {
      await tx`select set_config('app.account', ${accountId}, true)`;
      const [first = '', last = ''] = ['0', 'f'].map((digit) =>
        '00000000-0000-0000-0000-000000000000'.replaceAll('0', digit),
      );
      const total = await tx`
        select o_total as total from find_words(
          ${accountId}, ${words}::text[], ${first}, ${last}, ${last}, '{}', true, 0, 10, 10000)`;
      expect(total).toEqual([{ total: 0 }]);
    });
    // Each word in each batch twice: to choose the rarest, and to look it up.
    expect(rows).toBeGreaterThan(batches * words.length);
    expect(rows).toBeLessThanOrEqual(3 * batches * words.length);
  });

  test('finds a message by each displayed part as soon as it is accepted', async ({ db, sql }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    const { accountId, tokenId } = ani;
    const at = new Date(Date.now() - DAY_MS);
    const bodies: [MessageType, object][] = [
      ['document', { filename: 'Faktur-Oktober.pdf', file: newId() }],
      ['image', { caption: 'Foto sepatu' }],
      [
        'location',
        { name: 'Toko Ramai', address: 'Jalan Kenanga 5', latitude: -6, longitude: 106 },
      ],
      ['contact', { name: 'Citra Lestari', phone: '6281234567890' }],
      ['template', { text: 'Tagihan Juli', header: 'Pengingat', footer: 'Balas stop' }],
      ['text', { text: '1', choice: { title: 'Kirim sekarang' } }],
    ];
    const options = bodies.map(([type, body]) => ({ at, tokenId, type, body }));
    const all = await storeMessages(db.owner, accountId, options);
    const queries = [
      'oktober pdf',
      'sepatu',
      'kenanga ramai',
      'lestari',
      'pengingat juli',
      'sekarang',
    ];
    const expectFound = async () => {
      for (const [nth, q] of queries.entries()) {
        expect(await found(db.tenantSql, accountId, { q })).toEqual([
          publicId('message', all[nth]?.id ?? ''),
        ]);
      }
    };
    await expectFound();
    await indexAll(sql, accountId, bodies.length);
    await expectFound();
    const { results } = await acceptTexts(sql, ani, { prices: [150], peers: ['6281234567890'] });
    const [placed] = await sql<{ text: string }[]>`
      select body ->> 'text' as text from messages where message_id = ${results[0]?.id ?? ''}`;
    expect(await found(db.tenantSql, accountId, { q: placed?.text ?? '' })).toEqual([
      publicId('message', results[0]?.id ?? ''),
    ]);
  });

  test('hides the messages of other accounts, even through its SQL functions', async ({
    db,
    sql,
  }) => {
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const at = new Date(start);
    const many = Array.from({ length: SIZE }, () => ({
      at,
      tokenId: budi.tokenId,
      ...text('rahasia'),
    }));
    await storeMessages(db.owner, budi.accountId, many);
    await indexAll(sql, budi.accountId);
    expect(await found(db.tenantSql, budi.accountId, { q: 'rahasia' })).toHaveLength(SIZE);
    expect(await found(db.tenantSql, ani.accountId, { q: 'rahasia' })).toEqual([]);
    await db.tenantSql.begin(async (tx) => {
      await tx`select set_config('app.account', ${ani.accountId}, true)`;
      expect(await tx`select 1 from message_words`).toEqual([]);
      expect(await tx`select 1 from word_batches`).toEqual([]);
      expect(await tx`select 1 from word_cursors`).toEqual([]);
      const [first = '', last = ''] = ['0', 'f'].map((digit) =>
        '00000000-0000-0000-0000-000000000000'.replaceAll('0', digit),
      );
      expect(
        await tx`
          select * from find_words(
            ${budi.accountId}, array['rahasia'], ${first}, ${last}, ${last}, '{}', true, 0, 10, 10
          )`,
      ).toEqual([]);
    });
  });
});
