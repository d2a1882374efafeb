import { Refusal } from '#contract/base/refusals.ts';
import { describe, expect, test as plain } from 'vitest';
import * as fc from 'fast-check';
import type { InputOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import {
  type MessageStatus,
  type MessageType,
  type StatusFilter,
  listMessages,
} from '#contract/messages.ts';
import { civilDate } from '#contract/base/time.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith, makeToken, orderOf } from '#tests/support/people/people.ts';
import {
  type MessageOptions,
  type Stored,
  changeConversations,
  idOf,
  insertMessages,
  storeMessages,
} from '#tests/support/people/stored-messages.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { messageList } from './history.ts';
import { type MessageFilter, pageOf, readAsAccount } from './pages.ts';
import { applyReceipts } from '#server/domains/messages/dispatch/settle.ts';
import { searchMessages } from './search.ts';

type Ask = InputOf<typeof listMessages>;

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

const waiting: readonly MessageStatus[] = ['accepted', 'queued', 'sending'];

/** The expected history, by scanning all messages: the model for the pages. */
function expected(all: readonly Stored[], ask: Ask): Stored[] {
  const fits = (one: Stored) =>
    (ask.from === undefined || civilDate(one.at) >= ask.from) &&
    (ask.to === undefined || civilDate(one.at) <= ask.to) &&
    (ask.status === undefined ||
      ask.status.some((status) =>
        status === 'waiting' ? waiting.includes(one.status) : one.status === status,
      )) &&
    (ask.direction === undefined || one.direction === ask.direction) &&
    (ask.token_id === undefined || one.tokenId === ask.token_id) &&
    (ask.type === undefined || one.type === ask.type) &&
    (ask.q === undefined || one.peer.startsWith(ask.q));
  const way = ask.sort_type === 'asc' ? 1 : -1;
  return all.filter(fits).sort((a, b) => (a.id < b.id ? -way : way));
}

const idsOf = (messages: readonly Stored[]) => messages.map(({ id }) => publicId('message', id));

async function allPages(sql: Sql, accountId: string, ask: Ask) {
  const first = await messageList(sql, accountId, ask);
  const pages = [first.rows];
  for (let page = 1; page <= Math.ceil(first.total / 10); page++) {
    const next = await messageList(sql, accountId, { ...ask, page });
    expect(next.total).toBe(first.total);
    pages.push(next.rows);
  }
  expect(pages.slice(0, -1).every(({ length }) => length > 0)).toBe(true);
  expect(pages.length === 1 || pages.at(-1)?.length === 0).toBe(true);
  return { total: first.total, ids: pages.flat().map(({ id }) => id) };
}

const outStatuses: readonly MessageStatus[] = ['queued', 'sent', 'delivered', 'read', 'failed'];
const types: readonly MessageType[] = ['text', 'text', 'text', 'image'];
const peers = ['6281234567890', '6281234567', '6285511112222', '12025550123'];

/** Three months of messages: crowded hours, empty days, midnights of WIB, ends of months. */
function someMessages(tokens: readonly [string, string]): MessageOptions[] {
  const crowded = Date.parse('2026-10-31T16:30:00Z');
  const midnight = Date.parse('2026-10-31T17:00:00Z');
  const minutes = [
    ...Array.from({ length: 45 }, (_, n) => crowded + n * 60_000),
    ...Array.from({ length: 40 }, (_, n) => midnight + n * 47 * 3_600_000 + n * 7_919),
    ...Array.from({ length: 30 }, (_, n) => midnight - n * 23 * 3_600_000 - 1),
  ];
  return minutes.map((ms, n) => ({
    at: new Date(ms),
    tokenId: tokens[n % 3 === 0 ? 1 : 0],
    peer: peers[n % peers.length] ?? '',
    type: types[(n * 7) % types.length] ?? 'text',
    ...(n % 5 === 4
      ? { direction: 'in' as const }
      : { status: outStatuses[(n * 3) % outStatuses.length] ?? 'sent' }),
  }));
}

describe('pages', () => {
  test('show every message once, in order, for every filter and both ways', async ({ db, sql }) => {
    const ani = await customerWith(sql);
    const tokens = [ani.tokenId, await makeToken(sql, ani.accountId, { name: 'Gudang' })] as const;
    const all = await storeMessages(db.owner, ani.accountId, someMessages([...tokens]));
    const days = [
      '2026-09-30',
      '2026-10-01',
      '2026-10-31',
      '2026-11-01',
      '2026-11-15',
      '2027-01-05',
    ];
    const statuses: StatusFilter[] = ['waiting', 'sent', 'read', 'failed', 'cancelled', 'received'];
    const maybe = <T>(values: readonly T[]) =>
      fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
    const anAsk = fc.record({
      from: maybe(days),
      to: maybe(days),
      status: fc.option(fc.subarray(statuses, { minLength: 1 }), { nil: undefined, freq: 2 }),
      direction: maybe(['in', 'out'] as const),
      token_id: maybe(tokens),
      type: maybe(['text', 'image', 'video'] as const),
      q: maybe(['62', '628123', '6281234567', '6285511112222', '99']),
      sort_type: maybe(['asc', 'desc'] as const),
    });
    await fc.assert(
      fc.asyncProperty(anAsk, async (ask) => {
        // A whole number matches alone, also if it is a prefix of another.
        const meant = ask.q === '6281234567' ? all.filter(({ peer }) => peer === ask.q) : all;
        const pageQuery = expected(meant, ask);
        const shown = await allPages(db.tenantSql, ani.accountId, ask);
        expect(shown).toEqual({ total: pageQuery.length, ids: idsOf(pageQuery) });
      }),
      { numRuns: 60 },
    );
  });

  test('a page beyond the last is empty and still has the total', async ({ db, sql }) => {
    const ani = await customerWith(sql);
    await storeMessages(db.owner, ani.accountId, [{ at: hoursAgo(1), tokenId: ani.tokenId }]);
    expect(await messageList(db.tenantSql, ani.accountId, { page: 1 })).toEqual({
      rows: [],
      total: 1,
    });
    const far = { page: 1_000_000_000 };
    expect(await messageList(db.tenantSql, ani.accountId, far)).toEqual({ rows: [], total: 1 });
  });

  test('an account without messages has an empty history', async ({ db, sql }) => {
    const ani = await customerWith(sql);
    for (const ask of [{}, { q: '62' }, { q: 'Budi' }, { status: ['failed' as const] }]) {
      expect(await messageList(db.tenantSql, ani.accountId, ask)).toEqual({ rows: [], total: 0 });
    }
  });

  test('hide messages of other accounts for every query', async ({ db, sql }) => {
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const options = { at: hoursAgo(1), tokenId: budi.tokenId, peer: '6281111111111' };
    await storeMessages(db.owner, budi.accountId, [options]);
    for (const ask of [{}, { q: '6281111111111' }, { q: '62' }]) {
      expect(await messageList(db.tenantSql, ani.accountId, ask)).toEqual({ rows: [], total: 0 });
    }
    const foreign = messageList(db.tenantSql, ani.accountId, { token_id: budi.tokenId });
    await expect(foreign).rejects.toEqual(new Refusal('not_found', { what: 'Token' }));
    // The search's own functions, which row-level security does not bind.
    await changeConversations(sql, {}, { peerName: 'Citra' });
    for (const [accountId, found] of [
      [ani.accountId, 0],
      [budi.accountId, 1],
    ] as const) {
      const seen = await readAsAccount(db.tenantSql, accountId, async (tx) => [
        await tx`select from search_peers_by_name(${budi.accountId}, 'cit', 10)`,
        await tx`select from search_by_phone_prefix(${budi.accountId}, '62',
          '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', true, 0, 10)`,
      ]);
      expect(seen.map(({ count }) => count)).toEqual([found, found]);
    }
  });

  test('are found by index alone: no table of messages is scanned', async ({ db, sql }) => {
    const ani = await customerWith(sql);
    const { accountId, tokenId } = ani;
    const second = await makeToken(sql, accountId, { name: 'Gudang' });
    await storeMessages(db.owner, accountId, someMessages([tokenId, second]));
    await db.owner.query('analyze');
    const filters: MessageFilter[] = [
      {},
      { statuses: ['failed'] },
      { direction: 'in' },
      { type: 'image' },
      { tokenId },
      { from: '2026-10-31', until: '2026-11-01' },
    ];
    const readWhole = await readAsAccount(db.tenantSql, accountId, async (tx) => {
      for (const filter of filters) {
        const pageQuery = { accountId, filter, order: 'newest', offset: 10, limit: 10 } as const;
        await pageOf(tx, pageQuery);
        for (const q of ['6281234567890', '62', 'Budi']) await searchMessages(tx, q, pageQuery);
      }
      return tx`
        select relname, seq_scan from pg_stat_xact_user_tables
        where relname ~ '^(messages|rollup)' and seq_scan > 0`;
    });
    expect(readWhole).toEqual([]);
  });

  test('a sent and read message appears and moves between the filters', async ({ db, sql }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    const intake = openIntake(sql, () => undefined);
    const placed = await intake.accept(orderOf(ani, { prices: [150, 150] }));
    const count = async (status: StatusFilter) =>
      (await messageList(db.tenantSql, ani.accountId, { status: [status] })).rows.length;
    expect(await Promise.all([count('waiting'), count('read')])).toEqual([2, 0]);

    const messageId = placed.results[0]?.id ?? '';
    await applyReceipts(sql, [
      { accountId: ani.accountId, messageId, status: 'read', at: new Date() },
    ]);
    expect(await Promise.all([count('waiting'), count('read')])).toEqual([1, 1]);
    const { rows, total } = await messageList(db.tenantSql, ani.accountId, {});
    expect(total).toBe(2);
    expect(rows.map(({ status }) => status).sort()).toEqual(['queued', 'read']);
    expect(rows[0]).toMatchObject({ price: 150, token: { name: 'Kasir' }, excerpt: 'Halo' });
  });
});

describe('days', () => {
  test('begin at midnight in WIB', async ({ db, sql }) => {
    const ani = await customerWith(sql);
    const { tokenId } = ani;
    await storeMessages(db.owner, ani.accountId, [
      { at: new Date('2026-11-20T16:59:59.999Z'), tokenId, body: { text: 'sebelum' } },
      { at: new Date('2026-11-20T17:00:00.000Z'), tokenId, body: { text: 'tepat' } },
    ]);
    const day = async (civil: string) =>
      (await messageList(db.tenantSql, ani.accountId, { from: civil, to: civil })).rows.map(
        ({ excerpt }) => excerpt,
      );
    expect(await day('2026-11-20')).toEqual(['sebelum']);
    expect(await day('2026-11-21')).toEqual(['tepat']);
  });

  plain('outside the calendar are refused by field', () => {
    for (const from of ['2026-02-30', '2026-13-01', '2026-00-10']) {
      expect(listMessages.input.safeParse({ from }).error?.issues).toMatchObject([
        { path: ['from'], message: 'Tanggal ini tidak ada.' },
      ]);
    }
  });

  test('of any century are answered', async ({ db, sql }) => {
    const ani = await customerWith(sql);
    await storeMessages(db.owner, ani.accountId, [{ at: hoursAgo(1), tokenId: ani.tokenId }]);
    const total = async (from: string, to: string) =>
      (await messageList(db.tenantSql, ani.accountId, listMessages.input.parse({ from, to })))
        .total;
    expect(await total('0000-01-01', '9999-12-31')).toBe(1);
    expect(await total('0000-01-01', '0001-01-01')).toBe(0);
    expect(await total('2026-11-22', '2000-01-01')).toBe(0);
  });
});

describe('search', () => {
  test('accepts a number as users type it, and its prefix', async ({ db, sql }) => {
    const ani = await customerWith(sql);
    const { tokenId } = ani;
    await storeMessages(db.owner, ani.accountId, [
      { at: hoursAgo(2), tokenId, peer: '6281234567890' },
      { at: hoursAgo(1), tokenId, peer: '6285700000001' },
    ]);
    const found = async (q: string) =>
      (await messageList(db.tenantSql, ani.accountId, { q })).rows.map(({ peer }) => peer);
    for (const q of ['0812-3456-7890', '+62 812 3456', '812', '62812']) {
      expect(await found(q)).toEqual(['6281234567890']);
    }
    expect(await found('08')).toEqual(['6285700000001', '6281234567890']);
    expect(await found('0999')).toEqual([]);
  });

  test('finds a prefix of a name with special characters', async ({ db, sql }) => {
    const ani = await customerWith(sql);
    await storeMessages(db.owner, ani.accountId, [{ at: hoursAgo(1), tokenId: ani.tokenId }]);
    await changeConversations(sql, { accountId: ani.accountId }, { peerName: '50%_Diskon' });
    const total = async (q: string) =>
      (await messageList(db.tenantSql, ani.accountId, { q })).total;
    expect(await Promise.all(['50%_d', '50%', '5%', '_0', 'Diskon', '\\'].map(total))).toEqual([
      1, 1, 0, 0, 0, 0,
    ]);
  });
});

describe('a long history', () => {
  const MESSAGES = 15_000;
  const numbered = Array.from({ length: MESSAGES }, (_, i) => i);
  /**
   * Messages to numbers with the prefix 62811: with a gap after the oldest ones, and without the newest.
   */
  const begun = numbered.filter((i) => i < 200 || (i >= 2_200 && i < 14_400));

  /**
   * A message each minute from 1 November 2026, 07:00 WIB; each thousandth failed; all to other numbers.
   */
  async function storeMinutes(owner: Sql, accountId: string, tokenId: string): Promise<void> {
    const isBegun = new Set(begun);
    const messages = numbered.map((i) => ({
      id: idOf(new Date(Date.UTC(2026, 10, 1, 0, i))),
      tokenId,
      peer: (isBegun.has(i) ? '62811' : '62812') + String(i).padStart(8, '0'),
      status: i % 1000 ? 'read' : 'failed',
    }));
    await insertMessages(owner, accountId, messages);
    await owner`
      insert into rollups (account_id, hour, token_id, direction, status, type, messages, cost)
      select account_id, date_trunc('hour', uuid_time(message_id)), token_id, direction, status, type,
        count(*), 0
      from messages where account_id = ${accountId} group by 1, 2, 3, 4, 5, 6`;
    await owner`
      insert into rollup_sums (
        account_id, grain, since, token_id, direction, status, type, messages
      )
      select account_id, grain, wib_since(grain, hour), token_id, direction, status, type, sum(messages)
      from rollups cross join unnest(array['day', 'month']) as grain
      where account_id = ${accountId} group by 1, 2, 3, 4, 5, 6, 7`;
  }

  const pageIn = (all: readonly number[], { page = 0, sort_type }: Ask): number[] =>
    (sort_type === 'asc' ? all : all.toReversed()).slice(page * 10, page * 10 + 10);

  async function openLong(db: { owner: Sql; tenantSql: Sql }, sql: Sql) {
    const { accountId, tokenId } = await customerWith(sql);
    await storeMinutes(db.owner, accountId, tokenId);
    return async (ask: Ask) => {
      const { rows, total } = await messageList(db.tenantSql, accountId, ask);
      return { total, numbers: rows.map(({ peer }) => Number(peer.slice(5))) };
    };
  }

  test('shows any page, both ways, also of some days and of one status', async ({ db, sql }) => {
    const shown = await openLong(db, sql);
    // From 17:00Z on the 1st to 17:00Z on the 8th.
    const ofDays = numbered.slice(1020, 11_100);
    const read = numbered.filter((i) => i % 1000 !== 0);
    for (const sort_type of ['asc', 'desc'] as const) {
      for (const page of [0, 3, 100, 101, 640, 907, 1007, 1398, 1399, 1499, 1500]) {
        const ask = { page, sort_type };
        expect(await shown(ask)).toEqual({ total: 15_000, numbers: pageIn(numbered, ask) });
        const days = { ...ask, from: '2026-11-02', to: '2026-11-08' };
        expect(await shown(days)).toEqual({ total: 10_080, numbers: pageIn(ofDays, ask) });
      }
      const ask: Ask = { page: 700, sort_type, status: ['read'] };
      expect(await shown(ask)).toEqual({ total: 14_985, numbers: pageIn(read, ask) });
    }
  });

  test('searches by a common prefix: 10,000 messages, any page of them', async ({ db, sql }) => {
    const shown = await openLong(db, sql);
    const fromThird = begun.filter((i) => i >= 2460);
    const toNinth = begun.filter((i) => i < 12_540);
    for (const sort_type of ['asc', 'desc'] as const) {
      for (const page of [0, 1, 19, 20, 21, 25, 500, 998, 999]) {
        const ask = { q: '62811', page, sort_type };
        expect(await shown(ask)).toEqual({ total: 10_000, numbers: pageIn(begun, ask) });
        const { numbers: later } = await shown({ ...ask, from: '2026-11-03' });
        expect(later).toEqual(pageIn(fromThird, ask));
        const { numbers: earlier } = await shown({ ...ask, to: '2026-11-09' });
        expect(earlier).toEqual(pageIn(toNinth, ask));
      }
    }
    expect(await shown({ q: '62811', page: 1000 })).toEqual({ total: 10_000, numbers: [] });
  });

  test('searches by a common prefix and a status among the first 10,000 in its order', async ({
    db,
    sql,
  }) => {
    const shown = await openLong(db, sql);
    const ask: Ask = { q: '62811', status: ['failed'] };
    const failed = (some: readonly number[]) => some.filter((i) => i % 1000 === 0);
    const newest = failed(begun.slice(-10_000));
    expect(await shown(ask)).toEqual({ total: 10, numbers: newest.toReversed() });
    const oldest = failed(begun.slice(0, 10_000));
    expect(await shown({ ...ask, sort_type: 'asc' })).toEqual({ total: 10, numbers: oldest });
    // 7,460 messages: all of them are scanned.
    const days = { ...ask, from: '2026-11-02', to: '2026-11-07' };
    expect(await shown(days)).toMatchObject({ total: 7 });
    expect(await shown({ ...ask, page: 1 })).toEqual({ total: 10, numbers: [] });
  });
});
