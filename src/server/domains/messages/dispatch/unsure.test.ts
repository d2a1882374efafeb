import { describe, expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import {
  type FakeNetwork,
  lanesOver,
  network,
  phones,
  acceptTexts,
  hangingAnswer,
} from '#tests/support/app/fake-channel.ts';
import {
  type Customer,
  changeTokens,
  closeAccount,
  customerWith,
} from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { withdraw } from './withdraw.ts';
import { expireMessages, messagesAccountData } from '#server/domains/messages/messages.ts';
import { applyReceipts } from './settle.ts';
import { changeDispatch, changeLanes } from '#tests/support/app/lanes.ts';
import { plus } from '#tests/support/database/changes.ts';

/** An answer that fails every test here: no message may be sent again. */
const sentAgain = { outcome: 'failed', failure: 'rejected' } as const;
const MINUTE = 60_000;

const ends = (sql: Sql) => sql`
  select status, charge_state, failure from messages order by message_id`;
const queue = (sql: Sql) => sql`
  select state, unsure_until > clock_timestamp() as awaited from dispatch order by message_id`;
const entries = async (sql: Sql) => {
  const found = await sql<{ kind: string }[]>`select kind from wallet_entries order by seq`;
  return found.map(({ kind }) => kind).filter((kind) => kind !== 'bonus');
};
const expectConsistentLedger = async (sql: Sql) =>
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
const awaited = [{ state: 'unknown', awaited: true }];
const queued = [{ status: 'queued', charge_state: 'held', failure: null }];
const noAnswer = [{ status: 'failed', charge_state: 'released', failure: 'no_answer' }];

const deliver = (sql: Sql, accountId: string, messageId: string) =>
  applyReceipts(sql, [{ accountId, messageId, status: 'delivered', at: new Date() }]);

/** Fences a worker out: later answers change nothing, and it does not claim the lane again. */
const fence = (sql: Sql) =>
  changeLanes(sql, {}, { epoch: plus(1), owner: null, leaseUntil: null, readyAt: 'infinity' });

/** A message whose worker dies while sending it, and whose `ttl` has passed by then. */
async function killedWhileSending(
  { allAccountsSql: sql, owner }: TestDatabase,
  ani: Customer,
): Promise<string> {
  const { results } = await acceptTexts(sql, ani, { expiresAt: new Date(Date.now() + 3_600_000) });
  const { forever, letGo } = hangingAnswer();
  const { seen, channels } = network(() => forever, { timeoutMs: MINUTE });
  const lanes = lanesOver(sql, channels);
  await waitFor(() => expect(seen).toHaveLength(1));
  await changeDispatch(owner, {}, { expiresAt: 'now' });
  await fence(sql);
  letGo();
  await lanes.close();
  await changeLanes(sql, {}, { readyAt: 'now' });
  return results[0]?.id ?? '';
}

describe('a message whose worker died while it was being sent, and whose ttl has passed', () => {
  test('neither expires nor is cancelled, and its late receipt charges it once', async ({
    sql,
    db,
  }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    const messageId = await killedWhileSending(db, ani);
    const { seen, channels } = network(() => sentAgain, { timeoutMs: MINUTE });
    const lanes = lanesOver(sql, channels);
    await waitFor(async () =>
      expect(await sql`select owner from lanes where epoch > 2`).toEqual([{ owner: null }]),
    );
    await expireMessages(sql);
    expect(await ends(sql)).toEqual(queued);
    await expect(withdraw(db.tenantSql, ani.accountId, messageId)).rejects.toEqual(
      new Refusal('message_in_flight', {}),
    );
    expect(await queue(sql)).toEqual(awaited);

    await deliver(sql, ani.accountId, messageId);
    await deliver(sql, ani.accountId, messageId);
    expect(await ends(sql)).toEqual([
      { status: 'delivered', charge_state: 'captured', failure: null },
    ]);
    expect(await entries(sql)).toEqual(['hold', 'capture']);
    expect(seen).toEqual([]);
    await lanes.close();
    await expectConsistentLedger(sql);
  });

  test('fails without an answer when no receipt comes, and one that comes later corrects that', async ({
    sql,
    db,
  }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    const messageId = await killedWhileSending(db, ani);
    const { seen, channels } = network(() => sentAgain, { timeoutMs: 50 });
    const lanes = lanesOver(sql, channels);
    await waitFor(async () => expect(await ends(sql)).toEqual(noAnswer));
    await lanes.close();
    expect(seen).toEqual([]);
    expect(await sql`select available, held from wallets`).toEqual([{ available: 1000, held: 0 }]);

    await deliver(sql, ani.accountId, messageId);
    expect(await ends(sql)).toEqual([
      { status: 'delivered', charge_state: 'captured', failure: null },
    ]);
    expect(await sql`select available, held from wallets`).toEqual([{ available: 850, held: 0 }]);
    await expectConsistentLedger(sql);
  });

  test('waits for its receipt also while its phone is away', async ({ sql, db }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    await killedWhileSending(db, ani);
    await changeTokens(sql, {}, { status: 'disconnected', phone: null });
    const { channels } = network(() => sentAgain, { timeoutMs: 1_000 });
    const lanes = lanesOver(sql, channels);
    await waitFor(async () => expect(await queue(sql)).toEqual(awaited));
    await expireMessages(sql);
    expect(await ends(sql)).toEqual(queued);
    await waitFor(async () => {
      await expireMessages(sql);
      expect(await ends(sql)).toEqual(noAnswer);
    });
    await lanes.close();
  });
});

test('is marked when resent by a worker that dies before recording it, even if a receipt ends it', async ({
  sql,
  db,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const { results } = await acceptTexts(sql, ani);
  const { forever, letGo } = hangingAnswer();
  const { seen, channels } = network(() => forever, { preallocates: false, timeoutMs: 100 });
  const lanes = lanesOver(sql, channels);
  await waitFor(() => expect(seen).toHaveLength(2));
  await fence(sql);
  await deliver(sql, ani.accountId, results[0]?.id ?? '');
  expect(await sql`select status, possible_duplicate from messages`).toEqual([
    { status: 'delivered', possible_duplicate: true },
  ]);
  letGo();
  await lanes.close();
  await expectConsistentLedger(db.allAccountsSql);
});

test('neither resends nor marks a message that another worker is sending', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await acceptTexts(sql, ani);
  const { forever, letGo } = hangingAnswer();
  const { seen, channels } = network(() => forever, { preallocates: false, timeoutMs: 1_000 });
  const lanes = lanesOver(sql, channels);
  await waitFor(() => expect(seen).toHaveLength(1));
  const [claim] = await sql<{ account_id: string; token_id: string; epoch: number }[]>`
    select account_id, token_id, epoch from lanes`;
  await fence(sql);
  letGo();
  await lanes.close();
  const [message] = await sql<{ id: string }[]>`select message_id as id from messages`;
  await expect(
    sql`select mark_resent(${claim!.account_id}, ${claim!.token_id}, ${claim!.epoch}, ${message!.id})`,
  ).rejects.toMatchObject({ code: 'LN001' });
  expect(await sql`select possible_duplicate as twice from messages`).toEqual([{ twice: false }]);
});

test('keeps the first try unsure after a second one was refused for now', async ({ sql, db }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const { results } = await acceptTexts(sql, ani);
  const answers = [
    hangingAnswer().forever,
    { outcome: 'later', afterMs: MINUTE, failure: 'rate_limited' },
  ];
  const { seen, channels } = network(() => answers.shift() as never, { timeoutMs: 100 });
  const lanes = lanesOver(sql, channels);
  await waitFor(() => expect(seen).toHaveLength(2));
  await waitFor(async () =>
    expect(await sql`select state from dispatch`).toEqual([{ state: 'ready' }]),
  );
  await lanes.close();
  await expect(withdraw(db.tenantSql, ani.accountId, results[0]?.id ?? '')).rejects.toEqual(
    new Refusal('message_in_flight', {}),
  );
  await changeDispatch(db.owner, {}, { expiresAt: 'now' });
  await expireMessages(sql);
  expect(await ends(sql)).toEqual(noAnswer);
});

test('lets a message that was definitely refused for now be cancelled, or expire', async ({
  sql,
  db,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const peers = phones(2);
  const { results } = await acceptTexts(sql, ani, { prices: [150, 150], peers });
  const { seen, channels } = network(() => ({
    outcome: 'later',
    afterMs: MINUTE,
    failure: 'rate_limited',
  }));
  const lanes = lanesOver(sql, channels);
  await waitFor(() => expect(seen).toHaveLength(2));
  await waitFor(async () =>
    expect(await sql`select from dispatch where state = 'ready'`).toHaveLength(2),
  );
  await lanes.close();
  await withdraw(db.tenantSql, ani.accountId, results[0]?.id ?? '');
  await changeDispatch(db.owner, {}, { expiresAt: 'now' });
  await expireMessages(sql);
  expect(await ends(sql)).toEqual([
    { status: 'cancelled', charge_state: 'released', failure: null },
    { status: 'expired', charge_state: 'released', failure: null },
  ]);
});

/** Three messages: one may have left, one waits behind it, one for another number. */
async function oneMayHaveLeft(sql: Sql, ani: Customer): Promise<void> {
  const [first = '', second = ''] = phones(2);
  await acceptTexts(sql, ani, { prices: [150], peers: [first] });
  const { forever, letGo } = hangingAnswer();
  const silent: FakeNetwork = network(() => forever, { timeoutMs: MINUTE });
  const lanes = lanesOver(sql, silent.channels);
  await waitFor(() => expect(silent.seen).toHaveLength(1));
  await fence(sql);
  letGo();
  await lanes.close();
  await acceptTexts(sql, ani, { prices: [150, 150], peers: [first, second] });
}

const notLinked = { status: 'failed', charge_state: 'released', failure: 'not_linked' };

test('lets a message that may have left wait for its receipt when its token is deleted, and fails the rest', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await oneMayHaveLeft(sql, ani);
  await changeTokens(sql, {}, { deletedAt: 'now' });
  const { seen, channels } = network(() => sentAgain, { timeoutMs: 1_500 });
  const lanes = lanesOver(sql, channels);
  const left = [notLinked, notLinked];
  await waitFor(async () => expect(await ends(sql)).toEqual([...queued, ...left]));
  await waitFor(async () => expect(await ends(sql)).toEqual([...noAnswer, ...left]));
  await lanes.close();
  expect(seen).toEqual([]);
});

test('waits for the receipt of a message that may have left when its account is closed', async ({
  sql,
  db,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await oneMayHaveLeft(sql, ani);
  await closeAccount(sql, ani.accountId);
  const accountData = messagesAccountData({ sql: db.tenantSql, allAccountsSql: sql });
  await accountData.close?.(ani.accountId);
  expect(await ends(sql)).toEqual([...queued, notLinked, notLinked]);
  expect(await accountData.isReady?.({ accountId: ani.accountId, phones: [] })).toBe(false);

  await changeDispatch(db.owner, {}, { unsureUntil: 'now' });
  await accountData.close?.(ani.accountId);
  expect(await ends(sql)).toEqual([...noAnswer, notLinked, notLinked]);
  await expectConsistentLedger(sql);
});
