import { expect } from 'vitest';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type RunningApp, test } from '#tests/support/app/running-app.ts';
import { PATIENCE_MS, waitFor } from '#tests/support/wait-for.ts';
import { type SendRequest, type RequestedMessage, createWorkload } from './load/requests.ts';
import { type Journal, sendUntilAnswered, openJournal } from './load/clients.ts';
import { seededRandom } from './faults/random.ts';
import { judge } from './judge.ts';
import type { Rule } from './faults/rules.ts';
import { createSenders } from './load/senders.ts';
import { postJson } from './faults/request-router.ts';
import { type Receiver, openReceiver } from './webhooks/receiver.ts';

/** A bug planted for one message that its phone has read, identified by its text. */
type PlantedBug = {
  sql?: (one: RequestedMessage) => string;
  answers?: (journal: Journal, one: RequestedMessage) => void;
  seen: Rule;
};

const messageOf = ({ id }: RequestedMessage) => `message_id = '${id}'`;
const copyOf = (one: RequestedMessage, text: string) => `
  insert into messages select (jsonb_populate_record(m, jsonb_build_object(
    'message_id', uuidv7(), 'ref', null, 'body', jsonb_build_object('text', '${text}')))).*
  from messages m where ${messageOf(one)}`;
const reportedAs = (one: RequestedMessage, from: string, to: string) => `
  update events set status = '${to}'
  where ${messageOf(one)} and status = '${from}'`;

const bugs: Readonly<Record<string, PlantedBug>> = {
  'a message lost': {
    sql: (one) => `delete from messages where ${messageOf(one)}`,
    seen: 'not lost',
  },
  'a message doubled': { sql: (one) => copyOf(one, one.text), seen: 'not doubled' },
  'a message nobody asked for': {
    sql: (one) => copyOf(one, 'never asked'),
    seen: 'nothing unasked',
  },
  'a refused message that stands': {
    answers: (_, one) => Object.assign(one, { outcome: 'refused', code: 'saldo_short' }),
    seen: 'nothing unasked',
  },
  'a message to another number': {
    sql: (one) => `update messages set peer = '6281299999999' where ${messageOf(one)}`,
    seen: 'as it was asked',
  },
  'two answers to one question': {
    answers: (journal) => journal.complaints.push('one id, then another'),
    seen: 'answered the same',
  },
  'a request that was never answered': {
    answers: (_, one) => Object.assign(one, { outcome: 'open' }),
    seen: 'answered the same',
  },
  'a message stuck on its way': {
    sql: (one) => `update messages set status = 'sent' where ${messageOf(one)}`,
    seen: 'ended as its phone does',
  },
  'a status going back': {
    sql: (one) =>
      `${reportedAs(one, 'queued', 'x')}; ${reportedAs(one, 'read', 'queued')}; ${reportedAs(one, 'x', 'read')}`,
    seen: 'never goes back',
  },
  'a step reported twice': {
    sql: (one) => reportedAs(one, 'queued', 'read'),
    seen: 'never goes back',
  },
  'a timeline that says failed of a read message': {
    sql: (one) => `
      insert into message_events (account_id, message_id, kind)
      select account_id, message_id, 'failed' from messages where ${messageOf(one)}`,
    seen: 'never goes back',
  },
  'a message given for nothing': {
    sql: (one) => `update messages set charge_state = 'released' where ${messageOf(one)}`,
    seen: 'charged as it ended',
  },
  'a message that never came to its phone': {
    sql: (one) => `delete from sim_lines where line_id = '${one.id}'`,
    seen: 'in the phone once',
  },
  'a message twice in its phone, unmarked': {
    sql: (one) => `
      insert into sim_lines (phone, line_id, direction, peer, type, body)
      select phone, uuidv7(), direction, peer, type, body from sim_lines where line_id = '${one.id}'`,
    seen: 'in the phone once',
  },
  'an event that nobody can have read': {
    sql: () => `delete from events where position = 2`,
    seen: 'events without gaps',
  },
  'two events of a conversation with one number': {
    sql: (one) => `update events set conversation_seq = 1 where ${messageOf(one)}`,
    seen: 'events without gaps',
  },
  'a rollup one too high': {
    sql: () => `update rollups set messages = messages + 1 where messages > 0`,
    seen: 'counted right',
  },
  'a day that counts one too few': {
    sql: () => `update lanes set accepted = accepted - 1`,
    seen: 'counted right',
  },
  'a message still in the queue': {
    sql: (one) => `
      insert into dispatch (account_id, message_id, token_id, priority, peer, ready_at)
      select account_id, message_id, token_id, 1, peer, now() from messages where ${messageOf(one)}`,
    seen: 'nothing left over',
  },
  'an idempotency key forgotten': {
    sql: () => `delete from idempotency_keys`,
    seen: 'answers kept',
  },
  'a ref that names another message': {
    sql: () => `update message_refs set message_id = uuidv7() where ref like 'ref %'`,
    seen: 'answers kept',
  },
  'an answer of a phone that was lost': {
    sql: () => `delete from messages where direction = 'in'`,
    seen: 'not doubled',
  },
  'an event that no webhook was told': {
    answers: (journal) => (journal.posts = journal.posts.slice(1)),
    seen: 'told to its webhook',
  },
  'an event that a webhook was told, and nobody published': {
    sql: () => `delete from events where position = (
      select max(e.position) from events e join webhooks using (account_id, token_id))`,
    seen: 'told to its webhook',
  },
  'events told in another order': {
    answers: (journal) => (journal.posts = journal.posts.toReversed()),
    seen: 'told to its webhook',
  },
  'an event told under two ids': {
    answers: (journal) => {
      const [post] = journal.posts;
      if (post) journal.posts = [...journal.posts, { ...post, id: 'whd_other' }];
    },
    seen: 'told to its webhook',
  },
  'a post that nobody signed': {
    answers: (journal) => {
      journal.posts = journal.posts.map((post) => ({ ...post, genuine: false }));
    },
    seen: 'told to its webhook',
  },
  'saldo out of nothing': {
    sql: () => `update wallets set available = available + 1`,
    seen: 'ledger',
  },
  'a hold that was removed': {
    sql: () => `alter table wallet_entries disable trigger user;
      delete from wallet_entries where kind = 'hold'`,
    seen: 'ledger',
  },
};

const REQUESTS = 40;

async function busyApp(
  { app }: RunningApp,
  allAccountsSql: Sql,
  receiver: Receiver,
): Promise<Journal> {
  const journal = openJournal(receiver.posts);
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const senders = await createSenders(allAccountsSql);
  await receiver.subscribe(address, senders.free);
  const workload = createWorkload(senders);
  const random = seededRandom(3);
  const transport = {
    post: (path: string, options: Parameters<typeof postJson>[1]) =>
      postJson(address + path, options),
  };
  const requests: SendRequest[] = Array.from({ length: REQUESTS }, () =>
    workload.next(0, random, 1),
  );
  // One that gets a reply, so that there is a received message.
  const answered = requests.find(({ many, key }) => many && key !== undefined)?.messages[0];
  if (answered) answered.to = '62800000008';
  for (const request of requests) {
    if (request.sendAt !== undefined && !request.cancel) continue;
    journal.requests.push(request);
    await sendUntilAnswered(transport, journal, request, AbortSignal.timeout(PATIENCE_MS));
  }
  await waitFor(async () => {
    expect(
      await allAccountsSql`select (select count(*) from dispatch) + (select count(*) from outbox)
        + (select count(*) from sim_events) + (select count(*) from lanes where ready_at <= clock_timestamp())
        + (select count(*) from webhook_lanes)
        + (select count(*) from webhooks w join event_positions p using (account_id) where w.position < p.last)
        as left`,
    ).toEqual([{ left: 0 }]);
  });
  return journal;
}

/** Passes a transaction as the judge's pool, so that only the judge sees the bug. */
const asPool = (tx: Tx): Sql =>
  Object.assign((...given: Parameters<Tx>) => tx(...given), {
    begin: (...given: unknown[]) => (given[0] as (tx: Tx) => unknown)(tx),
  }) as unknown as Sql;

test('finds no fault in a working application, and finds every planted bug', async ({
  db,
  openApp,
}) => {
  const receiver = await openReceiver(seededRandom(3));
  const journal = await busyApp(
    await openApp({
      works: true,
      env: { RATE_API_PER_SECOND: '10000', WEBHOOK_ORIGINS: receiver.origin },
    }),
    db.allAccountsSql,
    receiver,
  );
  expect((await judge(db.allAccountsSql, journal)).broken).toEqual([]);

  const undone = new Error('undone');
  const seen: Record<string, boolean> = {};
  for (const [what, bug] of Object.entries(bugs)) {
    const altered = structuredClone(journal);
    const one = altered.requests.flatMap(({ messages }) => messages).find(isOrdinary);
    if (!one) throw new Error('no ordinary message');
    bug.answers?.(altered, one);
    const brokenRules = db.owner.begin(async (tx) => {
      if (bug.sql) await tx.query(bug.sql(one));
      const { broken } = await judge(asPool(tx), altered);
      seen[what] = broken.some(({ rule }) => rule === bug.seen);
      throw undone;
    });
    await expect(brokenRules).rejects.toBe(undone);
  }
  await receiver.close();
  expect(seen).toEqual(Object.fromEntries(Object.keys(bugs).map((what) => [what, true])));
});

const isOrdinary = ({ outcome, to }: RequestedMessage) =>
  outcome === 'accepted' && to.startsWith('6281');
