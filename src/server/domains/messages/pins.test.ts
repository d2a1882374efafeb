import { expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { PINS_MAX, pinConversation } from '#contract/messages/conversations.ts';
import { actsOf } from '#tests/support/acts-of.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { changeConversations, storeMessages } from '#tests/support/people/stored-messages.ts';
import { conversationList } from './conversations.ts';
import { pinActs } from './messages.ts';

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const phone = (n: number) => `62812000000${String(n).padStart(2, '0')}`;

test('lists pinned conversations above unread ones on every page, also in search results', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  const numbers = Array.from({ length: 34 }, (_, n) => n);
  await storeMessages(
    db.owner,
    accountId,
    numbers.map((n) => ({
      at: minutesAgo(n + 1),
      tokenId,
      peer: phone(n),
      direction: n % 3 === 2 ? 'in' : 'out',
    })),
  );
  for (const n of numbers.filter((number) => number % 10 < 5)) {
    await changeConversations(sql, { peer: phone(n) }, { peerName: `Pelanggan ${phone(n)}` });
  }
  const ask = actsOf(pinActs(db.tenantSql), accountId);
  const pin = (n: number, pinned: '1' | '0') =>
    ask(pinConversation, { token_id: tokenId, peer: phone(n), pinned });
  const pinned = new Set([30, 2, 17, 5, 24, 9, 28, 11, 13, 20, 26, 33]);
  for (const n of [...pinned, 1]) await pin(n, '1');
  await pin(17, '1');
  await pin(1, '0');

  const rank = (n: number) => (pinned.has(n) ? 0 : n % 3 === 2 ? 1 : 2);
  for (const q of [undefined, 'pelanggan', '62812000000']) {
    const naive = numbers
      .filter((n) => q !== 'pelanggan' || n % 10 < 5)
      .toSorted((a, b) => rank(a) - rank(b) || a - b);
    const seen: string[] = [];
    for (let start = 0; ; start += 10) {
      const { rows, total } = await conversationList(db.tenantSql, accountId, { start, q });
      for (const row of rows) expect(row.pinned).toBe(pinned.has(Number(row.peer.slice(-2))));
      seen.push(...rows.map(({ peer }) => peer));
      if (start + rows.length >= total) break;
    }
    expect(seen).toEqual(naive.map(phone));
  }
});

test('gives the last pin once, rejects other accounts’ conversations, and notifies open pages', async ({
  db,
  sql,
}) => {
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  const peers = Array.from({ length: PINS_MAX + 2 }, (_, n) => phone(n));
  await storeMessages(
    db.owner,
    ani.accountId,
    peers.map((peer, n) => ({ at: minutesAgo(n), tokenId: ani.tokenId, peer })),
  );
  const pin = (accountId: string, peer: string) =>
    actsOf(pinActs(db.tenantSql), accountId)(pinConversation, {
      token_id: ani.tokenId,
      peer,
      pinned: '1',
    });
  const missing = new Refusal('not_found', { what: 'Percakapan' });
  await expect(pin(budi.accountId, phone(0))).rejects.toEqual(missing);
  await expect(pin(ani.accountId, phone(99))).rejects.toEqual(missing);
  for (const peer of peers.slice(3)) await pin(ani.accountId, peer);
  const ends = await Promise.allSettled(peers.slice(0, 3).map((peer) => pin(ani.accountId, peer)));
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: new Refusal('pins_full', { limit: PINS_MAX }),
  });
  const told = await sql<{ data: unknown }[]>`
    select data from outbox where account_id = ${ani.accountId} and kind = 'conversation.changed'`;
  expect(told).toHaveLength(PINS_MAX);
  expect(told[0]).toEqual({ data: { peer: phone(3) } });
});
