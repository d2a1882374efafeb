import { expect } from 'vitest';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { test } from '#tests/support/database/database.ts';
import { billingApp } from '#tests/support/money/billing.ts';

test('an upgrade on the last day adds one day’s messages, not a month’s', async ({ db }) => {
  const app = billingApp(db);
  const ani = await app.customer(1_000_000);
  await app.choose(ani, 'usaha');
  app.goTo('2026-12-20T23:00');
  const preview = await app.preview(ani, 'bisnis');
  expect(preview).toMatchObject({ total: 6_667, days_left: 1, quota: 5_666 });
  const mine = await app.change(ani, 'bisnis', preview.quote);
  expect(mine.usage.quota).toBe(5_666);
  expect(await app.allowance(ani)).toMatchObject({ quota: 5_666, price: 50 });
  await app.choose(ani, 'usaha');
  app.goTo('2026-12-21T00:00');
  await app.run();
  expect(await app.allowance(ani)).toMatchObject({ quota: 5_000, price: 75 });
  expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
});
