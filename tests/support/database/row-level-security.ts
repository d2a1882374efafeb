import { verifyRowLevelSecurity } from '#server/infra/postgres/row-level-security.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';

/** Verifies row-level security as the application does, on the database at an address. */
export async function verifyRowLevelSecurityAt(url: string): Promise<void> {
  const max = 3;
  const tenantSql = openDatabase(url, { max, as: 'tenant', name: 'rls' });
  const allAccountsSql = openDatabase(url, { max, as: 'all accounts', name: 'rls' });
  try {
    await verifyRowLevelSecurity([
      { sql: tenantSql, max, sees: 'one account' },
      { sql: allAccountsSql, max, sees: 'all accounts' },
    ]);
  } finally {
    await Promise.all([tenantSql.end(), allAccountsSql.end()]);
  }
}
