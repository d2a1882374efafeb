import type { Sql } from '#server/infra/postgres/database.ts';

/** What each bucket gets, as the coordinator has it. */
export type Objects = {
  /** Which table's shard lies in which bucket. */
  shards: readonly { bucket: number; table: string; shard: string }[];
  views: readonly { name: string; definition: string }[];
  /** `grants`: the roles that may call it, where not everybody may. */
  functions: readonly { name: string; definition: string; grants: readonly string[] | null }[];
  triggers: readonly { table: string; definition: string }[];
  /** What a role may do with single columns of a table: shards do not get it by themselves. */
  columnGrants: readonly { table: string; words: string }[];
  /** The tables that are not spread. */
  reference: readonly string[];
  /** Those of them that lie whole on one node. */
  single: readonly string[];
};

/** Reads them from the catalog. */
export async function readObjects(owner: Sql): Promise<Objects> {
  return owner.begin(async (tx) => {
    const shards = await tx<Objects['shards'][number][]>`
      select (row_number() over (partition by s.logicalrelid order by s.shardminvalue::int))::int as bucket,
        c.relname as table, shard_name(s.logicalrelid, s.shardid) as shard
      from pg_dist_shard s
      join pg_dist_partition p on p.logicalrelid = s.logicalrelid and p.partmethod = 'h'
      join pg_class c on c.oid = s.logicalrelid and not c.relispartition
      order by 2, 1`;
    await tx.query('set local search_path = public');
    const views = await tx<Objects['views'][number][]>`
      select viewname as name, definition from pg_views v
      join pg_class c on c.relname = v.viewname and c.relnamespace = 'public'::regnamespace
      where schemaname = 'public'
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
      order by c.oid`;
    const functions = await tx<Objects['functions'][number][]>`
      select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition,
        case when exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner)))
            where grantee = 0) then null
          else array(select r.rolname::text from aclexplode(p.proacl) a
            join pg_roles r on r.oid = a.grantee where a.grantee <> p.proowner)
        end as grants
      from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
        -- What reads no table is the same everywhere.
        and p.provolatile <> 'i'
        -- Rows of what is on the coordinator alone mean nothing elsewhere.
        and not exists (
          select from pg_type t left join pg_type e on e.oid = t.typelem
          join pg_class c on c.oid in (t.typrelid, e.typrelid) and c.relkind in ('r', 'p')
          where t.oid = any(p.proargtypes::oid[] || p.proallargtypes || p.prorettype)
            and not exists (select from pg_dist_partition d where d.logicalrelid = c.oid))
      order by p.oid`;
    // Names in it as they are outside of this search path.
    await tx.query('set local search_path = pg_catalog');
    const triggers = await tx<Objects['triggers'][number][]>`
      select c.relname as table, pg_get_triggerdef(t.oid) as definition
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      join pg_dist_partition p on p.logicalrelid = c.oid and p.partmethod = 'h'
      where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgparentid = 0
        and not c.relispartition and t.tgname !~ '^truncate_trigger_'
      order by 1, 2`;
    const reference = await tx<{ name: string; isSingle: boolean }[]>`
      select c.relname as name, p.repmodel = 's' as "isSingle" from pg_class c
      join pg_dist_partition p on p.logicalrelid = c.oid and p.partmethod = 'n'
      order by 1`;
    // The planner of a cluster names each column that an insert leaves to its default. What may be named in the
    // first place, the table itself says.
    const columnGrants = await tx<Objects['columnGrants'][number][]>`
      select distinct c.relname as table,
        case when x.privilege_type = 'INSERT' and p.partmethod = 'n'
          then format('grant insert on SHARD to %I', r.rolname)
          else format('grant %s (%I) on SHARD to %I', x.privilege_type, a.attname, r.rolname)
        end as words
      from pg_class c join pg_dist_partition p on p.logicalrelid = c.oid
      join pg_attribute a on a.attrelid = c.oid and a.attacl is not null
      cross join aclexplode(a.attacl) x join pg_roles r on r.oid = x.grantee
      order by 1, 2`;
    return {
      columnGrants,
      shards,
      views,
      functions,
      triggers,
      reference: reference.map(({ name }) => name),
      single: reference.filter(({ isSingle }) => isSingle).map(({ name }) => name),
    };
  });
}
