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
import {
  type NameSource,
  contactActs,
  joinContacts,
  knownNumbers,
  recordNames,
} from '#server/domains/messages/contacts.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

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

const recorderOf =
  (sql: Sql, accountId: string) =>
  (source: NameSource, name: string, peer = PEER) =>
    asAccount(sql, accountId, (tx) => recordNames(tx, accountId, source, [{ peer, name }]));

const namesIn = (sql: Sql) => sql<
  { account_id: string; peer: string; name: string; source: string }[]
>`
  select account_id, peer, name, source from contacts order by account_id, peer`;

test('replaces a name only by one from the same or a stronger source', async ({ db, sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  await storeMessages(db.owner, accountId, [{ at: minutesAgo(1), tokenId, peer: PEER }]);
  const record = recorderOf(db.tenantSql, accountId);
  const shown = async () => (await namesIn(sql)).map(({ name, source }) => [name, source]);
  const steps: [NameSource, string, string][] = [
    ['received_card', 'Sri tetangga', 'Sri tetangga'],
    ['received_card', 'Sri kurir', 'Sri kurir'],
    ['sent_card', 'Sri kurir', 'Sri kurir'],
    ['received_card', 'Bank', 'Sri kurir'],
    ['sent_card', 'Sri Katering', 'Sri Katering'],
    ['received_card', 'Bank', 'Sri Katering'],
    ['list', 'Ibu Sri', 'Ibu Sri'],
    ['list', 'Ibu Sri Rahayu', 'Ibu Sri Rahayu'],
    ['sent_card', 'Sri', 'Ibu Sri Rahayu'],
    ['received_card', 'Bank', 'Ibu Sri Rahayu'],
  ];
  for (const [source, name, expected] of steps) {
    await record(source, name);
    expect((await shown()).map(([own]) => own)).toEqual([expected]);
  }
  const byHand = actsOf(contactActs(db.tenantSql), accountId);
  await byHand(nameContact, { peer: PEER, name: 'Bu Sri' });
  for (const source of ['received_card', 'sent_card', 'list'] as const) {
    await record(source, 'Lain');
  }
  expect(await shown()).toEqual([['Bu Sri', 'hand']]);
  await byHand(nameContact, { peer: PEER, name: '' });
  await record('list', 'Ibu Sri');
  expect(await shown()).toEqual([['Ibu Sri', 'list']]);
});

test('neither shows nor changes the names of another account', async ({ db, sql }) => {
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  for (const { accountId, tokenId } of [ani, budi]) {
    await storeMessages(db.owner, accountId, [{ at: minutesAgo(1), tokenId, peer: PEER }]);
  }
  await recorderOf(db.tenantSql, ani.accountId)('list', 'Ibu Sri');
  const found = async (accountId: string) =>
    (await conversationList(db.tenantSql, accountId, { q: 'ibu' })).rows.length;
  expect([await found(ani.accountId), await found(budi.accountId)]).toEqual([1, 0]);
  await recorderOf(db.tenantSql, budi.accountId)('list', 'Tante Sri');
  const alien = asAccount(db.tenantSql, budi.accountId, (tx) =>
    recordNames(tx, ani.accountId, 'list', [{ peer: PEER, name: 'Curian' }]),
  );
  await expect(alien).rejects.toThrow(/row-level security/);
  const names = (await namesIn(sql)).map(({ account_id, name }) => [account_id, name]);
  expect(Object.fromEntries(names)).toEqual({
    [ani.accountId]: 'Ibu Sri',
    [budi.accountId]: 'Tante Sri',
  });
});

test('cleans and shortens names, and leaves out what is no name or no number', async ({
  db,
  sql,
}) => {
  const { accountId } = await customerWith(sql);
  const given: [string, string][] = [
    ['6281200000001', '<img src=x onerror=alert(1)>'],
    ['6281200000002', '\u202Ekab\u202C\u0000\nSri\t\u200BAyu\uD83D'],
    ['6281200000003', 'x'.repeat(10_000)],
    ['6281200000004', '=HYPERLINK("http://evil";"Budi")'],
    ['6281200000005', '0812-3456-7890'],
    ['6281200000006', '\u202E\u200B'],
    ['6281200000007', ''],
    ['bukan nomor', 'Budi'],
    ['6281200000001', 'Baris kedua'],
  ];
  await asAccount(db.tenantSql, accountId, (tx) =>
    recordNames(
      tx,
      accountId,
      'list',
      given.map(([peer, name]) => ({ peer, name })),
    ),
  );
  expect((await namesIn(sql)).map(({ peer, name }) => [peer, name])).toEqual([
    ['6281200000001', '<img src=x onerror=alert(1)>'],
    ['6281200000002', 'kab Sri Ayu\uFFFD'],
    ['6281200000003', 'x'.repeat(60)],
    ['6281200000004', '=HYPERLINK("http://evil";"Budi")'],
  ]);
});

test('names the numbers on a received card, which does not change how numbers are read', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  await recorderOf(db.tenantSql, accountId)('list', 'Ibu Sri');
  const receive = (providerId: string, body: Record<string, unknown>) =>
    receiveInbound(sql, {
      accountId,
      tokenId,
      from: '6281299990000',
      name: '~kurir~',
      type: 'contact',
      body,
      providerId,
      at: new Date(),
    });
  const phones = ['81234567890', '6281277770000', '12', PEER];
  await receive('a', { name: 'Bank\u202E Palsu', phone: '81234567890', phones });
  await receive('b', { name: 'Tanpa nomor' });
  expect((await namesIn(sql)).map(({ peer, name, source }) => [peer, name, source])).toEqual([
    ['6281234567890', 'Ibu Sri', 'list'],
    ['6281277770000', 'Bank Palsu', 'received_card'],
    ['81234567890', 'Bank Palsu', 'received_card'],
  ]);
  expect(await knownNumbers(sql, accountId, ['81234567890'])).toEqual(new Set());
});

test('keeps the stronger name when a hidden number becomes known', async ({ db, sql }) => {
  const { accountId } = await customerWith(sql);
  const [hidden, other] = ['ID.1A2B3C4D', 'ID.5E6F7A8B'];
  const record = recorderOf(db.tenantSql, accountId);
  await record('list', 'Ibu Sri', hidden);
  await record('received_card', 'Bank', PEER);
  const join = (from: string) =>
    asAccount(db.tenantSql, accountId, (tx) =>
      joinContacts(tx, { accountId, hidden: from, peer: PEER }),
    );
  await join(hidden);
  await record('list', 'Tante Sri', other);
  await join(other);
  expect((await namesIn(sql)).map(({ peer, name }) => [peer, name])).toEqual([[PEER, 'Ibu Sri']]);
});
