import { expect } from 'vitest';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type RunningApp, waitFor, test } from '#tests/support/app/running-app.ts';
import { PATIENCE_MS } from '#tests/support/wait-for.ts';
import { type Ask, type Wish, openAsking } from './load/requests.ts';
import { type Journal, askUntilAnswered, openJournal } from './load/clients.ts';
import { diceOf } from './faults/random.ts';
import { judge } from './judge.ts';
import type { Rule } from './faults/rules.ts';
import { furnishSenders } from './load/senders.ts';
import { ask as askOver } from './faults/request-router.ts';

/** What may become of one message that was read in its phone, told by its text. */
type Harm = {
  /** What the house did wrong. */
  sql?: (one: Wish) => string;
  /** What the clients heard. */
  heard?: (journal: Journal, one: Wish) => void;
  seen: Rule;
};

const messageOf = ({ id }: Wish) => `message_id = '${id}'`;
const copyOf = (one: Wish, text: string) => `
  insert into messages select (jsonb_populate_record(m, jsonb_build_object(
    'message_id', uuidv7(), 'ref', null, 'body', jsonb_build_object('text', '${text}')))).*
  from messages m where ${messageOf(one)}`;
const toldAs = (one: Wish, from: string, to: string) => `
  update events set data = jsonb_set(data, '{status}', '"${to}"')
  where ${messageOf(one)} and data->>'status' = '${from}'`;

const harms: Readonly<Record<string, Harm>> = {
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
    heard: (_, one) => Object.assign(one, { fate: 'refused', code: 'saldo_short' }),
    seen: 'nothing unasked',
  },
  'a message to another number': {
    sql: (one) => `update messages set peer = '6281299999999' where ${messageOf(one)}`,
    seen: 'as it was asked',
  },
  'two answers to one question': {
    heard: (journal) => journal.complaints.push('one id, then another'),
    seen: 'answered the same',
  },
  'a request that was never answered': {
    heard: (_, one) => Object.assign(one, { fate: 'open' }),
    seen: 'answered the same',
  },
  'a message stuck on its way': {
    sql: (one) => `update messages set status = 'sent' where ${messageOf(one)}`,
    seen: 'ended as its phone does',
  },
  'a status going back': {
    sql: (one) =>
      `${toldAs(one, 'queued', 'x')}; ${toldAs(one, 'read', 'queued')}; ${toldAs(one, 'x', 'read')}`,
    seen: 'never goes back',
  },
  'a step told twice': {
    sql: (one) => toldAs(one, 'queued', 'read'),
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
    seen: 'told without gaps',
  },
  'two events of a conversation with one number': {
    sql: (one) => `update events set conversation_seq = 1 where ${messageOf(one)}`,
    seen: 'told without gaps',
  },
  'a rollup one too high': {
    sql: () => `update rollups set messages = messages + 1 where messages > 0`,
    seen: 'counted right',
  },
  'a day that counts one too few': {
    sql: () => `update token_days set accepted = accepted - 1`,
    seen: 'counted right',
  },
  'a message still in the queue': {
    sql: (one) => `
      insert into dispatch (account_id, message_id, token_id, priority, peer, ready_at)
      select account_id, message_id, token_id, 1, peer, now() from messages where ${messageOf(one)}`,
    seen: 'nothing left over',
  },
  'an idempotency key forgotten': { sql: () => `delete from request_keys`, seen: 'answers kept' },
  'a ref that names another message': {
    sql: () => `update message_refs set message_id = uuidv7() where ref like 'ref %'`,
    seen: 'answers kept',
  },
  'an answer of a phone that was lost': {
    sql: () => `delete from messages where direction = 'in'`,
    seen: 'not doubled',
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

/** A day at the house: requests of every kind, sent and brought to rest. */
async function busyApp({ app }: RunningApp, allAccountsSql: Sql): Promise<Journal> {
  const journal = openJournal();
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const asking = openAsking(await furnishSenders(allAccountsSql));
  const dice = diceOf(3);
  const door = {
    post: (path: string, asked: Parameters<typeof askOver>[1]) => askOver(address + path, asked),
  };
  const asks: Ask[] = Array.from({ length: REQUESTS }, () => asking.next(0, dice, 1));
  // One that gets an answer, so that there is a received message.
  const answered = asks.find(({ many, key }) => many && key !== undefined)?.wishes[0];
  if (answered) answered.to = '62800000008';
  for (const ask of asks) {
    if (ask.sendAt !== undefined && !ask.cancel) continue;
    journal.asks.push(ask);
    await askUntilAnswered(door, journal, ask, AbortSignal.timeout(PATIENCE_MS));
  }
  await waitFor(async () => {
    expect(
      await allAccountsSql`select (select count(*) from dispatch) + (select count(*) from outbox)
        + (select count(*) from sim_due) + (select count(*) from lanes where ready_at <= clock_timestamp())
        as left`,
    ).toEqual([{ left: 0 }]);
  });
  return journal;
}

/** A transaction as the judge's pool: what it sees is the harm, and nobody else sees it. */
const asPool = (tx: Tx): Sql =>
  Object.assign((...given: Parameters<Tx>) => tx(...given), {
    begin: (...given: unknown[]) => (given.at(-1) as (tx: Tx) => unknown)(tx),
  }) as unknown as Sql;

test('the judge finds nothing wrong with a house that works, and every bug planted in it', async ({
  db,
  openContainer,
}) => {
  const journal = await busyApp(
    await openContainer({ works: true, env: { RATE_API_PER_SECOND: '10000' } }),
    db.allAccountsSql,
  );
  expect((await judge(db.allAccountsSql, journal)).broken).toEqual([]);

  const undone = new Error('undone');
  const seen: Record<string, boolean> = {};
  for (const [what, harm] of Object.entries(harms)) {
    const heard = structuredClone(journal);
    const one = heard.asks.flatMap(({ wishes }) => wishes).find(isOrdinary);
    if (!one) throw new Error('no ordinary message');
    harm.heard?.(heard, one);
    const harmed = db.owner.begin(async (tx) => {
      if (harm.sql) await tx.unsafe(harm.sql(one));
      const { broken } = await judge(asPool(tx), heard);
      seen[what] = broken.some(({ rule }) => rule === harm.seen);
      throw undone;
    });
    await expect(harmed).rejects.toBe(undone);
  }
  expect(seen).toEqual(Object.fromEntries(Object.keys(harms).map((what) => [what, true])));
});

/** Accepted, and read in its phone. */
const isOrdinary = ({ fate, to }: Wish) => fate === 'accepted' && to.startsWith('6281');
