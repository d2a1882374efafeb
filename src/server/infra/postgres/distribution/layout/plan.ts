import type { Tx } from '#server/infra/postgres/database.ts';

/** How a cluster keeps each table. */
export type Plan = {
  /** Spread over the nodes by their account. Tables that are referred to come first. */
  distributed: readonly string[];
  /** Whole on each node: what names no account, or must be unique over all accounts. */
  reference: readonly string[];
  /** Whole on one node, those of a group together: see `OF_FUNCTIONS` and `SIMULATED`. */
  single: readonly (readonly string[])[];
};

/**
 * Unique over all accounts, and written by functions of the owner. In one transaction a cluster lets one role write
 * what lies together, and what lies on each node does: so these lie apart from what the application's roles write.
 */
const OF_FUNCTIONS = [
  'provider_payments',
  'refunds',
  'invoice_counters',
  'invoice_refs',
  'adjustments',
  'reserved_transfers',
];

/**
 * Written by everybody, all the time: as real phones do, these stand outside. Whole on each node, who writes to one of
 * them would wait for whoever works on what is due in another.
 */
const SIMULATED = ['sim_phones', 'sim_lines', 'sim_due'];

/** Small, and asked for by what concerns other accounts: who the operators are, who is at which number. */
const KNOWN_EVERYWHERE = ['accounts', 'users'];

/** Reads the plan from the catalog: a table is spread where each row, and each unique key, names the account. */
export async function readPlan(tx: Tx): Promise<Plan> {
  const tables = await tx<{ name: string; isSpread: boolean }[]>`
    select c.oid::regclass::text as name,
      a.attnum is not null and not exists (
        select from pg_index i
        where i.indrelid = c.oid and i.indisunique and a.attnum <> all(i.indkey::int2[])
      ) as "isSpread"
    from pg_class c
    left join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and a.attnotnull
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.oid`;
  const named = (isSpread: boolean) =>
    tables
      .filter((table) => isSpread === (table.isSpread && !KNOWN_EVERYWHERE.includes(table.name)))
      .map(({ name }) => name);
  const single = [OF_FUNCTIONS, SIMULATED];
  return {
    distributed: named(true),
    reference: named(false).filter((name) => !single.flat().includes(name)),
    single,
  };
}
