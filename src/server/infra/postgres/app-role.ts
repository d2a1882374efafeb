import type { Sql } from './database.ts';
import { StartError } from '#server/infra/start-error.ts';

/** What there is of the role the application works as, seen by the role that owns the database. */
type Facts = {
  owner: string;
  version: number;
  exists: boolean;
  /** The owner may work as it: `SET ROLE`. */
  granted: boolean;
  /** `grant …`, as this version writes it. */
  grant: string;
};

/**
 * Sees that there is a role `kabari_app` which the owner may work as: makes and grants it where the
 * owner may, and asks for an administrator where not. A role that only owns its database can then
 * start Kabari once the administrator was there.
 *
 * @param owner a pool of the database's owner.
 * @throws StartError with the statements an administrator has to run.
 */
export async function ensureAppRole(owner: Sql): Promise<void> {
  const before = await look(owner);
  if (before.exists && before.granted) return;
  // Each may fail for want of rights, or because another node was quicker: the second look decides.
  const attempt = (statement: string) => owner.query(statement).catch(() => undefined);
  if (!before.exists) await attempt(CREATE);
  await attempt(before.grant);
  const { exists, granted, owner: name, grant } = await look(owner);
  if (exists && granted) return;
  const statements = [...(exists ? [] : [CREATE]), grant].map((one) => `${one};`).join(' ');
  throw new StartError(
    `The role ${name} may not ${exists ? 'work as' : 'make'} the role kabari_app, which Kabari works as; ` +
      `run this as an administrator of the database, then start again: ${statements}`,
  );
}

const CREATE = 'CREATE ROLE kabari_app NOLOGIN';

async function look(owner: Sql): Promise<Facts> {
  // From 16 on, membership alone does not let anybody SET ROLE.
  const [facts] = await owner<Facts[]>`
    with here as (select current_setting('server_version_num')::int as version)
    select current_user::text as owner, version, app.oid is not null as exists,
      coalesce(pg_has_role(app.oid, case when version >= 160000 then 'SET' else 'MEMBER' end), false)
        as granted,
      format('GRANT kabari_app TO %I', current_user)
        || case when version >= 160000 then ' WITH SET TRUE' else '' end as grant
    from here left join pg_roles app on app.rolname = 'kabari_app'`;
  if (!facts) throw new Error('the database answers nothing');
  return facts;
}
