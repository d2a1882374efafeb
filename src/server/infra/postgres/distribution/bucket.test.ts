import { expect, inject } from 'vitest';
import { asAccount } from '#server/infra/postgres/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { test } from '#tests/support/database/database.ts';

const onCluster = test.skipIf(inject('cluster') === undefined);

onCluster(
  'what is asked of a bucket touches its own shards, past the planner of the cluster',
  async ({ db }) => {
    const tables = await db.owner<{ name: string; partitions: number }[]>`
    select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'bucket_1' and c.relkind = 'v'
      and exists (select from pg_dist_partition p where p.logicalrelid = to_regclass('public.' || c.relname))`;
    expect(tables.length).toBeGreaterThan(80);
    for (const { name } of tables) {
      const plan = await db.owner.query<{ 'QUERY PLAN': string }[]>(
        `explain select account_id from ${name} where account_id = gen_random_uuid()`,
      );
      const lines = plan.map((line) => line['QUERY PLAN']);
      expect(lines.filter((line) => line.includes('Citus'))).toEqual([]);
    }
  },
);

onCluster('accepting, posting and publishing are functions of the bucket', async ({ db }) => {
  const found = await db.owner<{ name: string; schema: string }[]>`
    select p.oid::regprocedure::text as name, n.nspname::text as schema
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.oid in (
      select oid from pg_proc where proname in ('accept_many', 'post_entry', 'publish_outbox')
        and pg_function_is_visible(oid))`;
  expect(found.map(({ schema }) => schema)).toEqual(['bucket_1', 'bucket_1', 'bucket_1']);
});

onCluster('walls stand in a bucket as on one server', async ({ sql }) => {
  const [ani, budi] = [
    await customerWith(sql, { saldo: 1000 }),
    await customerWith(sql, { saldo: 1000 }),
  ];
  const seen = await asAccount(
    sql,
    ani.accountId,
    (tx) => tx<{ id: string }[]>`
    select account_id as id from wallets`,
  );
  expect(seen.map(({ id }) => id)).toEqual([ani.accountId]);
  const taken = asAccount(
    sql,
    ani.accountId,
    (tx) => tx`
    update wallets set available = 9 where account_id = ${budi.accountId}`,
  );
  await expect(taken).rejects.toThrow('permission denied');
  await expect(sql`update wallet_entries set d_available = 9`).rejects.toThrow('permission denied');
});
