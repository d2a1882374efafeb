import { expect } from 'vitest';
import type { Sinks } from '#server/domains/channels/channels.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { never, test, toPhone } from '#tests/support/app/simulated-network.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('stores a sent message on the phone, then delivers and reads it', async ({
  sql,
  openNetwork,
}) => {
  const { ani, network, sinks, receipts } = await openNetwork();
  await network.start(sinks);
  const message = toPhone(ani, '6281234567890');
  expect(await network.send(message, never)).toEqual({ outcome: 'sent' });
  expect(await sql`select phone, peer, direction, type, body, submits from sim_lines`).toEqual([
    {
      phone: '6281234567890',
      peer: ani.phone,
      direction: 'in',
      type: 'text',
      body: { text: 'Halo' },
      submits: 1,
    },
  ]);
  await waitFor(() => expect(receipts).toHaveLength(2));
  expect(receipts).toMatchObject([
    { accountId: ani.accountId, messageId: message.messageId, status: 'delivered' },
    { accountId: ani.accountId, messageId: message.messageId, status: 'read' },
  ]);
  await waitFor(async () => expect(await sql`select * from sim_events`).toEqual([]));
});

test('stores a resubmitted id as one line, counted, with one set of receipts', async ({
  sql,
  openNetwork,
}) => {
  const { ani, network, sinks, receipts } = await openNetwork();
  const message = toPhone(ani, '6281234567890');
  const both = [network.send(message, never), network.send(message, never)];
  expect(await Promise.all(both)).toEqual([{ outcome: 'sent' }, { outcome: 'sent' }]);
  await network.send({ ...message, possibleDuplicate: true }, never);

  expect(await sql`select submits, possible_duplicate from sim_lines`).toEqual([
    { submits: 3, possible_duplicate: true },
  ]);
  await network.start(sinks);
  await waitFor(async () => expect(await sql`select * from sim_events`).toEqual([]));
  expect(receipts.map(({ status }) => status)).toEqual(['delivered', 'read']);
});

test('stores a thousand concurrent messages with a handful of statements', async ({
  sql,
  openNetwork,
}) => {
  let inserts = 0;
  const allAccountsSql = new Proxy(sql, {
    apply(target, self, given: unknown[]) {
      const [strings] = given;
      if (Array.isArray(strings) && String(strings[0]).includes('given as')) inserts += 1;
      return Reflect.apply(target, self, given) as unknown;
    },
  });
  const { ani, network } = await openNetwork({ allAccountsSql });
  const messages = Array.from({ length: 1_000 }, () => toPhone(ani, '62800000001'));
  const results = await Promise.all(messages.map((message) => network.send(message, never)));
  expect(results.every(({ outcome }) => outcome === 'sent')).toBe(true);
  expect(await sql`select count(*) from sim_lines`).toEqual([{ count: 1_000 }]);
  expect(inserts).toBe(2);
});

test('shows the text of a code to the phone’s owner', async ({ sql, openNetwork }) => {
  const { ani, network } = await openNetwork();
  const body = { text: 'Kode verifikasi ••••••' };
  await network.send(toPhone(ani, '6281234567890', { body, text: 'Kode: 123456' }), never);
  expect(await sql`select body from sim_lines`).toEqual([{ body: { text: 'Kode: 123456' } }]);
});

test('answers "later" while the database is unreachable, any number of times', async ({
  sql,
  openNetwork,
}) => {
  let away = true;
  const allAccountsSql = new Proxy(sql, {
    apply(target, self, args: Parameters<typeof sql>) {
      if (!away || !String(args[0]).includes('sim_lines')) return Reflect.apply(target, self, args);
      return Promise.reject(Object.assign(new Error('cut'), { code: 'CONNECTION_CLOSED' }));
    },
  });
  const { ani, network } = await openNetwork({ allAccountsSql });
  const message = toPhone(ani, '6281200000001');
  for (let tries = 0; tries < 3; tries++) {
    expect(await network.send(message, never)).toMatchObject({ outcome: 'later' });
  }
  away = false;
  expect(await network.send(message, never)).toEqual({ outcome: 'sent' });
  expect(await sql`select submits from sim_lines`).toEqual([{ submits: 1 }]);
});

test('…003 fails for good and …005 is answered "later", without a line in any phone', async ({
  sql,
  openNetwork,
}) => {
  const { ani, network } = await openNetwork();
  expect(await network.send(toPhone(ani, '62800000003'), never)).toEqual({
    outcome: 'failed',
    failure: 'not_on_whatsapp',
  });
  expect(await network.send(toPhone(ani, '62800000005'), never)).toMatchObject({
    outcome: 'later',
  });
  expect(await sql`select * from sim_lines`).toEqual([]);
});

test('…006 never answers: only the caller giving up ends it', async ({ sql, openNetwork }) => {
  const { ani, network } = await openNetwork();
  const timeout = new AbortController();
  const sending = network.send(toPhone(ani, '62800000006'), timeout.signal);
  const first = await Promise.race([sending, sql`select 'nothing yet' as heard`]);
  expect(first).toEqual([{ heard: 'nothing yet' }]);
  timeout.abort(new Error('no answer'));
  await expect(sending).rejects.toThrow('no answer');
  await expect(network.send(toPhone(ani, '62800000006'), timeout.signal)).rejects.toThrow();
});

test('…007 answers STOP to the number that wrote', async ({ sql, openNetwork }) => {
  const { ani, network, sinks, inbound } = await openNetwork();
  await network.start(sinks);
  await network.send(toPhone(ani, '62800000007'), never);
  await waitFor(() => expect(inbound).toHaveLength(1));
  expect(inbound[0]).toMatchObject({
    accountId: ani.accountId,
    tokenId: ani.tokenId,
    from: '62800000007',
    type: 'text',
    body: { text: 'STOP' },
  });
  expect(await sql`select line_id, peer, body from sim_lines where direction = 'out'`).toEqual([
    { line_id: inbound[0]!.providerId, peer: ani.phone, body: { text: 'STOP' } },
  ]);
});

test('…008 answers with a picture stored for the account', async ({ openNetwork }) => {
  const { ani, network, sinks, inbound, files } = await openNetwork();
  await network.start(sinks);
  await network.send(toPhone(ani, '62800000008'), never);
  await waitFor(() => expect(inbound).toHaveLength(1));
  const { type, body } = inbound[0]!;
  expect({ type, mime: body['mime'] }).toEqual({ type: 'image', mime: 'image/png' });
  const stored = await files.read(ani.accountId, String(body['file']));
  expect(stored?.bytes.subarray(1, 4).toString()).toBe('PNG');
});

test('a phone that blocks refuses and receives nothing', async ({ sql, openNetwork }) => {
  const { ani, network } = await openNetwork();
  await sql`insert into sim_phones (phone, blocked) values ('6281234567890', true)`;
  const [blocked, other] = await Promise.all([
    network.send(toPhone(ani, '6281234567890'), never),
    network.send(toPhone(ani, '6281234567891'), never),
  ]);
  expect(blocked).toEqual({ outcome: 'failed', failure: 'blocked' });
  expect(other).toEqual({ outcome: 'sent' });
  expect(await sql`select phone from sim_lines`).toEqual([{ phone: '6281234567891' }]);
});

const clock = async (sql: Sql): Promise<number> => {
  const [row] = await sql<{ at: number }[]>`
    select extract(epoch from clock_timestamp())::float8 as at`;
  return row?.at ?? 0;
};

test('a slow phone takes ten times as long', async ({ sql, openNetwork }) => {
  const { ani, network } = await openNetwork({ speed: 1 });
  await sql`insert into sim_phones (phone, slow) values ('6281234567890', true)`;
  const messageId = newId();
  const before = await clock(sql);
  await network.send(toPhone(ani, '6281234567890', { messageId }), never);
  const after = await clock(sql);
  const [first] = await sql<{ at: number }[]>`
    select extract(epoch from due_at)::float8 as at from sim_events where kind = 'delivered'`;
  // Other phones take 0.3 to 2 s.
  expect(first!.at).toBeGreaterThanOrEqual(before + 3);
  expect(first!.at).toBeLessThanOrEqual(after + 20);
});

test('receipts of an offline phone wait until it is back, and delay no others', async ({
  sql,
  openNetwork,
}) => {
  const { ani, network, sinks, receipts } = await openNetwork();
  await sql`insert into sim_phones (phone, offline) values ('6281234567890', true)`;
  await network.start(sinks);
  await network.send(toPhone(ani, '6281234567890'), never);
  await network.send(toPhone(ani, '6281234567891'), never);
  await waitFor(() => expect(receipts).toHaveLength(2));
  await waitFor(async () =>
    expect(await sql`select distinct phone from sim_events`).toEqual([{ phone: '6281234567890' }]),
  );

  await sql`update sim_phones set offline = false`;
  network.wake(0);
  await waitFor(() => expect(receipts).toHaveLength(4));
});

test('delivers what was due when the process ended', async ({ openNetwork }) => {
  const { ani, network, open, sinks, receipts } = await openNetwork();
  await network.send(toPhone(ani, '6281234567890'), never);
  await network.close();
  expect(receipts).toEqual([]);

  const next = open();
  await next.start(sinks);
  await waitFor(() => expect(receipts).toHaveLength(2));
  await next.close();
});

test('delivers receipts again that were not stored', async ({ sql, openNetwork }) => {
  const { ani, network, sinks, receipts, reported } = await openNetwork();
  let broken = true;
  const unsteady: Sinks = {
    ...sinks,
    receipts: (given) => {
      if (!broken) return sinks.receipts(given);
      return Promise.reject(new Error('the server is busy'));
    },
  };
  await network.start(unsteady);
  await network.send(toPhone(ani, '6281234567890'), never);
  await waitFor(() => expect(reported).toEqual([new Error('the server is busy')]));
  await waitFor(async () =>
    expect(await sql`select tries from sim_events`).toEqual([{ tries: 1 }, { tries: 1 }]),
  );
  broken = false;
  await sql`update sim_events set due_at = statement_timestamp()`;
  network.wake(0);
  await waitFor(() => expect(receipts).toHaveLength(2));
});

test('an answer that the sink refuses delays no other', async ({ sql, openNetwork }) => {
  const { ani, network, sinks, inbound } = await openNetwork();
  const unsteady: Sinks = {
    ...sinks,
    inbound: (given) => {
      if (given.type === 'text') return Promise.reject(new Error('poison'));
      return sinks.inbound(given);
    },
  };
  await network.start(unsteady);
  await network.send(toPhone(ani, '62800000007'), never);
  await network.send(toPhone(ani, '62800000008'), never);
  await waitFor(() => expect(inbound).toHaveLength(1));
  await waitFor(async () =>
    expect(await sql`select phone from sim_events where tries > 0`).toEqual([
      { phone: '62800000007' },
    ]),
  );
});

test('delivers each receipt by one of two processes', async ({ sql, openNetwork }) => {
  const { ani, network, open, sinks, receipts } = await openNetwork();
  const other = open();
  const messages = Array.from({ length: 700 }, () => toPhone(ani, '6281234567890'));
  await Promise.all(messages.map((message) => network.send(message, never)));
  await Promise.all([network.start(sinks), other.start(sinks)]);
  await waitFor(() => expect(receipts.length).toBeGreaterThanOrEqual(1_400));
  await waitFor(async () => expect(await sql`select * from sim_events`).toEqual([]));
  await other.close();
  const delivered = receipts.map(({ messageId, status }) => `${messageId} ${status}`);
  expect(delivered).toHaveLength(1_400);
  expect(new Set(delivered).size).toBe(1_400);
});

test('drops a reply to a number that was unlinked meanwhile', async ({ sql, openNetwork }) => {
  const { ani, network, sinks, inbound } = await openNetwork();
  await network.send(toPhone(ani, '62800000007'), never);
  await sql`delete from linked_phones`;
  await network.start(sinks);
  await waitFor(async () => expect(await sql`select * from sim_events`).toEqual([]));
  expect(inbound).toEqual([]);
});
