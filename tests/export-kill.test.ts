import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { type Started, test } from '#tests/support/app/started-app.ts';
import { cutDatabase } from '#tests/support/database/wire/cut.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { idOf, insertMessages } from '#tests/support/people/stored-messages.ts';

/** Long enough that a worker is killed in the middle of it: several seconds. */
const ROWS = Number(process.env['EXPORT_ROWS'] ?? 80_000);
const MINUTE_MS = 60_000;

test('completes one file under kills of its workers and the database, offers no partial one, and leaves nothing', async ({
  start,
  db,
  folder,
}) => {
  const { owner, allAccountsSql: sql } = db;
  const { accountId, userId, tokenId } = await customerWith(sql);
  const minuteAgo = Date.now() - MINUTE_MS;
  const messages = Array.from({ length: ROWS }, (_, n) => ({
    id: idOf(new Date(minuteAgo - n)),
    tokenId,
    body: { text: `Pesanan ${n + 1}` },
  }));
  await insertMessages(owner, accountId, messages);
  const exportId = newId();
  const params = { sort_type: 'asc' };
  await owner`
    insert into row_exports (account_id, export_id, user_id, kind, params, format, timezone)
    values (${accountId}, ${exportId}, ${userId}, 'messages', ${json(params)}, 'csv', 'Asia/Jakarta')`;

  const rows = join(folder, 'exports', 'rows');
  const files = () => readdir(rows).catch((): string[] => []);
  type State = { status: string; tries: number; progress: number; owner: string; ready: boolean };
  const state = async (): Promise<State | undefined> => {
    const [found] = await sql<State[]>`
      select status, tries, progress, owner, expires_at is not null as ready from row_exports
      where account_id = ${accountId}`;
    return found;
  };
  const env = { ROLE: 'worker', LOG_LEVEL: 'silent', BACKUP: 'off' };
  const inTheMiddle = (tries: number) =>
    waitFor(async () => {
      const now = await state();
      expect(now).toMatchObject({ status: 'working', tries, ready: false });
      expect(await files()).toContain(`${exportId}.${now?.owner}.part`);
    });
  const expire = () => sql`update row_exports set lease_until = clock_timestamp()`;

  const first = start(env);
  await inTheMiddle(1);
  first.child.kill('SIGKILL');
  await first.exit;
  const half = await files();
  expect(half).toHaveLength(1);
  expect(await state()).toMatchObject({ status: 'working', ready: false });

  const workers: Started[] = [start(env), start(env)];
  await expire();
  await inTheMiddle(2);
  // The dead worker's file is gone before the next one offers anything.
  expect(await files()).not.toContain(half[0]);
  for (const { child, exit } of workers) {
    child.kill('SIGKILL');
    await exit;
  }

  const last = [start(env), start(env)];
  await expire();
  await inTheMiddle(3);
  await cutDatabase(db);
  await waitFor(async () => expect(await state()).toMatchObject({ status: 'ready', tries: 3 }));

  const made = await state();
  const name = `${exportId}.${made?.owner}.csv`;
  expect(await files()).toEqual([name]);
  const text = await readFile(join(rows, name), 'utf8');
  const lines = text.slice(0, -2).split('\r\n').slice(1);
  expect(lines).toHaveLength(ROWS);
  const ids = await sql<{ id: string }[]>`
    select message_id as id from messages where account_id = ${accountId} order by message_id`;
  const missing = ids.filter(({ id }, n) => !lines[n]?.includes(publicId('message', id)));
  expect(missing).toEqual([]);
  expect(last.map(({ child }) => child.exitCode)).toEqual([null, null]);
});
