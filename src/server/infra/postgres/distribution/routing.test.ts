import { expect, onTestFinished } from 'vitest';
import { asAccount, openDatabase } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { createRoutingSql } from './pools.ts';
import {
  inAccount,
  inAccountOf,
  startInBucket,
  startOnCoordinator,
  bindScope,
  useScopes,
  withEachAccount,
} from './scope.ts';

const [ANI, BUDI] = [
  '01a220c5-d63d-768d-ae61-5b18e9d420f3',
  '01a220c5-e508-70ce-aeaf-a1013d121543',
];
const BUCKET_OF = new Map([
  [ANI, 1],
  [BUDI, 2],
]);

function parted(url: string) {
  onTestFinished(useScopes());
  const open = (name: string) => openDatabase(url, { max: 2, as: 'tenant', name });
  const home = open('whole');
  const buckets = [open('bucket 1'), open('bucket 2')];
  const sql = createRoutingSql({
    home,
    poolOf: async (scope) => {
      const number = 'bucket' in scope ? scope.bucket : BUCKET_OF.get(scope.accountId);
      const pool = buckets[(number ?? 0) - 1];
      if (!pool) throw new Error('an account lies in no bucket');
      return pool;
    },
    close: async (how) => void (await Promise.all(buckets.map((pool) => pool.end(how)))),
  });
  onTestFinished(() => sql.end({ timeout: 1 }));
  const where = async (run: Pick<typeof sql, 'query'> = sql) => {
    const [row] = await run.query<{ name: string }[]>(
      `select current_setting('application_name') as name`,
    );
    return row?.name.replace('kabari ', '');
  };
  return { sql, where };
}

test('work on an account runs in its bucket, and the rest in the database as a whole', async ({
  db,
}) => {
  const { sql, where } = parted(db.url);
  expect(await where()).toBe('whole');
  expect(await sql.begin(where)).toBe('whole');
  expect(await asAccount(sql, ANI, where)).toBe('bucket 1');
  expect(await asAccount(sql, BUDI, where)).toBe('bucket 2');
  expect(await inAccount(BUDI, () => where())).toBe('bucket 2');
  expect(await inAccount(BUDI, () => sql.begin(where))).toBe('bucket 2');
  // The account of `asAccount` takes precedence over the scope in which the work runs.
  expect(await inAccount(BUDI, () => asAccount(sql, ANI, where))).toBe('bucket 1');
  expect(
    await inAccountOf(
      async () => ANI,
      () => where(),
    ),
  ).toBe('bucket 1');
});

test('rejects an account without a bucket before any statement', async ({ db }) => {
  const { where } = parted(db.url);
  await expect(inAccount('no account', () => where())).rejects.toThrow('lies in no bucket');
});

test('items of several accounts are handled per account, in its bucket', async ({ db }) => {
  const { where } = parted(db.url);
  const items = [ANI, BUDI, ANI].map((accountId, n) => ({ accountId, n }));
  const handled = await withEachAccount(items, async (some) => [
    `${some.map(({ n }) => n).join()} in ${await where()}`,
  ]);
  expect(handled).toEqual(['0,2 in bucket 1', '1 in bucket 2']);
});

test('functions started in a bucket run there, independent of their caller', async ({ db }) => {
  const { where } = parted(db.url);
  const ticks: (string | undefined)[] = [];
  const loop = startInBucket(2, () => {
    const timer = setInterval(() => void where().then((name) => ticks.push(name)), 5);
    const stop = () => clearInterval(timer);
    return { look: () => where(), stop, count: 7, part: { look: () => where() } };
  });
  expect(loop.count).toBe(7);
  expect(await loop.look()).toBe('bucket 2');
  expect(await inAccount(ANI, () => loop.look())).toBe('bucket 2');
  expect(await inAccount(ANI, () => loop.part.look())).toBe('bucket 2');
  await waitFor(() => expect(ticks.length).toBeGreaterThan(2));
  loop.stop();
  expect(new Set(ticks)).toEqual(new Set(['bucket 2']));

  const whole = await inAccount(ANI, async () =>
    startOnCoordinator(() => ({ look: () => where() })),
  );
  expect(await inAccount(BUDI, () => whole.look())).toBe('whole');
  const staying = inAccount(ANI, () => bindScope(() => where()));
  expect(await inAccount(BUDI, staying)).toBe('bucket 1');
});
