import { expect, inject } from 'vitest';
import { test } from '#tests/support/database/database.ts';
import { readPlan } from './upkeep.ts';

const onOneServer = test.skipIf(inject('cluster') !== undefined);

onOneServer('each table is distributed by account, or a reference table', async ({ db }) => {
  await db.owner.query('drop index webhooks_by_id');
  const { distributed, reference, single } = await db.owner.begin(readPlan);
  const all = [...distributed, ...reference, ...single.flat()];
  expect(new Set(all).size).toBe(all.length);
  const tables = await db.owner<{ name: string }[]>`
    select relname::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;
  expect(all.toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
  expect(distributed).toEqual(
    expect.arrayContaining([
      'wallets',
      'wallet_entries',
      'messages',
      'dispatch',
      'topups',
      'outbox',
    ]),
  );
});

onOneServer(
  'what must be unique over all accounts, or is known everywhere, is whole',
  async ({ db }) => {
    const { distributed } = await db.owner.begin(readPlan);
    for (const name of ['user_phones', 'token_keys', 'sessions', 'provider_payments', 'accounts'])
      expect(distributed).not.toContain(name);
  },
);
