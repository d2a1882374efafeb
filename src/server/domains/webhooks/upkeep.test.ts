import { expect } from 'vitest';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { rowsRead } from '#tests/support/database/rows-read.ts';
import { test } from '#tests/support/webhooks/webhook-app.ts';
import { deleteOldest, pruneDeliveries } from './webhooks.ts';

type Row = { position: number; tries: number };

/** Deliveries of a given age, one per position, each with two tries. */
async function fill(
  sql: Sql,
  { accountId, webhookId }: { accountId: string; webhookId: string },
  { from, upto, days }: { from: number; upto: number; days: number },
): Promise<void> {
  await sql`
    insert into webhook_deliveries (account_id, webhook_id, position, delivery_id, type, lane, at)
    select ${accountId}, ${webhookId}, n, md5(${webhookId} || n)::uuid, 'message.sent', '',
      now() - make_interval(days => ${days})
    from generate_series(${from}::int, ${upto}::int) as n`;
  await sql`
    insert into webhook_attempts (account_id, delivery_id, n, at, ms, headers, answer)
    select ${accountId}, md5(${webhookId} || p)::uuid, n, now(), 1, '{}', ''
    from generate_series(${from}::int, ${upto}::int) as p, generate_series(1, 2) as n`;
}

test('deletes deliveries after 30 days with their tries; those of a removed webhook all', async ({
  hooks,
  sql,
}) => {
  const ani = await hooks.customerWithWebhook();
  const [hook] = await sql<{ webhook_id: string }[]>`select webhook_id from webhooks`;
  const own = { accountId: ani.accountId, webhookId: hook?.webhook_id ?? '' };
  await fill(sql, own, { from: 1, upto: 8, days: 31 });
  await fill(sql, own, { from: 9, upto: 10, days: 29 });
  await fill(sql, { ...own, webhookId: newId() }, { from: 1, upto: 3, days: 1 });
  await pruneDeliveries(sql);
  const left = await sql<Row[]>`
    select d.position, count(*)::int as tries from webhook_deliveries d
    join webhook_attempts a using (account_id, delivery_id) group by 1 order by 1`;
  expect(left).toEqual([
    { position: 9, tries: 2 },
    { position: 10, tries: 2 },
  ]);
  expect(await sql`select from webhook_attempts`).toHaveLength(4);
});

test('a batch reads only the rows it deletes, also on reused pages', async ({ sql, db }) => {
  const own = { accountId: newId(), webhookId: newId(), isGone: false };
  await fill(sql, own, { from: 1, upto: 2_000, days: 40 });
  while ((await deleteOldest(sql, own, 500)) > 0);
  await db.owner.query('vacuum webhook_deliveries, webhook_attempts');
  // Old and new rows share the freed pages.
  for (let n = 0; n < 20; n++) {
    const from = 2_001 + n * 50;
    await fill(sql, own, { from, upto: from + 49, days: 31 });
    await fill(sql, own, { from: from + 10_000, upto: from + 10_049, days: 1 });
  }
  await db.owner.query('vacuum analyze webhook_deliveries, webhook_attempts');
  for (const [table, rows] of [
    ['webhook_deliveries', 100],
    ['webhook_attempts', 200],
  ] as const) {
    const read = await rowsRead(sql, table, async (tx) => {
      expect(await deleteOldest(tx, own, 100)).toBe(100);
    });
    expect(read.scanned).toBe(0);
    expect(read.found).toBeLessThanOrEqual(2 * rows);
  }
});
