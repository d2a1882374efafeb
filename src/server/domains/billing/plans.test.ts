import { expect } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { listPlans } from '#contract/billing.ts';
import { plansForOperator, savePlan, subscriptionActs } from '#server/domains/billing/billing.ts';
import { newId } from '#server/infra/ids.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { perform } from '#tests/support/money/topups.ts';

const at = new Date('2026-11-21T02:00:00Z');
const operatorId = newId();

const save = (db: TestDatabase, edit: Partial<Parameters<typeof savePlan>[1]> = {}) =>
  db.allAccountsSql.begin((tx) =>
    savePlan(tx, {
      code: 'usaha',
      name: 'Usaha',
      description: 'Baru',
      price: rupiah(120_000),
      tokens: 4,
      quota: 6_000,
      overage: rupiah(70),
      isOffered: true,
      operatorId,
      at,
      ...edit,
    }),
  );

const offered = async (db: TestDatabase) => {
  const ani = await customerWith(db.allAccountsSql);
  const acts = subscriptionActs({ allAccountsSql: db.allAccountsSql, now: () => at });
  const { plans } = (await perform(acts, listPlans.name, ani)) as { plans: { code: string }[] };
  return plans;
};

test('offers the initial plans, cheapest first', async ({ db }) => {
  expect(await offered(db)).toMatchObject([
    { code: 'gratis', price: 0, tokens: 1, quota: 100, overage: 150 },
    { code: 'usaha', price: 99_000, tokens: 3, quota: 5_000, overage: 75 },
    { code: 'bisnis', price: 299_000, tokens: 10, quota: 25_000, overage: 50 },
  ]);
});

test('an edit creates a revision; plans can be added and withdrawn', async ({ db }) => {
  expect(await save(db)).toMatchObject({ code: 'usaha', revision: 2, price: 120_000 });
  await save(db, { code: 'mikro', name: 'Mikro', price: rupiah(29_000) });
  await save(db, { code: 'bisnis', name: 'Bisnis', isOffered: false });
  expect((await offered(db)).map(({ code }) => code)).toEqual(['gratis', 'mikro', 'usaha']);
  expect(await plansForOperator(db.allAccountsSql)).toMatchObject([
    { code: 'gratis', revision: 1, operator_id: null, is_offered: true },
    { code: 'usaha', revision: 2, operator_id: operatorId, valid_from: at },
    { code: 'bisnis', revision: 2, is_offered: false },
    { code: 'mikro', revision: 1, is_offered: true },
  ]);
});

test('concurrent edits create consecutive revisions', async ({ db }) => {
  const made = await Promise.all([1, 2, 3, 4].map(() => save(db)));
  expect(made.map(({ revision }) => revision).toSorted((one, other) => one - other)).toEqual([
    2, 3, 4, 5,
  ]);
});

test('a future revision is not in force before its time', async ({ db }) => {
  await save(db, { at: new Date('2026-12-01T00:00:00Z') });
  expect(await offered(db)).toMatchObject([{}, { code: 'usaha', price: 99_000 }, {}]);
});
