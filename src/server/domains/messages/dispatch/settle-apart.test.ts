import { waitFor } from '#tests/support/wait-for.ts';
import { expect, vi } from 'vitest';
import type { Log } from '#server/infra/observability/log.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { phones, acceptTexts } from '#tests/support/app/fake-channel.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import { leasedNow, renewLeases } from './lanes.ts';
import { type Outcome, openSettle } from './settle.ts';
import { nextEpoch } from '#tests/support/app/lanes.ts';

/** A customer with one message of Rp 150, and its lane as a worker owns it. */
async function sender(sql: Sql) {
  const customer = await customerWith(sql, { saldo: 1000 });
  const { results } = await acceptTexts(sql, customer, { prices: [150], peers: phones(1) });
  const claim = { ...customer, epoch: await nextEpoch(sql, customer) };
  return { customer, claim, id: results[0]?.id ?? '' };
}

const told = ({ customer, id }: { customer: Customer; id: string }, outcome: string): Outcome => ({
  accountId: customer.accountId,
  lane: undefined,
  id,
  outcome,
  failure: outcome === 'failed' ? 'rejected' : null,
  at: new Date('2026-11-20T10:00:00Z'),
});

const standing = async (sql: Sql, { accountId }: Customer) => {
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

test('an account that is held delays the settling of no other', async ({ sql, db }) => {
  const [ani, budi] = [await sender(sql), await sender(sql)];
  const settle = openSettle({ sql });
  let held: Promise<unknown> | undefined;
  await db.owner.begin(async (tx) => {
    await tx`select from wallets where account_id = ${ani.customer.accountId} for no key update`;
    held = settle([told(ani, 'sent')]);
    await settle([told(budi, 'sent')]);
    expect(await standing(sql, budi.customer)).toBe('sent captured 850');
    expect(await standing(sql, ani.customer)).toBe('queued held 850');
  });
  await held;
  expect(await standing(sql, ani.customer)).toBe('sent captured 850');
});

test('what was sent and failed is charged, whether one call tells both or two', async ({ sql }) => {
  const [ani, budi] = [await sender(sql), await sender(sql)];
  const settle = openSettle({ sql });
  await settle([told(ani, 'failed'), told(ani, 'sent')]);
  await settle([told(budi, 'sent')]);
  await settle([told(budi, 'failed')]);
  expect(await standing(sql, ani.customer)).toBe('failed captured 850');
  expect(await standing(sql, budi.customer)).toBe('failed captured 850');
});

test('an end that is told of what has arrived, after it or with it, is no step on its way', async ({
  sql,
}) => {
  const [ani, budi] = [await sender(sql), await sender(sql)];
  const settle = openSettle({ sql });
  const lost = (one: Awaited<ReturnType<typeof sender>>): Outcome => ({
    ...told(one, 'failed'),
    lane: one.claim,
    failure: 'no_answer',
  });
  await settle([told(ani, 'delivered')]);
  await settle([lost(ani)]);
  await settle([told(ani, 'read')]);
  await settle([told(budi, 'delivered'), lost(budi)]);
  expect(await standing(sql, ani.customer)).toBe('read captured 850');
  expect(await standing(sql, budi.customer)).toBe('delivered captured 850');
  expect(await stepsOf(sql, ani.id)).toEqual(['delivered', 'read']);
  expect(await stepsOf(sql, budi.id)).toEqual(['delivered']);
});

test('leases that cannot be renewed end no lane before they are nearly over', async ({ sql }) => {
  const [mine, taken] = [await sender(sql), await sender(sql)];
  await nextEpoch(sql, taken.customer);
  const lanes = [leasedNow(mine.claim), leasedNow(taken.claim)];
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
