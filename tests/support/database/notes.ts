import { type Sql, type Tx, openDatabase } from '#server/infra/postgres/database.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';

export const open = (url: string, max: number) =>
  openDatabase(url, { max, as: 'all accounts', name: 'concurrency' });

/** The owner may end its own connections, the application may not. */
export const openAsOwner = (url: string) =>
  openDatabase(url, { max: 1, as: 'owner', name: 'concurrency' });

export const pidOf = async (sql: Sql | Tx): Promise<number> => {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid ?? 0;
};

export async function kill({ owner }: TestDatabase, pid: number): Promise<void> {
  await owner`select pg_terminate_backend(${pid}, 20000)`;
}

export async function createNotes({ owner }: TestDatabase): Promise<void> {
  await owner.query(`
    create table notes (note text primary key, of text not null, xid xid8 not null default pg_current_xact_id());
    grant all on notes to kabari_app`);
}

export const notesOf = async ({ owner }: TestDatabase): Promise<string[]> =>
  (await owner<{ note: string }[]>`select note from notes order by note`).map(({ note }) => note);

export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => error,
  );
