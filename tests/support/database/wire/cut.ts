import type { TestDatabase } from '#tests/support/database/database.ts';

/**
 * Ends all client connections to the test's database, as a dying PostgreSQL does. The server's own workers (autovacuum)
 * remain: only a superuser may end those.
 */
export const cutDatabase = ({ owner }: TestDatabase): Promise<unknown> => owner`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend'
    and usename is not null and pid <> pg_backend_pid()`;
