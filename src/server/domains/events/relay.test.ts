import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { receiveInbound } from '#server/domains/messages/dispatch/inbound.ts';
import { startRelay } from './events.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith, orderOf } from '#tests/support/people/people.ts';

const log = openLog({ level: 'silent' });
const nobody = () => undefined;

type EventRow = {
  position: number;
  kind: string;
  token_id: string | null;
  peer: string | null;
  conversation_seq: number | null;
  data: Record<string, unknown>;
};

test('events are numbered without gaps, and per conversation, in the order they happened', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  const intake = openIntake(sql, nobody);
  const peers = ['6281200000001', '6281200000002', '6281200000001'];
  const placed = await intake.accept(orderOf(ani, { prices: [150, 150, 150], peers }));
  const ids = placed.results.map(({ id }) => id);
  await sql`select count(*) from settle_batch(
    ${ani.accountId}, null, null, ${ids}::uuid[], ${ids.map(() => 'sent')}::text[],
    ${ids.map(() => null)}::text[], ${ids.map(() => null)}::timestamptz[])`;
  const inbound = {
    accountId: ani.accountId,
    tokenId: ani.tokenId,
    from: '6281200000001',
    name: 'Budi',
    type: 'text' as const,
    body: { text: '<a href="https://toko.example/">Terima</a><br>kasih' },
    at: new Date(),
    providerId: 'sim-1',
  };
  await receiveInbound(sql, inbound);
  await receiveInbound(sql, inbound);

  const told: string[][] = [];
  const relay = startRelay({ sql, log }, ({ accounts }) => told.push([...accounts]));
  await relay.drain();
  await relay.close();

  const events = await sql<
    EventRow[]
  >`select position, kind, token_id, peer, conversation_seq, data from events order by position`;
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
  const first = events.filter(({ peer }) => peer === '6281200000001');
  expect(first.map(({ kind, conversation_seq }) => [kind, conversation_seq])).toEqual([
    ['message.accepted', 1],
    ['message.accepted', 2],
    ['message.changed', 3],
    ['message.changed', 4],
    ['message.received', 5],
  ]);
  expect(first.at(-1)).toMatchObject({
    token_id: ani.tokenId,
    data: { peer_name: 'Budi', preview: 'Terima kasih' },
  });
  expect(events.at(-1)).toMatchObject({
    kind: 'saldo.changed',
    data: { available: 9550, held: 0 },
  });
  expect(
    await sql`select peer, peer_name, seq::int, unread from conversations order by peer`,
  ).toEqual([
    { peer: '6281200000001', peer_name: 'Budi', seq: 5, unread: 1 },
    { peer: '6281200000002', peer_name: null, seq: 2, unread: 0 },
  ]);
  expect(told.flat()).toContain(ani.accountId);
  expect(await sql`select * from outbox`).toEqual([]);
});

test('two relays publish everything once, without gaps, while more events come', async ({
  sql,
}) => {
  const people = await Promise.all([1, 2, 3].map(() => customerWith(sql, { saldo: 100_000 })));
  const relays = [startRelay({ sql, log }), startRelay({ sql, log })];
  const intake = openIntake(sql, () => {
    for (const relay of relays) relay.wake();
  });
  await Promise.all(
    Array.from({ length: 90 }, async (_, index) => {
      const person = people[index % people.length];
      if (person) await intake.accept(orderOf(person, { peers: [`62812000000${index % 7}`] }));
    }),
  );
  await waitFor(async () => expect(await sql`select * from outbox`).toEqual([]));
  await Promise.all(relays.map((relay) => relay.close()));

  const accounts = await sql<{ n: number; last: number; accepted: number }[]>`
    select count(*)::int as n, max(position)::int as last,
      count(*) filter (where kind = 'message.accepted')::int as accepted
    from events group by account_id`;
  for (const { n, last } of accounts) expect(n).toBe(last);
  expect(accounts.map(({ accepted }) => accepted)).toEqual([30, 30, 30]);
  const conversations = await sql<{ seq: number; n: number; last: number }[]>`
    select c.seq::int, count(*)::int as n, max(e.conversation_seq)::int as last
    from conversations c
    join events e on e.account_id = c.account_id and e.peer = c.peer
    group by c.account_id, c.token_id, c.peer, c.seq`;
  for (const { seq, n, last } of conversations) expect([n, last]).toEqual([seq, seq]);
});

test('STOP opts the sender out of this token, MULAI back in', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const says = (text: string, providerId: string) =>
    receiveInbound(sql, {
      accountId: ani.accountId,
      tokenId: ani.tokenId,
      from: '6281200000001',
      type: 'text',
      body: { text },
      at: new Date(),
      providerId,
    });
  const intake = openIntake(sql, nobody);
  await says(' Berhenti ', 'a');
  expect((await intake.accept(orderOf(ani))).results[0]?.outcome).toBe('opted_out');
  await says('mulai', 'b');
  expect((await intake.accept(orderOf(ani))).results[0]?.outcome).toBe('accepted');
  await says('Jangan stop dulu', 'c');
  expect((await intake.accept(orderOf(ani))).results[0]?.outcome).toBe('accepted');
});
