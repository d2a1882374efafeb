import { waitFor } from '#tests/support/wait-for.ts';
import { describe, expect } from 'vitest';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { phones, acceptTexts } from '#tests/support/app/fake-channel.ts';
import { publishAll } from '#tests/support/figures.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import type { Claim } from './attempt.ts';
import { openClaimMessages } from './lane.ts';
import { type Outcome, openSettle } from './settle.ts';
import { changeLanes, nextEpoch } from '#tests/support/app/lanes.ts';

const at = new Date('2026-11-20T10:00:00Z');

/** A customer with messages of Rp 150 to different phones, or to these. */
async function customerWithMessages(sql: Sql, count: number, peers = phones(count)) {
  const customer = await customerWith(sql, { saldo: 1000 });
  const { results } = await acceptTexts(sql, customer, {
    prices: Array.from({ length: count }, () => 150),
    peers,
  });
  return { customer, ids: results.map(({ id }) => id) };
}

/** Claims a customer's lane and all its messages, as a worker does. */
async function claimed(sql: Sql, { accountId, tokenId, phone }: Customer): Promise<Claim> {
  const claim = { accountId, tokenId, epoch: await nextEpoch(sql, { tokenId }) };
  await openClaimMessages({ sql })({ claim, from: phone, limit: 100, isUrgent: false });
  return claim;
}

const outcomeOf = (
  { accountId }: Pick<Customer, 'accountId'>,
  id: string | undefined,
  outcome: string,
  more: Partial<Outcome> = {},
): Outcome => ({
  accountId,
  lane: undefined,
  id: id ?? '',
  outcome,
  failure: null,
  at,
  ...more,
});

const moneyOf = async (sql: Sql, { accountId }: Customer) => {
  const [wallet] = await sql`select available, held from wallets where account_id = ${accountId}`;
  return wallet;
};
const messagesOf = async (sql: Sql, { accountId }: Customer) => {
  const rows = await sql<{ status: string; charge_state: string; failure: string | null }[]>`
    select status, charge_state, failure from messages where account_id = ${accountId}
    order by message_id`;
  return rows.map((row) => Object.values(row).filter(Boolean).join(' '));
};
/** Events of a customer's open tabs; the saldo comes last. */
const eventsOf = async (sql: Sql, { accountId }: Customer) => {
  const rows = await sql<{ told: string }[]>`
    select concat_ws(' ', kind, status, data ->> 'available', data ->> 'held') as told
    from events where account_id = ${accountId} and kind <> 'message.accepted' order by position`;
  return rows.map((row) => row.told);
};
const stepsOf = async (sql: Sql, id: string | undefined) => {
  const rows = await sql<{ kind: string }[]>`
    select kind from message_events where message_id = ${id ?? ''} order by at, kind`;
  return rows.map(({ kind }) => kind);
};
const deleteEvents = (sql: Sql) => sql`delete from events`;
const expectConsistentLedger = async (sql: Sql) =>
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);

describe('outcomes of several accounts in one call:', () => {
  test('settles the money, statuses and events of each account', async ({ sql }) => {
    const ani = await customerWithMessages(sql, 3);
    const budi = await customerWithMessages(sql, 2);
    const cici = await customerWithMessages(sql, 2);
    const settle = openSettle({ sql });
    await settle(cici.ids.map((id) => outcomeOf(cici.customer, id, 'sent')));
    const aniLane = { lane: await claimed(sql, ani.customer) };
    const budiLane = { lane: await claimed(sql, budi.customer) };
    await publishAll(sql);
    await deleteEvents(sql);

    const failed = { failure: 'not_on_whatsapp' };
    const answers = await Promise.all([
      settle([
        outcomeOf(ani.customer, ani.ids[0], 'sent', aniLane),
        outcomeOf(ani.customer, ani.ids[1], 'failed', { ...aniLane, ...failed }),
        outcomeOf(ani.customer, ani.ids[2], 'sent', aniLane),
      ]),
      settle([outcomeOf(budi.customer, budi.ids[1], 'failed', { ...budiLane, ...failed })]),
      settle([outcomeOf(cici.customer, cici.ids[0], 'read')]),
      settle([outcomeOf(cici.customer, cici.ids[1], 'failed', { failure: 'rejected' })]),
    ]);
    expect(answers).toEqual(answers.map(() => ({ isLost: false, unknownIds: new Set() })));
    const changed = await sql`
      select distinct xmin::text from messages where account_id <> ${cici.customer.accountId}
        and status <> 'queued' or account_id = ${cici.customer.accountId}`;
    expect(changed).toHaveLength(1);

    expect(await messagesOf(sql, ani.customer)).toEqual([
      'sent captured',
      'failed released not_on_whatsapp',
      'sent captured',
    ]);
    expect(await messagesOf(sql, budi.customer)).toEqual([
      'queued held',
      'failed released not_on_whatsapp',
    ]);
    expect(await messagesOf(sql, cici.customer)).toEqual([
      'read captured',
      'failed captured rejected',
    ]);
    expect(await moneyOf(sql, ani.customer)).toEqual({ available: 700, held: 0 });
    expect(await moneyOf(sql, budi.customer)).toEqual({ available: 850, held: 150 });
    expect(await moneyOf(sql, cici.customer)).toEqual({ available: 700, held: 0 });
    const queue = await sql`select message_id from dispatch`;
    expect(queue).toEqual([{ message_id: budi.ids[0] }]);

    await publishAll(sql);
    expect(await eventsOf(sql, ani.customer)).toEqual([
      'message.changed sent',
      'message.changed failed',
      'message.changed sent',
      'saldo.changed 700 0',
    ]);
    expect(await eventsOf(sql, budi.customer)).toEqual([
      'message.changed failed',
      'saldo.changed 850 150',
    ]);
    expect(await eventsOf(sql, cici.customer)).toEqual([
      'message.changed read',
      'message.changed failed',
    ]);
    await expectConsistentLedger(sql);
  });

  test('writes nothing for a lost lane, and everything for the others', async ({ sql }) => {
    const ani = await customerWithMessages(sql, 1);
    const budi = await customerWithMessages(sql, 2);
    const settle = openSettle({ sql });
    const aniLane = { lane: await claimed(sql, ani.customer) };
    const budiLane = { lane: await claimed(sql, budi.customer) };
    await nextEpoch(sql, budi.customer);

    const [kept, lost, receipt] = await Promise.all([
      settle([outcomeOf(ani.customer, ani.ids[0], 'sent', aniLane)]),
      settle([outcomeOf(budi.customer, budi.ids[0], 'sent', budiLane)]),
      settle([outcomeOf(budi.customer, budi.ids[1], 'delivered')]),
    ]);
    expect([kept?.isLost, lost?.isLost, receipt?.isLost]).toEqual([false, true, false]);
    expect(await messagesOf(sql, ani.customer)).toEqual(['sent captured']);
    expect(await messagesOf(sql, budi.customer)).toEqual(['queued held', 'delivered captured']);
    expect(await moneyOf(sql, budi.customer)).toEqual({ available: 700, held: 150 });
    expect(await stepsOf(sql, budi.ids[0])).not.toContain('sent');
    const queue = await sql`select message_id, state from dispatch`;
    expect(queue).toEqual([{ message_id: budi.ids[0], state: 'sending' }]);
    await publishAll(sql);
    expect(await eventsOf(sql, budi.customer)).toEqual([
      'message.changed delivered',
      'saldo.changed 700 150',
    ]);
    await expectConsistentLedger(sql);
  });

  test('charges a delivery proved after its release to its own account, while the saldo lasts', async ({
    sql,
  }) => {
    const ani = await customerWithMessages(sql, 2);
    const budi = await customerWithMessages(sql, 1);
    const settle = openSettle({ sql });
    const all = [ani, budi].flatMap(({ customer, ids }) => ids.map((id) => ({ customer, id })));
    await settle(all.map(({ customer, id }) => outcomeOf(customer, id, 'expired')));
    await sql`select post_entry(
      ${ani.customer.accountId}, 'adjust', -800, 'exp:fee', 'test', 'x', 'x', 'test',
      'Koreksi')`;

    await settle(all.map(({ customer, id }) => outcomeOf(customer, id, 'delivered')));
    expect(await messagesOf(sql, ani.customer)).toEqual(['delivered captured', 'delivered waived']);
    expect(await messagesOf(sql, budi.customer)).toEqual(['delivered captured']);
    expect(await moneyOf(sql, ani.customer)).toEqual({ available: 50, held: 0 });
    expect(await moneyOf(sql, budi.customer)).toEqual({ available: 850, held: 0 });
    await expectConsistentLedger(sql);
  });
});

describe('receipts', () => {
  test('reports receipts of unknown messages, and settles the others', async ({ sql }) => {
    const ani = await customerWithMessages(sql, 1);
    const unknown = newId();
    const settle = openSettle({ sql });
    const { unknownIds, isLost } = await settle([
      outcomeOf(ani.customer, unknown, 'delivered'),
      outcomeOf(ani.customer, ani.ids[0], 'delivered'),
    ]);
    expect([unknownIds, isLost]).toEqual([new Set([unknown]), false]);
    expect(await messagesOf(sql, ani.customer)).toEqual(['delivered captured']);
    expect(await stepsOf(sql, unknown)).toEqual([]);
  });

  test('charges a waiting message, and lets its lane send the next to that phone', async ({
    sql,
  }) => {
    const ani = await customerWithMessages(sql, 2, ['6281200000001', '6281200000001']);
    const claim = await claimed(sql, ani.customer);
    const woken: string[][] = [];
    const settle = openSettle({ sql, onSettled: (tokenIds) => void woken.push([...tokenIds]) });
    await changeLanes(sql, {}, { wakes: 0, readyAt: null });

    await settle([outcomeOf(ani.customer, ani.ids[0], 'delivered')]);
    expect(woken).toEqual([[ani.customer.tokenId]]);
    expect(await sql`select wakes, ready_at is not null as is_due from lanes`).toEqual([
      { wakes: 1, is_due: true },
    ]);
    expect(await messagesOf(sql, ani.customer)).toEqual(['delivered captured', 'queued held']);
    expect(await moneyOf(sql, ani.customer)).toEqual({ available: 700, held: 150 });
    expect(await sql`select message_id from dispatch`).toEqual([{ message_id: ani.ids[1] }]);
    const next = { claim, from: ani.customer.phone, limit: 10, isUrgent: false };
    expect((await openClaimMessages({ sql })(next)).due).toMatchObject([{ o_id: ani.ids[1] }]);

    // A lane polls after its own results, and a message that has left the queue wakes no lane.
    await settle([outcomeOf(ani.customer, ani.ids[1], 'sent', { lane: claim })]);
    await settle([outcomeOf(ani.customer, ani.ids[1], 'read')]);
    expect(woken.flat()).toHaveLength(1);
    expect(await sql`select wakes from lanes`).toEqual([{ wakes: 1 }]);
  });

  test('stores a repeat in one call as one step, one charge and one event', async ({ sql }) => {
    const ani = await customerWithMessages(sql, 1);
    const settle = openSettle({ sql });
    const receipt = outcomeOf(ani.customer, ani.ids[0], 'delivered');
    await Promise.all([settle([receipt, receipt]), settle([receipt])]);
    await settle([receipt]);
    expect(await stepsOf(sql, ani.ids[0])).toEqual(['delivered']);
    expect(await moneyOf(sql, ani.customer)).toEqual({ available: 850, held: 0 });
    await publishAll(sql);
    expect(await eventsOf(sql, ani.customer)).toEqual([
      'message.changed delivered',
      'saldo.changed 850 0',
    ]);
    await expectConsistentLedger(sql);
  });

  test('ends delivered and read in one call, in any order, at read with both steps', async ({
    sql,
  }) => {
    const ani = await customerWithMessages(sql, 1);
    const settle = openSettle({ sql });
    const read = outcomeOf(ani.customer, ani.ids[0], 'read', {
      at: new Date(at.getTime() + 1_000),
    });
    await settle([read, outcomeOf(ani.customer, ani.ids[0], 'delivered')]);
    expect(await messagesOf(sql, ani.customer)).toEqual(['read captured']);
    expect(await stepsOf(sql, ani.ids[0])).toEqual(['delivered', 'read']);
    await publishAll(sql);
    expect(await eventsOf(sql, ani.customer)).toEqual([
      'message.changed read',
      'saldo.changed 850 0',
    ]);
  });

  test('waits for messages that another process is settling, and loses none', async ({
    sql,
    db,
  }) => {
    const ani = await customerWithMessages(sql, 6);
    const settle = openSettle({ sql });
    await settle(ani.ids.map((id) => outcomeOf(ani.customer, id, 'sent')));
    const { promise: isDelivered, resolve } = Promise.withResolvers<void>();
    const other = db.owner.begin(async (tx) => {
      const each = (value: unknown) => ani.ids.map(() => value);
      await tx.query('select count(*) from settle_messages($1, $2, $3, $4, $5, $6, $7)', [
        each(ani.customer.accountId),
        each(null),
        each(null),
        ani.ids,
        each('delivered'),
        each(null),
        each(at),
      ]);
      resolve();
      // Until one waits for the locks of the other.
      await waitFor(async () =>
        expect(await tx`select 1 from pg_locks where not granted`).not.toEqual([]),
      );
    });
    await isDelivered;
    const { unknownIds } = await settle(ani.ids.map((id) => outcomeOf(ani.customer, id, 'read')));
    await other;
    expect(unknownIds).toEqual(new Set());
    expect(new Set(await messagesOf(sql, ani.customer))).toEqual(new Set(['read captured']));
  });

  test('does not wait for the wallet’s lock if no money moves', async ({ sql, db }) => {
    const ani = await customerWithMessages(sql, 2);
    const settle = openSettle({ sql });
    await settle([outcomeOf(ani.customer, ani.ids[0], 'sent')]);
    let charging: Promise<unknown> | undefined;
    await db.owner.begin(async (tx) => {
      await tx`select from wallets where account_id = ${ani.customer.accountId} for no key update`;
      await settle([outcomeOf(ani.customer, ani.ids[0], 'read')]);
      expect(await messagesOf(sql, ani.customer)).toEqual(['read captured', 'queued held']);
      charging = settle([outcomeOf(ani.customer, ani.ids[1], 'read')]);
      await waitFor(async () =>
        expect(
          await sql`select from pg_locks where not granted and locktype in ('tuple', 'transactionid')`,
        ).not.toEqual([]),
      );
    });
    await charging;
    expect(await messagesOf(sql, ani.customer)).toEqual(['read captured', 'read captured']);
    expect(await moneyOf(sql, ani.customer)).toEqual({ available: 700, held: 0 });
  });

  test('settles account by account when the database requires it', async ({ sql }) => {
    const ani = await customerWithMessages(sql, 1);
    const budi = await customerWithMessages(sql, 1);
    const unknown = newId();
    const settle = openSettle({ sql, isAcrossAccounts: false });
    const { unknownIds } = await settle([
      outcomeOf(ani.customer, ani.ids[0], 'delivered'),
      outcomeOf(budi.customer, budi.ids[0], 'read'),
      outcomeOf(ani.customer, unknown, 'read'),
    ]);
    expect(unknownIds).toEqual(new Set([unknown]));
    expect(await messagesOf(sql, ani.customer)).toEqual(['delivered captured']);
    expect(await messagesOf(sql, budi.customer)).toEqual(['read captured']);
  });
});

describe('a lane that a worker has lost and claimed again', () => {
  test('results under the former epoch are lost, also beside those under the present one', async ({
    sql,
  }) => {
    const ani = await customerWithMessages(sql, 2);
    const former = { lane: await claimed(sql, ani.customer) };
    const present = { lane: await claimed(sql, ani.customer) };
    const settle = openSettle({ sql });
    const [lost, kept] = await Promise.all([
      settle([outcomeOf(ani.customer, ani.ids[0], 'failed', former)]),
      settle([outcomeOf(ani.customer, ani.ids[1], 'sent', present)]),
    ]);
    expect(await messagesOf(sql, ani.customer)).toEqual(['queued held', 'sent captured']);
    expect([lost.isLost, kept.isLost]).toEqual([true, false]);
  });

  test('hands out no messages under the former epoch, also beside the present one', async ({
    sql,
  }) => {
    const ani = await customerWithMessages(sql, 2);
    const { accountId, tokenId, phone: from } = ani.customer;
    await changeLanes(sql, {}, { epoch: 2 });
    const claimMessages = openClaimMessages({ sql });
    const [former, present] = await Promise.allSettled(
      [1, 2].map((epoch) =>
        claimMessages({ claim: { accountId, tokenId, epoch }, from, limit: 1, isUrgent: false }),
      ),
    );
    expect(former).toMatchObject({ status: 'rejected', reason: { code: 'LN001' } });
    expect(present).toMatchObject({ status: 'fulfilled', value: { due: [{ o_id: ani.ids[0] }] } });
  });
});

test('treats a receipt for another account’s message as unknown, and writes nothing', async ({
  sql,
}) => {
  const ani = await customerWithMessages(sql, 1);
  const budi = await customerWith(sql);
  const [id] = ani.ids;
  const settle = openSettle({ sql });
  const { unknownIds } = await settle([
    outcomeOf(ani.customer, id, 'delivered'),
    outcomeOf(budi, id, 'failed', { failure: 'rejected' }),
  ]);
  expect(await stepsOf(sql, id)).toEqual(['delivered']);
  expect(unknownIds).toEqual(new Set([id]));
});
