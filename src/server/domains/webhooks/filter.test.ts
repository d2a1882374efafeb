import { expect } from 'vitest';
import type { DeliveryFilter } from './manage.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { rowsRead } from '#tests/support/database/rows-read.ts';
import { type WebhookRef, deliveriesWhere } from '#server/domains/webhooks/history.ts';

const HOUR_MS = 3_600_000;
const DELIVERIES = 10_000;
const start = new Date('2026-11-01T00:00:00Z').getTime();
const at = (hours: number) => new Date(start + hours * HOUR_MS);

/** Every third position from 1,000 on, ten an hour, with clocks up to two minutes back. */
const fill = (sql: Sql, { accountId, webhookId }: WebhookRef) => sql`
  insert into webhook_deliveries
    (account_id, webhook_id, position, delivery_id, type, lane, at, state, ended_at)
  select ${accountId}, ${webhookId}, 1000 + 3 * n, gen_random_uuid(),
    case n % 2 when 0 then 'message.sent' else 'message.delivered' end, '',
    ${at(0)}::timestamptz + n * interval '6 minutes' - n * 37 % 120 * interval '1 second', 'delivered', now()
  from generate_series(0, ${DELIVERIES - 1}::int) as n`;

const page = (tx: Tx, whose: WebhookRef, filter: DeliveryFilter) => tx<{ position: number }[]>`
  select d.position from webhook_deliveries d where ${deliveriesWhere(tx, whose, filter)}
  order by d.position desc limit 25`;

test('a page of deliveries is found by index, for any filter', async ({ sql, db }) => {
  const whose = { accountId: newId(), webhookId: newId() };
  await fill(sql, whose);
  await db.owner.query('analyze webhook_deliveries');
  const filters: Record<string, [DeliveryFilter, shown: number]> = {
    all: [{}, 25],
    'a type that does not occur': [{ type: 'saldo.low' }, 0],
    'a state that does not occur': [{ state: 'skipped' }, 0],
    'another one': [{ state: 'parked' }, 0],
    'an old day': [{ from: at(24), to: at(48) }, 25],
    'an old hour': [{ from: at(24), to: at(25) }, 11],
    'an old day of a type that does not occur': [
      { type: 'saldo.low', from: at(24), to: at(48) },
      0,
    ],
    'a time before all': [{ to: at(-1) }, 0],
    'a time after all': [{ from: at(DELIVERIES) }, 0],
  };
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    for (const [name, [filter, shown]] of Object.entries(filters)) {
      const { scanned, found } = await rowsRead(db.tenantSql, 'webhook_deliveries', async (tx) => {
        await tx.query(`
          set local app.account = '${whose.accountId}'; set local plan_cache_mode = ${mode}`);
        expect([name, (await page(tx, whose, filter)).length]).toEqual([name, shown]);
      });
      expect([name, mode, scanned, found < 100]).toEqual([name, mode, 0, true]);
    }
  }
});

test('a time span contains all its deliveries, also where a clock was set back', async ({
  sql,
}) => {
  const whose = { accountId: newId(), webhookId: newId() };
  await fill(sql, whose);
  for (let n = 0; n < 60; n++) {
    const [from, to] = [at((n * 16.7) % 1_000), at(((n * 16.7) % 1_000) + (n % 7) / 10)];
    const shown = await sql.begin((tx) => page(tx, whose, { from, to }));
    const all = await sql<{ position: number }[]>`
      select position from webhook_deliveries where at >= ${from} and at < ${to}
      order by position desc limit 25`;
    expect(shown).toEqual([...all]);
  }
});
