import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type Plan, readPlan } from './plan.ts';

/**
 * Lays the tables out over the nodes of the cluster, in one transaction: whatever breaks it off leaves everything as
 * it was.
 *
 * @param owner the pool of the database's owner, at the coordinator.
 * @param shards how many shards each table has.
 */
export async function distributeTables(owner: Sql, shards: number): Promise<void> {
  await owner.begin(async (tx) => {
    await tx.query(`set local search_path = public;
      set local client_min_messages = warning;
      set local citus.multi_shard_modify_mode = 'sequential';
      set local citus.enable_unsafe_triggers = on;
      set local citus.shard_count = ${shards}`);
    await tx.query(
      'drop index webhooks_by_id; create index webhooks_by_id on webhooks (webhook_id)',
    );
    const plan = await readPlan(tx);
    await replacePolicies(tx);
    const keys = await dropForeignKeys(tx, plan);
    for (const name of plan.reference) {
      await tx.query(`select create_reference_table('${name}')`);
    }
    const [one = ''] = plan.single;
    for (const name of plan.single) {
      const beside = name === one ? 'none' : one;
      await tx.query(
        `select create_distributed_table('${name}', null, colocate_with => '${beside}')`,
      );
    }
    const [first = ''] = plan.distributed;
    for (const name of plan.distributed) {
      const beside = name === first ? '' : `, colocate_with => '${first}'`;
      await tx.query(`select create_distributed_table('${name}', 'account_id'${beside})`);
    }
    for (const { one, name, definition } of keys) {
      await tx.query(`alter table ${one} add constraint ${name} ${definition}`);
    }
  });
}

type Key = { one: string; other: string; name: string; definition: string };

/** Drops all foreign keys, and returns those that a cluster can hold. */
async function dropForeignKeys(tx: Tx, { distributed, single }: Plan): Promise<readonly Key[]> {
  const keys = await tx<Key[]>`
    select conrelid::regclass::text as one, confrelid::regclass::text as other, conname as name,
      pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and conparentid = 0
      and connamespace = 'public'::regnamespace`;
  for (const { one, name } of keys) await tx.query(`alter table ${one} drop constraint ${name}`);
  const isSpread = (table: string) => distributed.includes(table);
  return keys.filter(
    ({ one, other, definition }) =>
      (!isSpread(other) && !single.includes(other) && !single.includes(one)) ||
      (isSpread(one) && /\(.*account_id.*\).*\(.*account_id.*\)/.test(definition)),
  );
}

type Policy = {
  table: string;
  name: string;
  as: string;
  roles: string[];
  command: string;
  using: string | null;
  check: string | null;
};

/** Other nodes take no policy with a sub-select, and who sees all accounts is known there by the role alone. */
async function replacePolicies(tx: Tx): Promise<void> {
  const policies = await tx<Policy[]>`
    select tablename as table, policyname as name, permissive as as, roles::text[] as roles, cmd as command,
      qual as using, with_check as check
    from pg_policies
    where schemaname = 'public' and (qual like '%SELECT%' or with_check like '%SELECT%')`;
  for (const { table, name, as, roles, command, using, check } of policies) {
    await tx.query(`drop policy ${name} on ${table};
      create policy ${name} on ${table} as ${as} for ${command} to ${roles.join()}
        ${using === null ? '' : `using (${withoutSelect(using)})`}
        ${check === null ? '' : `with check (${withoutSelect(check)})`}`);
  }
  const [left] = await tx<{ table: string }[]>`
    select tablename as table from pg_policies
    where schemaname = 'public' and (qual like '%SELECT%' or with_check like '%SELECT%')`;
  if (left) throw new Error(`a policy of ${left.table} cannot stand on other nodes`);
}

const withoutSelect = (condition: string): string =>
  condition
    .replaceAll(/\( SELECT (\w+\(\)) AS \w+\)/g, '$1')
    .replaceAll('sees_all()', "current_user = 'kabari_all'");
