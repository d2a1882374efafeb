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

/** Takes a customer's lane, as a worker does, and all that it has to send. */
async function claimed(sql: Sql, { accountId, tokenId, phone }: Customer): Promise<Claim> {
  const claim = { accountId, tokenId, epoch: await nextEpoch(sql, { tokenId }) };
  await openClaimMessages({ sql })({ claim, from: phone, limit: 100, isUrgent: false });
  return claim;
}

const told = (
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
/** What open tabs are told of a customer: what changed, and the saldo last of all. */
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
const forgetEvents = (sql: Sql) => sql`delete from events`;
const ledgerIsWell = async (sql: Sql) =>
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);

describe('outcomes of several accounts in one call:', () => {
  test('each gets its own money, statuses and events', async ({ sql }) => {
    const ani = await customerWithMessages(sql, 3);
    const budi = await customerWithMessages(sql, 2);
    const cici = await customerWithMessages(sql, 2);
    const settle = openSettle({ sql });
    await settle(cici.ids.map((id) => told(cici.customer, id, 'sent')));
    const aniLane = { lane: await claimed(sql, ani.customer) };
    const budiLane = { lane: await claimed(sql, budi.customer) };
    await publishAll(sql);
    await forgetEvents(sql);

    const failed = { failure: 'not_on_whatsapp' };
    const answers = await Promise.all([
      settle([
        told(ani.customer, ani.ids[0], 'sent', aniLane),
        told(ani.customer, ani.ids[1], 'failed', { ...aniLane, ...failed }),
        told(ani.customer, ani.ids[2], 'sent', aniLane),
      ]),
      settle([told(budi.customer, budi.ids[1], 'failed', { ...budiLane, ...failed })]),
      settle([told(cici.customer, cici.ids[0], 'read')]),
      settle([told(cici.customer, cici.ids[1], 'failed', { failure: 'rejected' })]),
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
    // Their money moved when they were sent.
    expect(await eventsOf(sql, cici.customer)).toEqual([
      'message.changed read',
      'message.changed failed',
    ]);
    await ledgerIsWell(sql);
  });

  test('of one whose lane is lost nothing is written, of the others all is', async ({ sql }) => {
    const ani = await customerWithMessages(sql, 1);
    const budi = await customerWithMessages(sql, 2);
    const settle = openSettle({ sql });
    const aniLane = { lane: await claimed(sql, ani.customer) };
    const budiLane = { lane: await claimed(sql, budi.customer) };
    await nextEpoch(sql, budi.customer);

    const [kept, lost, receipt] = await Promise.all([
      settle([told(ani.customer, ani.ids[0], 'sent', aniLane)]),
      settle([told(budi.customer, budi.ids[0], 'sent', budiLane)]),
      settle([told(budi.customer, budi.ids[1], 'delivered')]),
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
    await ledgerIsWell(sql);
  });

  test('what is proved after its price was given back is charged to whose it is, while the saldo lasts', async ({
    sql,
  }) => {
    const ani = await customerWithMessages(sql, 2);
    const budi = await customerWithMessages(sql, 1);
    const settle = openSettle({ sql });
    const all = [ani, budi].flatMap(({ customer, ids }) => ids.map((id) => ({ customer, id })));
    await settle(all.map(({ customer, id }) => told(customer, id, 'expired')));
    await sql`select post_entry(
      ${ani.customer.accountId}, 'adjust', -800, 'exp:fee', 'test', 'x', 'x', 'test',
      'Koreksi')`;

    await settle(all.map(({ customer, id }) => told(customer, id, 'delivered')));
    expect(await messagesOf(sql, ani.customer)).toEqual(['delivered captured', 'delivered waived']);
    expect(await messagesOf(sql, budi.customer)).toEqual(['delivered captured']);
    expect(await moneyOf(sql, ani.customer)).toEqual({ available: 50, held: 0 });
    expect(await moneyOf(sql, budi.customer)).toEqual({ available: 850, held: 0 });
    await ledgerIsWell(sql);
  });
});

describe('receipts', () => {
  test('of messages that are not there are told, the others are settled', async ({ sql }) => {
    const ani = await customerWithMessages(sql, 1);
    const unknown = newId();
    const settle = openSettle({ sql });
    const { unknownIds, isLost } = await settle([
      told(ani.customer, unknown, 'delivered'),
      told(ani.customer, ani.ids[0], 'delivered'),
    ]);
    expect([unknownIds, isLost]).toEqual([new Set([unknown]), false]);
    expect(await messagesOf(sql, ani.customer)).toEqual(['delivered captured']);
    expect(await stepsOf(sql, unknown)).toEqual([]);
  });

  test('of a message that still waits charge it, and let its lane send the next to that phone', async ({
    sql,
  }) => {
    const ani = await customerWithMessages(sql, 2, ['6281200000001', '6281200000001']);
    const claim = await claimed(sql, ani.customer);
    const woken: string[][] = [];
    const settle = openSettle({ sql, onSettled: (tokenIds) => void woken.push([...tokenIds]) });
    await changeLanes(sql, {}, { wakes: 0, readyAt: null });

    await settle([told(ani.customer, ani.ids[0], 'delivered')]);
    expect(woken).toEqual([[ani.customer.tokenId]]);
    expect(await sql`select wakes, ready_at is not null as is_due from lanes`).toEqual([
      { wakes: 1, is_due: true },
    ]);
    expect(await messagesOf(sql, ani.customer)).toEqual(['delivered captured', 'queued held']);
    expect(await moneyOf(sql, ani.customer)).toEqual({ available: 700, held: 150 });
    expect(await sql`select message_id from dispatch`).toEqual([{ message_id: ani.ids[1] }]);
    const next = { claim, from: ani.customer.phone, limit: 10, isUrgent: false };
    expect((await openClaimMessages({ sql })(next)).due).toMatchObject([{ o_id: ani.ids[1] }]);

    // Its lane looks after its own results; and what has left wakes nobody.
    await settle([told(ani.customer, ani.ids[1], 'sent', { lane: claim })]);
    await settle([told(ani.customer, ani.ids[1], 'read')]);
    expect(woken.flat()).toHaveLength(1);
    expect(await sql`select wakes from lanes`).toEqual([{ wakes: 1 }]);
  });

  test('that are told twice in one call are one step, one charge and one event', async ({
    sql,
  }) => {
    const ani = await customerWithMessages(sql, 1);
    const settle = openSettle({ sql });
    const receipt = told(ani.customer, ani.ids[0], 'delivered');
    await Promise.all([settle([receipt, receipt]), settle([receipt])]);
    await settle([receipt]);
    expect(await stepsOf(sql, ani.ids[0])).toEqual(['delivered']);
    expect(await moneyOf(sql, ani.customer)).toEqual({ available: 850, held: 0 });
    await publishAll(sql);
    expect(await eventsOf(sql, ani.customer)).toEqual([
      'message.changed delivered',
      'saldo.changed 850 0',
    ]);
    await ledgerIsWell(sql);
  });

  test('delivered and read in one call, in any order, end at read with both steps', async ({
    sql,
  }) => {
    const ani = await customerWithMessages(sql, 1);
    const settle = openSettle({ sql });
    const read = told(ani.customer, ani.ids[0], 'read', { at: new Date(at.getTime() + 1_000) });
    await settle([read, told(ani.customer, ani.ids[0], 'delivered')]);
    expect(await messagesOf(sql, ani.customer)).toEqual(['read captured']);
    expect(await stepsOf(sql, ani.ids[0])).toEqual(['delivered', 'read']);
    await publishAll(sql);
    expect(await eventsOf(sql, ani.customer)).toEqual([
      'message.changed read',
      'saldo.changed 850 0',
    ]);
  });

  test('of messages that another process is just settling wait for it, and lose none', async ({
    sql,
    db,
  }) => {
    const ani = await customerWithMessages(sql, 6);
    const settle = openSettle({ sql });
    await settle(ani.ids.map((id) => told(ani.customer, id, 'sent')));
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
      // Until the other waits for what this one holds.
      await waitFor(async () =>
        expect(await tx`select 1 from pg_locks where not granted`).not.toEqual([]),
      );
    });
    await isDelivered;
    const { unknownIds } = await settle(ani.ids.map((id) => told(ani.customer, id, 'read')));
    await other;
    expect(unknownIds).toEqual(new Set());
    expect(new Set(await messagesOf(sql, ani.customer))).toEqual(new Set(['read captured']));
  });

  test('that move no money do not wait for who holds the wallet', async ({ sql, db }) => {
    const ani = await customerWithMessages(sql, 2);
    const settle = openSettle({ sql });
    await settle([told(ani.customer, ani.ids[0], 'sent')]);
    let charging: Promise<unknown> | undefined;
    await db.owner.begin(async (tx) => {
      await tx`select from wallets where account_id = ${ani.customer.accountId} for no key update`;
      await settle([told(ani.customer, ani.ids[0], 'read')]);
      expect(await messagesOf(sql, ani.customer)).toEqual(['read captured', 'queued held']);
      charging = settle([told(ani.customer, ani.ids[1], 'read')]);
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

  test('of one account after the other are the same, where a database wants it so', async ({
    sql,
  }) => {
    const ani = await customerWithMessages(sql, 1);
    const budi = await customerWithMessages(sql, 1);
    const unknown = newId();
    const settle = openSettle({ sql, isAcrossAccounts: false });
    const { unknownIds } = await settle([
      told(ani.customer, ani.ids[0], 'delivered'),
      told(budi.customer, budi.ids[0], 'read'),
      told(ani.customer, unknown, 'read'),
    ]);
    expect(unknownIds).toEqual(new Set([unknown]));
    expect(await messagesOf(sql, ani.customer)).toEqual(['delivered captured']);
    expect(await messagesOf(sql, budi.customer)).toEqual(['read captured']);
  });
});

describe('of a lane that a worker has lost and taken again', () => {
  test('results under the former epoch are lost, also beside those under the present one', async ({
    sql,
  }) => {
    const ani = await customerWithMessages(sql, 2);
    const former = { lane: await claimed(sql, ani.customer) };
    const present = { lane: await claimed(sql, ani.customer) };
    const settle = openSettle({ sql });
    const [lost, kept] = await Promise.all([
      settle([told(ani.customer, ani.ids[0], 'failed', former)]),
      settle([told(ani.customer, ani.ids[1], 'sent', present)]),
    ]);
    expect(await messagesOf(sql, ani.customer)).toEqual(['queued held', 'sent captured']);
    expect([lost.isLost, kept.isLost]).toEqual([true, false]);
  });

  test('nothing is handed out under the former epoch, also beside the present one', async ({
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

test('a receipt that names a message of another account is unknown, and writes nothing', async ({
  sql,
}) => {
  const ani = await customerWithMessages(sql, 1);
  const budi = await customerWith(sql);
  const [id] = ani.ids;
  const settle = openSettle({ sql });
  const { unknownIds } = await settle([
    told(ani.customer, id, 'delivered'),
    told(budi, id, 'failed', { failure: 'rejected' }),
  ]);
  expect(await stepsOf(sql, id)).toEqual(['delivered']);
  expect(unknownIds).toEqual(new Set([id]));
});
