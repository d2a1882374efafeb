import { proveWalls } from '#server/infra/postgres/row-level-security.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';

/** Proves the walls between accounts as the application does, on the database at an address. */
export async function proveWallsAt(url: string): Promise<void> {
  const max = 3;
  const tenant = openDatabase(url, { max, as: 'tenant', name: 'walls' });
  const house = openDatabase(url, { max, as: 'house', name: 'walls' });
  try {
    await proveWalls([
      { sql: tenant, max, sees: 'one account' },
      { sql: house, max, sees: 'all accounts' },
    ]);
  } finally {
    await Promise.all([tenant.end(), house.end()]);
  }
}
