import { expect } from 'vitest';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { rowsRead } from '#tests/support/database/rows-read.ts';
import { deleteOldest, pruneEvents } from './events.ts';

type Span = { from: number; upto: number; days: number };

async function fill(sql: Sql, accountId: string, { from, upto, days }: Span): Promise<void> {
  await sql`
    insert into events (account_id, position, kind, at)
    select ${accountId}, n, 'message.sent', now() - make_interval(days => ${days})
    from generate_series(${from}::int, ${upto}::int) as n`;
  await sql`
    insert into event_positions (account_id, last) values (${accountId}, ${upto})
    on conflict (account_id) do update set last = greatest(event_positions.last, excluded.last)`;
}

test('deletes events after 30 days, of every account', async ({ sql }) => {
  const [ani, budi] = [newId(), newId()];
  await fill(sql, ani, { from: 1, upto: 5, days: 31 });
  await fill(sql, ani, { from: 6, upto: 7, days: 29 });
  await fill(sql, budi, { from: 1, upto: 3, days: 31 });
  await pruneEvents(sql);
  expect(await sql`select position from events order by position`).toEqual([
    { position: 6 },
    { position: 7 },
  ]);
});

test('a batch reads only the rows it deletes, also on reused pages', async ({ sql, db }) => {
  const accountId = newId();
  await fill(sql, accountId, { from: 1, upto: 2_000, days: 40 });
  await pruneEvents(sql);
  await db.owner.query('vacuum events');
  // Old and new rows share the freed pages.
  for (let n = 0; n < 20; n++) {
    const from = 2_001 + n * 50;
    await fill(sql, accountId, { from, upto: from + 49, days: 31 });
    await fill(sql, accountId, { from: from + 10_000, upto: from + 10_049, days: 1 });
  }
  await db.owner.query('vacuum analyze events');
  const read = await rowsRead(sql, 'events', async (tx) => {
    expect(await deleteOldest(tx, accountId, 100)).toBe(100);
  });
  expect(read.scanned).toBe(0);
  expect(read.found).toBeLessThanOrEqual(200);
});
