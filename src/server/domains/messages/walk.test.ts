import fc from 'fast-check';
import { expect } from 'vitest';
import type { MessageStatus, MessageType } from '#contract/messages.ts';
import { newId } from '#server/infra/ids.ts';
import { matcherOf, wordsIn } from '#server/domains/messages/history/words.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import {
  type Stored,
  changeConversations,
  storeMessages,
} from '#tests/support/people/stored-messages.ts';
import { messageRows, type Walk, searchOf, walkMessages } from '#server/domains/messages/export.ts';

const start = Date.parse('2026-10-20T03:00:00Z');
const peers = ['6281234567890', '6281299990000', '6285511112222'];
const sayings = ['Pesanan sudah dikirim', 'INV/77 lunas', 'terima kasih', 'Résumé Anda'];
const statuses: readonly MessageStatus[] = ['sent', 'delivered', 'failed', 'read'];
const types: readonly MessageType[] = ['text', 'image'];

/** More messages than a window has, of every kind. */
const SIZE = 2_350;
const messagesOf = (tokenId: string) =>
  Array.from({ length: SIZE }, (_, n) => ({
    at: new Date(start + n * 20 * 60_000),
    tokenId,
    peer: peers[n % 3] ?? '',
    status: statuses[n % 4] ?? 'sent',
    type: types[n % 5 === 0 ? 1 : 0] ?? 'text',
    body: n % 5 === 0 ? { caption: sayings[n % 4] } : { text: sayings[n % 4] },
  }));

/** The expected messages, by a naive filter over all. */
function naive(all: readonly Stored[], { filter, order, before }: Walk, typed: string | undefined) {
  const dayOf = ({ at }: Stored) =>
    new Date(at.getTime() + 7 * 3_600_000).toISOString().slice(0, 10);
  const digits = typed?.replace(/^0/, '62');
  const isNumber = digits !== undefined && /^\d+$/.test(digits);
  const isKnown = isNumber && peers.includes(digits);
  const words = wordsIn(typed ?? '');
  const matches = matcherOf(words);
  const said = ({ body }: Stored) => Object.values(body).join(' ');
  const found = all.filter(
    (one) =>
      one.id < before &&
      (filter.from === undefined || dayOf(one) >= filter.from) &&
      (filter.until === undefined || dayOf(one) < filter.until) &&
      (filter.statuses === undefined || filter.statuses.includes(one.status)) &&
      (filter.type === undefined || filter.type === one.type) &&
      (typed === undefined ||
        (isKnown
          ? one.peer === digits
          : isNumber
            ? one.peer.startsWith(digits)
            : (typed.startsWith('Bu') && one.peer === peers[2]) ||
              (words.length > 0 && matches(said(one))))),
  );
  const ids = found.map(({ id }) => id).toSorted();
  return order === 'newest' ? ids.toReversed() : ids;
}

test('finds the same as a naive scan, in order, for every filter and search', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  const stored = await storeMessages(db.owner, accountId, messagesOf(tokenId));
  const named = { accountId, peer: peers[2] ?? '' };
  await changeConversations(db.owner, named, { peerName: 'Bu Ratna' });
  const other = await customerWith(sql);
  await storeMessages(db.owner, other.accountId, messagesOf(other.tokenId).slice(0, 20));
  const asked = fc.record({
    typed: fc.constantFrom(
      undefined,
      '081234567890',
      '08123456',
      '0812',
      '0899',
      'Bu Ra',
      'pesanan',
      'résumé',
      'inv 77',
      'tidak ada',
      '•',
    ),
    order: fc.constantFrom('newest' as const, 'oldest' as const),
    from: fc.constantFrom(undefined, '2026-10-22', '2026-11-03'),
    until: fc.constantFrom(undefined, '2026-11-04', '2026-11-20'),
    statuses: fc.constantFrom(undefined, ['failed' as const], ['sent' as const, 'read' as const]),
    type: fc.constantFrom(undefined, 'image' as const),
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ typed, order, ...filter }) => {
      const search =
        typed === undefined
          ? undefined
          : await db.allAccountsSql.begin((tx) => searchOf(tx, accountId, typed));
      const walk: Walk = { accountId, filter, order, before: newId(), chosen: undefined, search };
      const found: string[] = [];
      for await (const { ids } of walkMessages(db.tenantSql, walk)) found.push(...ids);
      expect(found).toEqual(naive(stored, walk, typed));
    }),
    { numRuns: 60 },
  );
});

test('counts the scanned messages as progress: those of a whole number, or of all days', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  await storeMessages(db.owner, accountId, messagesOf(tokenId));
  const open = (params: object) =>
    messageRows.open({
      sql: db.tenantSql,
      accountId,
      params,
      requestId: newId(),
      zoneName: 'WIB',
    });
  const ofOne = await open({ q: peers[0] });
  expect(ofOne.total).toBe(messagesOf(tokenId).filter(({ peer }) => peer === peers[0]).length);
  const some = await open({ q: peers[0], from: '2026-10-22', to: '2026-10-23' });
  expect(some.total).toBe(48);
  expect((await open({ q: '0812' })).total).toBe(SIZE);
  // All of its messages are scanned: it ends at the whole, not at a third.
  const batches = await Array.fromAsync(ofOne.batches());
  const rows = batches.reduce((sum, batch) => sum + batch.rows.length, 0);
  const looked = batches.reduce((sum, batch) => sum + batch.looked, 0);
  expect(rows).toBe(ofOne.total);
  expect(looked).toBeGreaterThanOrEqual(ofOne.total);
});

test('walks selected messages only; skips those of other accounts, and later ones', async ({
  db,
  sql,
}) => {
  const ani = await customerWith(sql);
  const budi = await customerWith(sql);
  const [first, , third] = await storeMessages(
    db.owner,
    ani.accountId,
    messagesOf(ani.tokenId).slice(0, 3),
  );
  const [foreign] = await storeMessages(
    db.owner,
    budi.accountId,
    messagesOf(budi.tokenId).slice(0, 1),
  );
  const chosen = [first, third, foreign].flatMap((one) => one?.id ?? []);
  const walk: Walk = {
    accountId: ani.accountId,
    filter: {},
    order: 'oldest',
    before: third?.id ?? '',
    chosen,
    search: undefined,
  };
  const pages = await Array.fromAsync(walkMessages(db.tenantSql, walk));
  expect(pages).toEqual([{ ids: [first?.id], looked: 3 }]);
});
