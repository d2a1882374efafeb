import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { LiveEvent } from '#contract/events.ts';
import { receiveInbound } from '#server/domains/messages/dispatch/inbound.ts';
import { applyReceipts } from '#server/domains/messages/dispatch/settle.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { phones, acceptTexts } from '#tests/support/app/fake-channel.ts';
import { publishAll } from '#tests/support/figures.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import { type EventRow, factsOf } from './feeds.ts';
import { appendEvent } from './events.ts';
import { giveSaldo } from '#tests/support/money/wallets.ts';

type Whose = Pick<Customer, 'accountId'>;

const rowsOf = (sql: Sql, { accountId }: Whose) => sql<EventRow[]>`
  select position, kind, message_id, token_id, peer, status, data from events
  where account_id = ${accountId} order by position`;

/** The events for open tabs, each checked against the contract. */
const eventsOf = async (sql: Sql, whose: Whose) =>
  (await rowsOf(sql, whose)).map((row) => LiveEvent().parse(factsOf(row)));

const saldoOf = async (sql: Sql, whose: Whose) =>
  (await eventsOf(sql, whose)).filter(({ kind }) => kind === 'saldo.changed');

const positionsOf = async (sql: Sql, whose: Whose) =>
  (await rowsOf(sql, whose)).map(({ position }) => position);

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const post = (sql: Sql, { accountId }: Whose, delta: number) =>
  sql.begin((tx) => giveSaldo(tx, accountId, delta));

/** Accepts `count` messages of Rp 150 each. @returns their ids */
async function placed(sql: Sql, customer: Customer, count: number): Promise<string[]> {
  const prices = Array.from({ length: count }, () => 150);
  const { results } = await acceptTexts(sql, customer, { prices, peers: phones(count) });
  return results.map(({ id }) => id);
}

const receive = (sql: Sql, { accountId, tokenId }: Customer, providerId: string, name?: string) =>
  receiveInbound(sql, {
    accountId,
    tokenId,
    from: '6281200000001',
    ...(name !== undefined && { name }),
    type: 'text',
    body: { text: '<a href="https://toko.example/">Terima</a><br>kasih' },
    at: new Date(),
    providerId,
  });

const drop = (sql: Sql) => sql`delete from outbox`;

describe('the saldo', () => {
  test('is published once for all changes, at its latest value, after the other events', async ({
    sql,
  }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    const budi = await customerWith(sql, { saldo: 500 });
    const [messageId = ''] = await placed(sql, ani, 2);
    const { accountId } = ani;
    await applyReceipts(sql, [{ accountId, messageId, status: 'read', at: new Date() }]);
    await post(sql, ani, 70);
    await publishAll(sql);
    const events = await eventsOf(sql, ani);
    expect(events.map(({ kind }) => kind)).toEqual([
      'message.accepted',
      'message.accepted',
      'message.changed',
      'saldo.changed',
    ]);
    expect(events.at(-1)).toEqual({ kind: 'saldo.changed', available: 770, held: 150 });
    expect(await saldoOf(sql, budi)).toEqual([{ kind: 'saldo.changed', available: 500, held: 0 }]);

    await publishAll(sql);
    expect(await saldoOf(sql, ani)).toHaveLength(1);
    await post(sql, ani, 30);
    await publishAll(sql);
    expect((await saldoOf(sql, ani)).at(-1)).toMatchObject({ available: 800, held: 150 });
  });

  test('is not published when no money moved', async ({ sql }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    await drop(sql);
    await acceptTexts(sql, ani, { prices: [0] });
    await publishAll(sql);
    expect((await eventsOf(sql, ani)).map(({ kind }) => kind)).toEqual(['message.accepted']);
  });

  test('is not mistaken for published because another event has a seq of its own', async ({
    sql,
  }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    await publishAll(sql);
    await sql.begin((tx) =>
      appendEvent(tx, {
        accountId: ani.accountId,
        kind: 'token.changed',
        data: { token_id: publicId('token', ani.tokenId), seq: 900 },
      }),
    );
    await publishAll(sql);
    await post(sql, ani, 30);
    await publishAll(sql);
    const told = (await eventsOf(sql, ani)).map(({ kind }) => kind);
    expect(told).toEqual(['saldo.changed', 'token.changed', 'saldo.changed']);
  });

  test('is never published at an older value after a newer one, when an event was set aside', async ({
    sql,
  }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    await publishAll(sql);
    await placed(sql, ani, 2);
    await sql`update outbox set tries = 1, retry_at = clock_timestamp() + interval '1 hour'`;
    await post(sql, ani, 70);
    await publishAll(sql);
    expect((await saldoOf(sql, ani)).at(-1)).toMatchObject({ available: 770, held: 300 });
    await sql`update outbox set retry_at = clock_timestamp()`;
    await publishAll(sql);

    const events = await eventsOf(sql, ani);
    expect(events.map(({ kind }) => kind)).toEqual([
      'saldo.changed',
      'saldo.changed',
      'message.accepted',
      'message.accepted',
    ]);
    expect(await positionsOf(sql, ani)).toEqual(upTo(4));
    await post(sql, ani, 30);
    await publishAll(sql);
    expect((await saldoOf(sql, ani)).at(-1)).toMatchObject({ available: 800, held: 300 });
    expect(await positionsOf(sql, ani)).toEqual(upTo(5));
  });
});

test("an incoming message carries its preview and, where known, its sender's name", async ({
  sql,
}) => {
  const ani = await customerWith(sql);
  await receive(sql, ani, 'one', 'Budi');
  await receive(sql, ani, 'two');
  await publishAll(sql);
  const facts = {
    kind: 'message.received',
    token_id: publicId('token', ani.tokenId),
    peer: '6281200000001',
    direction: 'in',
    status: 'received',
  };
  expect(await eventsOf(sql, ani)).toMatchObject([
    { ...facts, peer_name: 'Budi', preview: 'Terima kasih' },
    { ...facts, peer_name: null, preview: 'Terima kasih' },
  ]);
  const rows = await rowsOf(sql, ani);
  // Values with a column are not stored twice.
  expect(Object.keys(rows[0]?.data ?? {}).toSorted()).toEqual(['peer_name', 'preview']);
});

test('positions have no gaps, for any mix of events and number of batches', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  const budi = await customerWith(sql, { saldo: 10_000 });
  for (let round = 0; round < 3; round++) {
    for (const one of [ani, budi]) {
      const { accountId, tokenId } = one;
      const [messageId = ''] = await placed(sql, one, 2 + round);
      await sql.begin((tx) =>
        appendEvent(tx, {
          accountId,
          kind: 'token.changed',
          data: { token_id: publicId('token', tokenId) },
        }),
      );
      await receive(sql, one, `${round}`, 'Cici');
      await sql.begin((tx) =>
        appendEvent(tx, {
          accountId,
          kind: 'conversation.read',
          data: { token_id: publicId('token', tokenId), peer: '6281200000001' },
        }),
      );
      await applyReceipts(sql, [{ accountId, messageId, status: 'delivered', at: new Date() }]);
      if (round === 1) await post(sql, one, 10);
    }
    if (round === 1) await sql`select count(*) from publish_outbox(3)`;
    await publishAll(sql);
  }
  for (const one of [ani, budi]) {
    const events = await eventsOf(sql, one);
    const [last] = await sql`
      select last::int from event_positions where account_id = ${one.accountId}`;
    expect(await positionsOf(sql, one)).toEqual(upTo(events.length));
    expect(last).toEqual({ last: events.length });
    // 9 accepted, 3 of each other kind, and the saldo once or twice a round.
    expect(events.filter(({ kind }) => kind === 'message.accepted')).toHaveLength(9);
    for (const kind of [
      'token.changed',
      'message.received',
      'conversation.read',
      'message.changed',
    ]) {
      expect(events.filter((event) => event.kind === kind)).toHaveLength(3);
    }
    const order = events.map(({ kind }) => kind).filter((kind) => kind !== 'saldo.changed');
    expect(order.slice(0, 6)).toEqual([
      'message.accepted',
      'message.accepted',
      'token.changed',
      'message.received',
      'conversation.read',
      'message.changed',
    ]);
  }
  const conversations = await sql`
    select c.account_id, c.token_id, c.peer, c.seq::int as seq,
      array_agg(e.conversation_seq::int order by e.position) as told
    from conversations c join events e using (account_id, token_id, peer)
    where e.conversation_seq is not null group by 1, 2, 3, 4`;
  expect(conversations.length).toBeGreaterThan(2);
  for (const { seq, told } of conversations) expect(told).toEqual(upTo(seq));
});

test('publishes one account alone on request, and one row of it', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const budi = await customerWith(sql, { saldo: 1000 });
  await placed(sql, ani, 1);
  await placed(sql, budi, 1);
  const answered = await sql`select * from publish_outbox(200, ${ani.accountId})`;
  expect(answered).toMatchObject([
    { o_account: ani.accountId, o_rows: 2, o_from: 0, o_items: 1, o_received: false },
  ]);
  expect(await eventsOf(sql, ani)).toHaveLength(2);
  expect(await eventsOf(sql, budi)).toEqual([]);

  await sql`update outbox set tries = 1, retry_at = clock_timestamp() + interval '1 hour'`;
  expect(await sql`select * from publish_outbox(200)`).toEqual([]);
  const [row] = await sql<{ outbox_id: string }[]>`
    select outbox_id from outbox where kind = 'message.accepted'`;
  await sql`select count(*) from publish_outbox(1, ${budi.accountId}, ${row?.outbox_id ?? ''})`;
  expect((await eventsOf(sql, budi)).map(({ kind }) => kind)).toEqual([
    'message.accepted',
    'saldo.changed',
  ]);
  expect(await sql`select kind from outbox`).toEqual([{ kind: 'saldo.changed' }]);
});

test('publishes nothing while another relay is publishing, and loses nothing', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await sql.begin(async (tx) => {
    await tx`select count(*) from publish_outbox(200)`;
    await placed(sql, ani, 1);
    expect(await sql`select * from publish_outbox(200)`).toEqual([]);
  });
  expect(await eventsOf(sql, ani)).toHaveLength(1);
  await publishAll(sql);
  expect((await eventsOf(sql, ani)).map(({ kind }) => kind)).toEqual([
    'saldo.changed',
    'message.accepted',
    'saldo.changed',
  ]);
  expect(await positionsOf(sql, ani)).toEqual(upTo(3));
});
