import type { Sql } from './database.ts';
import { ROLES } from './driver/client.ts';
import { StartError } from '#server/infra/start-error.ts';

const ONE = ROLES.tenant;
const ALL = ROLES['all accounts'];

/** What there is of the roles the application works as, seen by the role that owns the database. */
type Facts = {
  owner: string;
  /** How a grant ends that lets the owner work as a role: ` WITH SET TRUE` from PostgreSQL 16 on. */
  granting: string;
  hasOne: boolean;
  hasAll: boolean;
  /** May do what the role for one account may. */
  isMember: boolean;
  /** The owner may work as both: `SET ROLE`. */
  isGranted: boolean;
};

/**
 * Sees that there are the roles `kabari_app`, which sees one account, and `kabari_all`, a member of it that
 * sees all, and that the owner may work as both: makes and grants them where the owner may, and asks for an
 * administrator where not. A role that only owns its database can then start Kabari once the administrator
 * was there.
 *
 * @param owner a pool of the database's owner.
 * @throws StartError with the statements an administrator has to run.
 */
export async function ensureAppRoles(owner: Sql): Promise<void> {
  // Each may fail for want of rights, or because another node was quicker: the last look decides.
  for (const statement of missingOf(await look(owner))) {
    await owner.query(statement).catch(() => undefined);
  }
  const facts = await look(owner);
  const missing = missingOf(facts);
  if (missing.length === 0) return;
  throw new StartError(
    `The role ${facts.owner} may not make or work as the roles ${ONE} and ${ALL}, which Kabari works as; ` +
      `run this as an administrator of the database, then start again: ${missing.map((one) => `${one};`).join(' ')}`,
  );
}

/** The statements that are still to be run, in their order. */
function missingOf({ owner, granting, hasOne, hasAll, isMember, isGranted }: Facts): string[] {
  return [
    ...(hasOne ? [] : [`CREATE ROLE ${ONE} NOLOGIN`]),
    ...(hasAll ? [] : [`CREATE ROLE ${ALL} NOLOGIN`]),
    ...(isMember ? [] : [`GRANT ${ONE} TO ${ALL}`]),
    ...(isGranted ? [] : [`GRANT ${ONE}, ${ALL} TO ${owner}${granting}`]),
  ];
}

async function look(owner: Sql): Promise<Facts> {
  // From 16 on, membership alone does not let anybody SET ROLE.
  const [facts] = await owner<Facts[]>`
    with here as (
      select case when current_setting('server_version_num')::int >= 160000
          then 'SET' else 'MEMBER' end as working
    ), role as (
      select (select oid from pg_roles where rolname = ${ONE}) as one,
        (select oid from pg_roles where rolname = ${ALL}) as everybody
    )
    select quote_ident(current_user) as owner, one is not null as "hasOne",
      everybody is not null as "hasAll",
      case working when 'SET' then ' WITH SET TRUE' else '' end as granting,
      coalesce(pg_has_role(everybody, one, 'USAGE'), false) as "isMember",
      coalesce(pg_has_role(one, working) and pg_has_role(everybody, working), false) as "isGranted"
    from here, role`;
  if (!facts) throw new Error('the database answers nothing');
  return facts;
}
