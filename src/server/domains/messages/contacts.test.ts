import { expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { nameContact } from '#contract/messages/conversations.ts';
import { actsOf } from '#tests/support/acts-of.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { changeConversations, storeMessages } from '#tests/support/people/stored-messages.ts';
import { conversationList } from '#server/domains/messages/conversations.ts';
import { receiveInbound } from '#server/domains/messages/dispatch/inbound.ts';
import { messageList } from '#server/domains/messages/history/history.ts';
import { contactActs } from '#server/domains/messages/contacts.ts';

const PEER = '6281234567890';
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

test('shows and finds a number by the account’s name for it, in preference to the sender’s own', async ({
  db,
  sql,
}) => {
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  for (const { accountId, tokenId } of [ani, budi]) {
    await storeMessages(db.owner, accountId, [
      { at: minutesAgo(3), tokenId, peer: PEER, body: { text: 'Halo' } },
      { at: minutesAgo(2), tokenId, peer: '6281299990000', body: { text: 'Lain' } },
    ]);
  }
  await changeConversations(sql, { peer: PEER }, { peerName: '~sri~' });
  const named = (accountId: string, name: string) =>
    actsOf(contactActs(db.tenantSql), accountId)(nameContact, { peer: PEER, name });
  const shown = async ({ accountId }: { accountId: string }, q: string) => {
    const list = await conversationList(db.tenantSql, accountId, { q });
    const table = await messageList(db.tenantSql, accountId, { q });
    return [
      list.rows.map(({ peer_name, contact_name }) => [peer_name, contact_name]),
      table.rows.map(({ peer_name }) => peer_name),
    ];
  };
  expect(await named(ani.accountId, 'Bu Sri, Katering')).toEqual({
    peer: PEER,
    name: 'Bu Sri, Katering',
  });
  for (const q of ['bu sri', '~sri', '081234567890']) {
    expect(await shown(ani, q)).toEqual([
      [['Bu Sri, Katering', 'Bu Sri, Katering']],
      ['Bu Sri, Katering'],
    ]);
  }
  expect(await shown(budi, 'bu sri')).toEqual([[], []]);
  expect(await shown(budi, '~sri')).toEqual([[['~sri~', null]], ['~sri~']]);
  await named(ani.accountId, '');
  expect(await shown(ani, '~sri')).toEqual([[['~sri~', null]], ['~sri~']]);
  const told = await sql`
    select account_id, data from outbox where kind = 'conversation.changed'`;
  expect(told).toEqual([1, 2].map(() => ({ account_id: ani.accountId, data: { peer: PEER } })));
});

test('uses the account’s name in notices, and the sender’s own name in webhooks', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  await storeMessages(db.owner, accountId, [{ at: minutesAgo(3), tokenId, peer: PEER }]);
  await actsOf(contactActs(db.tenantSql), accountId)(nameContact, { peer: PEER, name: 'Bu Sri' });
  const names: unknown[] = [];
  const receive = (from: string, providerId: string) =>
    receiveInbound(
      sql,
      {
        accountId,
        tokenId,
        from,
        name: '~sri~',
        type: 'text',
        body: { text: 'Halo' },
        providerId,
        at: new Date(),
      },
      async (_tx, { name }) => void names.push(name),
    );
  await receive(PEER, 'a');
  await receive('6281299990000', 'b');
  expect(names).toEqual(['Bu Sri', '~sri~']);
  const events = await sql<{ data: object }[]>`
    select data from outbox where kind = 'message.received' order by at`;
  expect(events.map(({ data }) => data)).toMatchObject([
    { peer_name: '~sri~', contact_name: 'Bu Sri' },
    { peer_name: '~sri~' },
  ]);
});

test('names only numbers that the account has conversations with', async ({ db, sql }) => {
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  await storeMessages(db.owner, ani.accountId, [
    { at: minutesAgo(1), tokenId: ani.tokenId, peer: PEER },
  ]);
  const name = (accountId: string, peer = PEER) =>
    actsOf(contactActs(db.tenantSql), accountId)(nameContact, { peer, name: 'Bu Sri' });
  const missing = new Refusal('not_found', { what: 'Percakapan' });
  await expect(name(budi.accountId)).rejects.toEqual(missing);
  await expect(name(ani.accountId, '6281299990000')).rejects.toEqual(missing);
  await name(ani.accountId);
  expect(await sql`select account_id from contacts`).toEqual([{ account_id: ani.accountId }]);
});

test('finds each of more than 1,000 numbers with the same name', async ({ db, sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  const messages = Array.from({ length: 1_500 }, (_, n) => ({
    at: minutesAgo(n + 1),
    tokenId,
    peer: `62812${10_000_001 + n}`,
  }));
  await storeMessages(db.owner, accountId, messages);
  await db.owner`
    insert into contacts (account_id, peer, name)
    select ${accountId}, '62812' || (10000000 + n), 'Pelanggan ' || n from generate_series(1, 1500) n`;
  const found: string[] = [];
  for (let start = 0; ;) {
    const page = await conversationList(db.tenantSql, accountId, { start, q: 'pelanggan' });
    found.push(...page.rows.map(({ peer_name }) => peer_name ?? ''));
    start += page.rows.length;
    if (start >= page.total) break;
  }
  expect(new Set(found).size).toBe(1_500);
});

test('accepts one printable line as a name', () => {
  const read = (name: string) => nameContact.input.safeParse({ peer: PEER, name }).success;
  expect(['', 'Bu Sri', 'Toko “Jaya” & Anak 🧁', 'x'.repeat(60)].map(read)).toEqual(
    Array.from({ length: 4 }, () => true),
  );
  expect(
    ['x'.repeat(61), 'a\nb', '\uD83D', 'a\u202Eb', '<b>', 'a\u0000', '\u200B'].map(read),
  ).toEqual(Array.from({ length: 7 }, () => false));
});
