import { waitFor } from '#tests/support/wait-for.ts';
import { expect, vi } from 'vitest';
import type { Log } from '#server/infra/observability/log.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { phones, acceptTexts } from '#tests/support/app/fake-channel.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import { newLease, renewLeases } from './lanes.ts';
import { type Outcome, openSettle } from './settle.ts';
import { nextEpoch } from '#tests/support/app/lanes.ts';

/** A customer with one message of Rp 150, and its lane as a worker owns it. */
async function sender(sql: Sql) {
  const customer = await customerWith(sql, { saldo: 1000 });
  const { results } = await acceptTexts(sql, customer, { prices: [150], peers: phones(1) });
  const claim = { ...customer, epoch: await nextEpoch(sql, customer) };
  return { customer, claim, id: results[0]?.id ?? '' };
}

const outcomeOf = (
  { customer, id }: { customer: Customer; id: string },
  outcome: string,
): Outcome => ({
  accountId: customer.accountId,
  lane: undefined,
  id,
  outcome,
  failure: outcome === 'failed' ? 'rejected' : null,
  at: new Date('2026-11-20T10:00:00Z'),
});

const stateOf = async (sql: Sql, { accountId }: Customer) => {
  const [row] = await sql<{ status: string; charge_state: string; available: number }[]>`
    select m.status, charge_state, available from messages m join wallets using (account_id)
    where account_id = ${accountId}`;
  return row && Object.values(row).join(' ');
};

const stepsOf = async (sql: Sql, id: string) => {
  const rows = await sql<{ kind: string }[]>`
    select kind from message_events where message_id = ${id} order by kind`;
  return rows.map(({ kind }) => kind);
};

test('does not delay other accounts while one account is locked', async ({ sql, db }) => {
  const [ani, budi] = [await sender(sql), await sender(sql)];
  const settle = openSettle({ sql });
  let held: Promise<unknown> | undefined;
  await db.owner.begin(async (tx) => {
    await tx`select from wallets where account_id = ${ani.customer.accountId} for no key update`;
    held = settle([outcomeOf(ani, 'sent')]);
    await settle([outcomeOf(budi, 'sent')]);
    expect(await stateOf(sql, budi.customer)).toBe('sent captured 850');
    expect(await stateOf(sql, ani.customer)).toBe('queued held 850');
  });
  await held;
  expect(await stateOf(sql, ani.customer)).toBe('sent captured 850');
});

test('charges a message that was sent and failed, in one call or two', async ({ sql }) => {
  const [ani, budi] = [await sender(sql), await sender(sql)];
  const settle = openSettle({ sql });
  await settle([outcomeOf(ani, 'failed'), outcomeOf(ani, 'sent')]);
  await settle([outcomeOf(budi, 'sent')]);
  await settle([outcomeOf(budi, 'failed')]);
  expect(await stateOf(sql, ani.customer)).toBe('failed captured 850');
  expect(await stateOf(sql, budi.customer)).toBe('failed captured 850');
});

test('ignores a bad end reported with or after an arrival', async ({ sql }) => {
  const [ani, budi] = [await sender(sql), await sender(sql)];
  const settle = openSettle({ sql });
  const lost = (one: Awaited<ReturnType<typeof sender>>): Outcome => ({
    ...outcomeOf(one, 'failed'),
    lane: one.claim,
    failure: 'no_answer',
  });
  await settle([outcomeOf(ani, 'delivered')]);
  await settle([lost(ani)]);
  await settle([outcomeOf(ani, 'read')]);
  await settle([outcomeOf(budi, 'delivered'), lost(budi)]);
  expect(await stateOf(sql, ani.customer)).toBe('read captured 850');
  expect(await stateOf(sql, budi.customer)).toBe('delivered captured 850');
  expect(await stepsOf(sql, ani.id)).toEqual(['delivered', 'read']);
  expect(await stepsOf(sql, budi.id)).toEqual(['delivered']);
});

test('ends no lane before its lease is nearly over when renewing fails', async ({ sql }) => {
  const [mine, taken] = [await sender(sql), await sender(sql)];
  await nextEpoch(sql, taken.customer);
  const lanes = [newLease(mine.claim), newLease(taken.claim)];
  const warn = vi.fn<() => void>();
  const log = { warn } as Partial<Log> as Log;
  const lost = () => lanes.map((lane) => lane.lost.signal.aborted);

  const broken = Object.assign(new Error('no connection'), { code: 'ECONNRESET' });
  const brokenSql = (() => Promise.reject(broken)) as unknown as Sql;
  await renewLeases({ sql: brokenSql, log }, lanes);
  expect(lost()).toEqual([false, false]);
  expect(warn).toHaveBeenCalledOnce();

  await renewLeases({ sql, log }, lanes);
  expect(lost()).toEqual([false, true]);
  await waitFor(async () =>
    expect(
      await sql`select from lanes where token_id = ${mine.customer.tokenId}
        and lease_until > clock_timestamp() + interval '10 seconds'`,
    ).toHaveLength(1),
  );

  for (const lane of lanes) lane.renewedAt -= 11_000;
  await renewLeases({ sql: brokenSql, log }, lanes);
  expect(lost()).toEqual([true, true]);
});
