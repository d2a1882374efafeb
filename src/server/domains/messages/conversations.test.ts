import { Refusal } from '#contract/base/refusals.ts';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import {
  type MessageOptions,
  changeConversations,
  optOut,
  storeMessages,
} from '#tests/support/people/stored-messages.ts';
import { idFloor } from '#contract/base/ids.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { identifier } from '#server/infra/postgres/sql.ts';
import {
  conversationList,
  joinHidden,
  markRead,
  messagesWith,
  unreadOf,
} from '#server/domains/messages/conversations.ts';

const fileLink = () => '/files/x';
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const phone = (n: number) => `62812000000${String(n).padStart(2, '0')}`;

/** 25 conversations, newest first; every fourth has unread messages. */
const talks = (tokenId: string): MessageOptions[] =>
  Array.from({ length: 25 }, (_, n) => ({
    at: minutesAgo(n + 1),
    tokenId,
    peer: phone(n),
    body: { text: `Pesan ${n}` },
    direction: n % 4 === 3 ? 'in' : 'out',
  }));

test('lists unread conversations first, then the newest', async ({ db, sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  await storeMessages(db.owner, accountId, talks(tokenId));
  const seen: string[] = [];
  for (let start = 0; ; start += 10) {
    const { rows, total } = await conversationList(db.tenantSql, accountId, { start });
    seen.push(...rows.map(({ peer }) => peer));
    if (start + rows.length >= total) break;
  }
  const numbers = Array.from({ length: 25 }, (_, n) => n);
  const unread = numbers.filter((n) => n % 4 === 3);
  const rest = numbers.filter((n) => n % 4 !== 3);
  expect(seen).toEqual([...unread, ...rest].map(phone));
});

test('lists only unread conversations on request, newest first', async ({ db, sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  await storeMessages(db.owner, accountId, talks(tokenId));
  const { rows, total } = await conversationList(db.tenantSql, accountId, { unread: '1' });
  expect(rows.map(({ peer }) => peer)).toEqual([3, 7, 11, 15, 19, 23].map(phone));
  expect(total).toBe(6);
  const named = { unread: '1', q: '081200000007' } as const;
  const found = await conversationList(db.tenantSql, accountId, named);
  expect(found.rows.map(({ peer }) => peer)).toEqual([phone(7)]);
});

test('mixes unread conversations with others when sorted by time', async ({ db, sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  await storeMessages(db.owner, accountId, talks(tokenId));
  const first = async (sort_type: 'asc' | 'desc') =>
    (await conversationList(db.tenantSql, accountId, { sort_by: 'last_at', sort_type })).rows[0]
      ?.peer;
  expect([await first('desc'), await first('asc')]).toEqual([phone(0), phone(24)]);
});

test('finds a conversation by a prefix of its number or of a word of its name', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  await storeMessages(db.owner, accountId, talks(tokenId));
  await changeConversations(sql, { peer: phone(7) }, { peerName: 'Budi Santoso' });
  const found = async (q: string) =>
    (await conversationList(db.tenantSql, accountId, { q })).rows.map(({ peer }) => peer);
  expect(await found('budi s')).toEqual([phone(7)]);
  expect(await found('0812-0000-0003')).toEqual([phone(3)]);
  expect(await found('santoso')).toEqual([phone(7)]);
  expect(await found('sant')).toEqual([phone(7)]);
  expect(await found('antoso')).toEqual([]);
  expect(await found('udi')).toEqual([]);
  expect(await found('%')).toEqual([]);
  expect(await found('62812000000')).toHaveLength(10);
});

test('shows the newest message, the token and the name of a conversation', async ({ db, sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  await storeMessages(db.owner, accountId, [
    { at: minutesAgo(2), tokenId, body: { text: 'lama' } },
    { at: minutesAgo(1), tokenId, direction: 'in', body: { text: 'baru' } },
  ]);
  const { rows } = await conversationList(db.tenantSql, accountId, {});
  expect(rows).toMatchObject([
    {
      token: { id: publicId('token', tokenId), name: 'Kasir', status: 'linked' },
      type: 'text',
      preview: 'baru',
      direction: 'in',
      status: 'received',
      unread: 1,
    },
  ]);
});

test('pages back through the messages of a conversation, ten at a time', async ({ db, sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  const options = Array.from({ length: 23 }, (_, n) => ({
    at: minutesAgo(n),
    tokenId,
    body: { text: `${n}` },
  }));
  await storeMessages(db.owner, accountId, [
    ...options,
    { at: minutesAgo(5), tokenId, peer: phone(1) },
  ]);
  const input = { token_id: tokenId, peer: '6281234567890' };
  const page = async (start: number) => {
    const { rows, total } = await messagesWith(
      db.tenantSql,
      accountId,
      { ...input, start },
      fileLink,
    );
    return {
      captions: rows.map(({ content }) => Number(content.caption)),
      more: total > start + 10,
    };
  };
  const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);
  expect(await page(0)).toEqual({ captions: from(0, 10), more: true });
  expect(await page(20)).toEqual({ captions: from(20, 3), more: false });
  expect(await page(30)).toEqual({ captions: [], more: false });
});

test('pages both ways from any message, and from an instant', async ({ db, sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  const stored = await storeMessages(
    db.owner,
    accountId,
    Array.from({ length: 40 }, (_, n) => ({ at: minutesAgo(n), tokenId, body: { text: `${n}` } })),
  );
  const page = async (bounds: {
    before?: string;
    from?: string;
    sort_type?: 'asc';
    start?: number;
  }) => {
    const input = { token_id: tokenId, peer: '6281234567890', ...bounds };
    const { rows } = await messagesWith(db.tenantSql, accountId, input, fileLink);
    return rows.map(({ content }) => Number(content.caption));
  };
  const down = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);
  const at = (n: number) => stored[n]?.id ?? '';
  expect(await page({ before: at(25) })).toEqual(down(26, 10));
  expect(await page({ before: at(25), start: 10 })).toEqual(down(36, 4));
  expect(await page({ from: at(25), sort_type: 'asc' })).toEqual(down(16, 10).toReversed());
  expect(await page({ from: at(3) })).toEqual(down(0, 4));
  expect(await page({ from: at(6), before: at(3) })).toEqual([4, 5, 6]);
  const between = idFloor(minutesAgo(25).getTime() - 30_000);
  expect(await page({ from: between, sort_type: 'asc' })).toEqual(down(16, 10).toReversed());
  expect(await page({ before: between })).toEqual(down(26, 10));
});

test('publishes reading a conversation once, and only when it had unread messages', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  await storeMessages(db.owner, accountId, talks(tokenId));
  const read = (n: number) =>
    markRead(db.tenantSql, accountId, { token_id: tokenId, peer: phone(n) });
  expect(await read(3)).toEqual({ unread_total: 5 });
  expect(await read(3)).toEqual({ unread_total: 5 });
  expect(await read(0)).toEqual({ unread_total: 5 });
  expect(await sql`select account_id, kind, data from outbox`).toEqual([
    {
      account_id: accountId,
      kind: 'conversation.read',
      data: { token_id: publicId('token', tokenId), peer: phone(3) },
    },
  ]);
});

test('neither shows nor marks conversations of another account', async ({ db, sql }) => {
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  await storeMessages(db.owner, budi.accountId, talks(budi.tokenId));
  const input = { token_id: budi.tokenId, peer: phone(3) };
  expect(await conversationList(db.tenantSql, ani.accountId, {})).toEqual({ rows: [], total: 0 });
  const missing = new Refusal('not_found', { what: 'Token' });
  const messages = messagesWith(db.tenantSql, ani.accountId, input, fileLink);
  await expect(messages).rejects.toEqual(missing);
  await expect(markRead(db.tenantSql, ani.accountId, input)).rejects.toEqual(missing);
  const unread = await asAccount(db.tenantSql, budi.accountId, (tx) =>
    unreadOf(tx, budi.accountId),
  );
  expect(unread).toBe(6);
});

test('shows with each message the newest reaction of each side that did not fail', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  const peer = phone(1);
  const with1 = { tokenId, peer };
  await storeMessages(db.owner, accountId, [
    { ...with1, at: minutesAgo(9), body: { text: 'Satu' } },
    { ...with1, at: minutesAgo(8), body: { text: 'Dua' } },
  ]);
  const thread = () =>
    messagesWith(db.tenantSql, accountId, { token_id: tokenId, peer, start: 0 }, fileLink);
  const [two, one] = (await thread()).rows;
  const react = (minutes: number, message_id: string, emoji: string, more: object) => ({
    ...with1,
    at: minutesAgo(minutes),
    type: 'reaction' as const,
    body: { message_id, emoji },
    ...more,
  });
  await storeMessages(db.owner, accountId, [
    react(7, one?.id ?? '', '👍', { direction: 'in' }),
    react(6, one?.id ?? '', '🙏', { direction: 'in' }),
    react(5, one?.id ?? '', '😀', { direction: 'out' }),
    react(4, one?.id ?? '', '😡', { direction: 'out', status: 'failed' }),
    react(3, two?.id ?? '', '👍', { direction: 'in' }),
    react(2, two?.id ?? '', '', { direction: 'in' }),
  ]);
  const { rows, total } = await thread();
  expect([rows.length, total]).toEqual([2, 2]);
  expect(rows[0]?.reactions).toEqual([]);
  expect(rows[1]?.reactions.toSorted((a, b) => a.direction.localeCompare(b.direction))).toEqual([
    { direction: 'in', emoji: '🙏' },
    { direction: 'out', emoji: '😀' },
  ]);
});

test('shows the quoted message of an answer', async ({ db, sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  const peer = phone(1);
  const quoted = { direction: 'in', type: 'text', text: 'Ada?', provider_id: 'x' };
  const replyTo = publicId('message', idFloor(Date.now()));
  await storeMessages(db.owner, accountId, [
    { tokenId, peer, at: minutesAgo(0), body: { text: 'Ada', quoted, reply_to: replyTo } },
    { tokenId, peer, at: minutesAgo(1), body: { text: 'Ada', quoted } },
    { tokenId, peer, at: minutesAgo(2), body: { text: 'Lama', quoted: { type: 'lain' } } },
  ]);
  const { rows } = await messagesWith(
    db.tenantSql,
    accountId,
    { token_id: tokenId, peer, start: 0 },
    fileLink,
  );
  expect(rows.map((row) => row.quoted)).toEqual([
    { id: replyTo, direction: 'in', type: 'text', excerpt: 'Ada?' },
    { id: null, direction: 'in', type: 'text', excerpt: 'Ada?' },
    null,
  ]);
});

test('joins the data of a hidden number with the known number in one conversation', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  const [hidden, peer, other] = ['XL.77', phone(1), phone(2)];
  const wrote = (minutes: number, from: string): MessageOptions => ({
    at: minutesAgo(minutes),
    tokenId,
    peer: from,
    direction: 'in',
    body: { text: from },
  });
  await storeMessages(db.owner, accountId, [
    wrote(3, hidden),
    wrote(2, peer),
    wrote(1, hidden),
    wrote(1, other),
  ]);
  await optOut(sql, { accountId, tokenId }, hidden);
  await sql`insert into contacts (account_id, peer, name) values (${accountId}, ${hidden}, 'Bu Sari')`;
  await sql`
    insert into pinned_conversations (account_id, token_id, peer)
    values (${accountId}, ${tokenId}, ${hidden})`;
  const unread = await asAccount(db.tenantSql, accountId, (tx) => unreadOf(tx, accountId));

  for (let times = 0; times < 2; times++) {
    await joinHidden(sql, { accountId, tokenId, hidden, peer });
  }
  const { rows } = await conversationList(db.tenantSql, accountId, {});
  expect(rows.map((row) => [row.peer, row.pinned])).toEqual([
    [peer, true],
    [other, false],
  ]);
  expect(rows[0]).toMatchObject({ peer_name: 'Bu Sari' });
  const key = { token_id: tokenId, peer };
  const { rows: thread } = await messagesWith(db.tenantSql, accountId, key, fileLink);
  expect(thread.map(({ excerpt }) => excerpt)).toEqual([hidden, peer, hidden]);
  expect(await sql`select peer from optouts`).toEqual([{ peer }]);
  expect(await sql`select peer from contacts`).toEqual([{ peer }]);
  expect(await asAccount(db.tenantSql, accountId, (tx) => unreadOf(tx, accountId))).toBe(unread);
  const told = await sql`select data from outbox where kind = 'conversation.changed' order by at`;
  expect(told).toEqual([{ data: { peer: hidden } }, { data: { peer } }]);
});

test('keeps the pin, opt-out and name of the known number when both have one', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  const [hidden, peer] = ['XL.77', phone(1)];
  await storeMessages(db.owner, accountId, [
    { at: minutesAgo(2), tokenId, peer: hidden, direction: 'in', body: { text: 'Satu' } },
    { at: minutesAgo(1), tokenId, peer, direction: 'in', body: { text: 'Dua' } },
  ]);
  for (const one of [hidden, peer]) {
    await optOut(sql, { accountId, tokenId }, one);
    await sql`insert into contacts (account_id, peer, name) values (${accountId}, ${one}, ${one})`;
    await sql`
      insert into pinned_conversations (account_id, token_id, peer)
      values (${accountId}, ${tokenId}, ${one})`;
  }
  await joinHidden(sql, { accountId, tokenId, hidden, peer });
  const [row, ...others] = (await conversationList(db.tenantSql, accountId, {})).rows;
  expect(row).toMatchObject({ peer, peer_name: peer, pinned: true });
  expect(others).toEqual([]);
  for (const table of ['optouts', 'contacts', 'pinned_conversations', 'conversations']) {
    expect(await sql`select peer from ${identifier(table)}`).toEqual([{ peer }]);
  }
});
