import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { readPlaced } from '#server/infra/postgres/distribution/cluster.ts';
import { onlyHere } from './commands.ts';
import { type Plan, readPlan } from './plan.ts';

/**
 * Lays the tables out over the nodes of the cluster, in one transaction: whatever breaks it off leaves everything as
 * it was. Tables that lie there already stay; a new version may have brought more.
 *
 * @param owner the pool of the database's owner, at the coordinator.
 * @param shards how many shards each table has; tables that come later have as many as the first ones.
 * @returns the names of the tables laid out now.
 */
export async function distributeTables(owner: Sql, shards: number): Promise<readonly string[]> {
  return owner.begin(async (tx) => {
    await tx.query(`set local search_path = public;
      set local client_min_messages = warning;
      set local citus.multi_shard_modify_mode = 'sequential';
      set local citus.enable_unsafe_triggers = on;
      set local citus.shard_count = ${shards}`);
    const plan = await readPlan(tx);
    const placed = await readPlaced(tx);
    const isNew = (table: string) => !placed.has(table);
    const first = besideWhich(plan.distributed, placed);
    await replacePolicies(tx);
    const keys = await dropForeignKeys(tx, plan, isNew);
    const triggers = await dropTriggers(tx, isNew);
    for (const name of plan.reference.filter(isNew)) {
      await tx.query(`select create_reference_table('${name}')`);
    }
    for (const group of plan.single) {
      const only = besideWhich(group, placed);
      for (const name of group.filter(isNew)) {
        const beside = name === only ? 'none' : only;
        await tx.query(
          `select create_distributed_table('${name}', null, colocate_with => '${beside}')`,
        );
      }
    }
    for (const name of plan.distributed.filter(isNew)) {
      const beside = name === first ? '' : `, colocate_with => '${first}'`;
      await tx.query(`select create_distributed_table('${name}', 'account_id'${beside})`);
    }
    const laid = [...plan.reference, ...plan.single.flat(), ...plan.distributed].filter(isNew);
    for (const name of laid) {
      // What was here before is a copy that nobody would erase.
      await tx.query(`select truncate_local_data_after_distributing_table('${name}')`);
    }
    for (const { one, name, definition } of keys) {
      await tx.query(`alter table ${one} add constraint ${name} ${definition}`);
    }
    for (const definition of triggers) await tx.query(definition);
    return laid;
  });
}

/** The table beside whose shards those of the others are laid. */
const besideWhich = (tables: readonly string[], placed: ReadonlySet<string>): string =>
  tables.find((name) => placed.has(name)) ?? tables[0] ?? '';

type Key = { one: string; other: string; name: string; definition: string };

/** Drops the foreign keys from and to new tables, and returns those of them that a cluster can hold. */
async function dropForeignKeys(
  tx: Tx,
  { distributed, single }: Plan,
  isNew: (table: string) => boolean,
): Promise<readonly Key[]> {
  const keys = await tx<Key[]>`
    select conrelid::regclass::text as one, confrelid::regclass::text as other, conname as name,
      pg_get_constraintdef(k.oid) as definition
    from pg_constraint k
    -- Keys of shards go with those of their tables; shards are not seen here.
    join pg_class c on c.oid = k.conrelid
    where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace`;
  const concerned = keys.filter(({ one, other }) => isNew(one) || isNew(other));
  for (const { one, name } of concerned) {
    const drop = `alter table ${one} drop constraint ${name}`;
    // The key of a table that lies there already has not come to its shards yet.
    await (isNew(one) ? tx.query(drop) : onlyHere(tx, drop));
  }
  const isSpread = (table: string) => distributed.includes(table);
  const isSingle = (table: string) => single.flat().includes(table);
  return concerned.filter(
    ({ one, other, definition }) =>
      (!isSpread(other) && !isSingle(other) && !isSingle(one)) ||
      (isSpread(one) && /\(.*account_id.*\).*\(.*account_id.*\)/.test(definition)),
  );
}

/** Drops the triggers of new tables, which would run for each row that is brought to its shard; returns how to make them. */
async function dropTriggers(tx: Tx, isNew: (table: string) => boolean): Promise<readonly string[]> {
  const triggers = await tx<{ table: string; name: string; definition: string }[]>`
    select c.relname as table, t.tgname as name, pg_get_triggerdef(t.oid) as definition
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgparentid = 0
    order by t.oid`;
  const concerned = triggers.filter(({ table }) => isNew(table));
  for (const { table, name } of concerned) await tx.query(`drop trigger ${name} on ${table}`);
  return concerned.map(({ definition }) => definition);
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
