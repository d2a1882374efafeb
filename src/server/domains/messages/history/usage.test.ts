import fc from 'fast-check';
import { describe, expect, test as plain } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { saldoUsage } from '#contract/saldo.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith, orderOf } from '#tests/support/people/people.ts';
import { paceOf, usageOf } from './figures.ts';
import { insertEntries } from '#tests/support/money/wallets.ts';

/** 00.30 in WIB on 21 November: still the 20th in UTC. */
const now = new Date('2026-11-20T17:30:00Z');
const HOUR_MS = 3_600_000;

test('shows captured, held and plan costs separately by day of WIB', async ({ db, sql }) => {
  const hour = fc.record({
    hoursAgo: fc.integer({ min: 0, max: 31 * 24 }),
    status: fc.constantFrom('queued', 'scheduled', 'sent', 'read', 'failed', 'received'),
    cost: fc.integer({ min: 0, max: 10_000_000_000 }),
  });
  /** Days before this one were counted before days had a cost. */
  const firstKnown = fc.integer({ min: -31, max: 1 });
  const plan = fc.record({
    hoursAgo: fc.integer({ min: 0, max: 31 * 24 }),
    price: fc.integer({ min: 1, max: 299_000 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(hour, { selector: ({ hoursAgo }) => hoursAgo, maxLength: 40 }),
      fc.uniqueArray(plan, { selector: ({ hoursAgo }) => hoursAgo, maxLength: 3 }),
      firstKnown,
      async (hours, plans, known) => {
        const { accountId, tokenId } = await customerWith(sql);
        const at = (hoursAgo: number) =>
          new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - hoursAgo * HOUR_MS);
        for (const { hoursAgo, status, cost } of hours) {
          await db.owner`
            insert into rollups (account_id, hour, token_id, direction, status, type, messages, cost)
            values (${accountId}, ${at(hoursAgo)}, ${tokenId},
              ${status === 'received' ? 'in' : 'out'}, ${status}, 'text', 1, ${cost})`;
        }
        await db.owner`
          insert into rollup_sums (
            account_id, grain, since, token_id, direction, status, type, messages, cost
          )
          select account_id, 'day', since, token_id, direction, status, type, sum(messages),
            case when since >= '2026-11-21'::date + ${known}::int then sum(cost) end
          from (select *, wib_since('day', hour) as since from rollups) r
          where account_id = ${accountId} group by 1, 2, 3, 4, 5, 6, 7`;
        const charged = plans.toSorted((a, b) => b.hoursAgo - a.hoursAgo);
        const entries = charged.map(({ hoursAgo, price }) => ({
          kind: 'plan',
          delta: -price,
          contra: 'rev:plan',
          createdAt: at(hoursAgo),
        }));
        await insertEntries(db.owner, accountId, entries);

        // A naive model: each charge on its own, with its day.
        const model = new Map<string, [captured: number, held: number, plan: number]>();
        const add = (hoursAgo: number, place: 0 | 1 | 2, amount: number) => {
          const day = new Date(at(hoursAgo).getTime() + 7 * HOUR_MS).toISOString().slice(0, 10);
          const sums = model.get(day) ?? [0, 0, 0];
          sums[place] += amount;
          model.set(day, sums);
        };
        for (const { hoursAgo, status, cost } of hours) {
          if (status === 'received') continue;
          add(hoursAgo, status === 'queued' || status === 'scheduled' ? 1 : 0, cost);
        }
        for (const { hoursAgo, price } of plans) add(hoursAgo, 2, price);

        const { days } = saldoUsage.output.parse(await usageOf(db.tenantSql, accountId, now));
        expect(days).toHaveLength(30);
        expect(days[0]?.date).toBe('2026-10-23');
        expect(days.at(-1)?.date).toBe('2026-11-21');
        for (const { date, captured, held, plan: paid } of days) {
          expect([captured, held, paid]).toEqual(model.get(date) ?? [0, 0, 0]);
        }
      },
    ),
    { numRuns: 25 },
  );
});

test('includes the hold of a message just accepted, and no other account’s', async ({
  db,
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  const budi = await customerWith(sql, { saldo: 10_000 });
  const intake = openIntake(db.tenantSql, () => undefined);
  await intake.accept(orderOf(ani, { prices: [150, 150, 75] }));
  await intake.close();
  const todayOf = async (accountId: string) =>
    (await usageOf(db.tenantSql, accountId, new Date())).days.at(-1);
  expect(await todayOf(ani.accountId)).toMatchObject({ captured: 0, held: 375, plan: 0 });
  expect(await todayOf(budi.accountId)).toMatchObject({ captured: 0, held: 0, plan: 0 });
});

test('reads the figures by an index, and no messages', async ({ db, sql }) => {
  const { accountId } = await customerWith(sql);
  const plan = await db.owner.begin(async (tx) => {
    await tx`set local enable_seqscan = off`;
    return tx<{ 'QUERY PLAN': string }[]>`
      explain select hour, sum(cost) from message_counts
      where account_id = ${accountId} and hour >= ${now} and hour < ${new Date()}
        and direction = 'out' group by hour`;
  });
  const text = plan.map((line) => line['QUERY PLAN']).join('\n');
  expect(text).toContain('rollups_pkey');
  expect(text).not.toMatch(/ on messages\b/);
  const plans = await db.owner<{ 'QUERY PLAN': string }[]>`
    explain select sum(d_available) from wallet_entries
    where account_id = ${accountId} and kind = 'plan' and seq > 5`;
  expect(plans.map((line) => line['QUERY PLAN']).join('\n')).toContain('wallet_entries_by_kind');
});

describe('the pace', () => {
  const days = (...costs: number[]) =>
    costs.map((cost) => ({ captured: rupiah(cost), held: rupiah(0) }));

  plain('no use at all', () => {
    expect(paceOf(days(0, 0, 0))).toEqual({ state: 'none' });
    // Used once, long ago: no messages are sent any more.
    expect(paceOf(days(900, 0, 0, 0, 0, 0, 0, 0, 0))).toEqual({ state: 'none' });
  });

  plain('is unknown with less than three whole days since the first use', () => {
    expect(paceOf(days(0, 0, 500))).toEqual({ state: 'little' });
    expect(paceOf(days(0, 500, 500, 10_000))).toEqual({ state: 'little' });
  });

  plain('averages the whole days since the first use, at most seven, without today', () => {
    expect(paceOf(days(0, 300, 0, 600, 9_999))).toEqual({ state: 'known', per_day: 300, days: 3 });
    const long = days(50_000, 70, 70, 70, 70, 70, 70, 75, 1);
    expect(paceOf(long)).toEqual({ state: 'known', per_day: 71, days: 7 });
  });
});
