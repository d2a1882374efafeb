import type { Sql } from '#server/infra/postgres/database.ts';

export type DatabaseFigures = {
  version: string;
  bytes: number;
  connections: number;
  connections_max: number;
  oldest_transaction_seconds: number;
  nodes: number;
};

export async function databaseFigures(allAccountsSql: Sql): Promise<DatabaseFigures> {
  const [found] = await allAccountsSql<DatabaseFigures[]>`select * from database_figures()`;
  if (!found) throw new Error('the database told nothing of itself');
  return found;
}
