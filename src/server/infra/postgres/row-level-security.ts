import { randomUUID } from 'node:crypto';
import type { Sql, Tx } from './database.ts';
import { ROLES } from './driver/client.ts';
import { StartError } from '#server/infra/start-error.ts';

type Pool = {
  sql: Sql;
  sees: 'one account' | 'all accounts';
  max: number;
  setting?: 'DATABASE_URL' | 'DATABASE_REPLICA_URL';
};

/** Checked connections per pool, all open at once: behind a pooler one proves nothing. */
const CONNECTIONS = 3;

type Facts = {
  role: string;
  unbounded: boolean;
  account: string;
  open: string | null;
};

/**
 * At every start: connections of each pool work as its role, without superuser or BYPASSRLS; row-level security is
 * active on every tenant table; a trial row of one account is invisible to others.
 *
 * @throws StartError if a connection sees more than it may.
 */
export async function verifyRowLevelSecurity(pools: readonly Pool[]): Promise<void> {
  await verifyConnections(pools);
  for (const { sql, sees } of pools) {
    if (sees === 'one account') await tryToSee(sql);
  }
}

/**
 * The read-only part, for a standby, whose tables and policies are those of the primary.
 *
 * @throws StartError if a connection sees more than it may.
 */
export async function verifyConnections(pools: readonly Pool[]): Promise<void> {
  for (const pool of pools) {
    const found = await lookAtOnce(pool.sql, Math.min(CONNECTIONS, pool.max));
    for (const facts of found) refuseOpen(pool, facts);
  }
}

/** Releases no connection before all have answered, so that they are different ones. */
async function lookAtOnce(sql: Sql, connections: number): Promise<Facts[]> {
  const all = Promise.withResolvers<void>();
  let answered = 0;
  const found = Array.from({ length: connections }, () =>
    sql.begin(async (tx) => {
      const facts = await look(tx);
      if (++answered === connections) all.resolve();
      await all.promise;
      return facts;
    }),
  );
  return Promise.all(found).catch((error: unknown) => {
    all.resolve();
    throw error;
  });
}

async function look(tx: Tx): Promise<Facts> {
  const [facts] = await tx<Facts[]>`
    select current_user::text as role, me.rolsuper or me.rolbypassrls as unbounded,
      coalesce(current_setting('app.account', true), '') as account,
      (select min(polrelid::regclass::text) from pg_policy
        where polname = 'tenant' and not row_security_active(polrelid)) as open
    from pg_roles me where me.rolname = current_user`;
  if (!facts) throw new Error('the database answers nothing');
  return facts;
}

function refuseOpen(
  { sees, setting = 'DATABASE_URL' }: Pool,
  { role, unbounded, account, open }: Facts,
): void {
  const proper = ROLES[sees === 'all accounts' ? 'all accounts' : 'tenant'];
  if (role !== proper) {
    throw new StartError(
      `The application would work as ${role} instead of ${proper}, and see past the walls between accounts; something between it and the database takes the settings of its connections away: let ${setting} name the database itself.`,
    );
  }
  if (unbounded) {
    throw new StartError(
      `The role ${role} sees past row-level security; run ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS as an administrator of the database.`,
    );
  }
  if (open !== null) {
    throw new StartError(
      `Row-level security is not in force on the table ${open}; run ALTER TABLE ${open} ENABLE ROW LEVEL SECURITY as the owner, who must not be kabari_app.`,
    );
  }
  if (account !== (sees === 'all accounts' ? '*' : '')) {
    throw new StartError(
      `Connections of the application begin with the settings of others; let ${setting} name the database itself, or a pooler in session mode.`,
    );
  }
}

class TakenBack extends Error {}

/** Reads a row without an account, as another one and as its own, and rolls back. */
async function tryToSee(sql: Sql): Promise<void> {
  const [mine, another] = [randomUUID(), randomUUID()];
  const seen: boolean[] = [];
  const trial = sql.begin(async (tx) => {
    // Like the driver: `set_config` sets only the queried node.
    const actAs = (account: string) => tx.query(`set local app.account = '${account}'`);
    await actAs(mine);
    await tx`insert into accounts (account_id, name) values (${mine}, 'a trial')`;
    for (const account of ['', another, mine]) {
      await actAs(account);
      const found = await tx`select from accounts where account_id = ${mine}`;
      seen.push(found.length > 0);
    }
    throw new TakenBack();
  });
  await trial.catch((error: unknown) => {
    if (!(error instanceof TakenBack)) throw error;
  });
  if (seen.join() === 'false,false,true') return;
  throw new StartError(
    'Row-level security does not keep the rows of one account from another; restore the policies named "tenant" from a dump, or start with an empty database.',
  );
}
