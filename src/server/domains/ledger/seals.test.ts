import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { giveSaldo } from '#tests/support/money/wallets.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import { sealDays, verifySeals } from '#server/domains/ledger/seals.ts';

const DAY_MS = 86_400_000;

type Sealing = {
  folder: string;
  ani: Customer;
  /** Seals as if this many days had passed. */
  sealAfter: (days: number) => Promise<{ day: string; entries: number; bookings: number }[]>;
  verify: () => ReturnType<typeof verifySeals>;
};

/** A customer with money of today, and seals in a folder of the test's own. */
const test = base.extend<{ sealing: Sealing }>({
  sealing: async ({ sql }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'seals-'));
    const ani = await customerWith(sql, { saldo: 1_000 });
    await booking(sql, ani);
    await use({
      folder,
      ani,
      sealAfter: (days) =>
        sealDays({
          allAccountsSql: sql,
          now: () => new Date(Date.now() + days * DAY_MS),
          folder,
        }),
      verify: () => verifySeals(sql, { folder }),
    });
    await rm(folder, { recursive: true });
  },
});

let bookings = 0;
const booking = (sql: TestDatabase['allAccountsSql'], { accountId }: Customer) => sql`
  select post_gl(${accountId}, gen_random_uuid(), ${`test:${(bookings += 1)}`}, 'test',
    array['cash:bank', 'suspense'], array[100, -100]::bigint[])`;

/** Runs a statement that append-only triggers would deny, as the tables' owner. */
const tamper = (db: TestDatabase, statement: string) =>
  db.owner.query(`
    alter table wallet_entries disable trigger user;
    alter table gl_txns disable trigger user;
    alter table gl_lines disable trigger user;
    alter table ledger_seals disable trigger user;
    alter table ledger_seal_accounts disable trigger user;
    alter table ledger_seal_txns disable trigger user;
    ${statement}`);

describe('the daily seal', () => {
  test('contains every entry and booking once, and is also in a file', async ({
    sealing: { folder, ani, sealAfter, verify },
    sql,
  }) => {
    expect(await sealAfter(0)).toMatchObject([{ entries: 0, bookings: 0 }]);
    expect(await sealAfter(1)).toMatchObject([{ entries: 1, bookings: 1 }]);
    expect(await sealAfter(1)).toEqual([]);
    await sql.begin((tx) => giveSaldo(tx, ani.accountId, 500));
    await booking(sql, ani);
    expect(await sealAfter(3)).toMatchObject([
      { entries: 1, bookings: 1 },
      { entries: 0, bookings: 0 },
    ]);
    expect(await verify()).toEqual({ seals: 4, difference: undefined });
    const lines = (await readFile(join(folder, 'ledger-seals.txt'), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['1', '2', '3', '4']);
  });

  test('is the same for the same books, and follows the previous seal', async ({
    sealing: { sealAfter },
    sql,
    db,
  }) => {
    const [first] = await sealAfter(1);
    await tamper(db, 'truncate ledger_seals, ledger_seal_accounts, ledger_seal_txns');
    const [again] = await sealAfter(1);
    expect(again).toMatchObject({ day: first?.day, hash: (first as { hash?: string }).hash });
    await sealAfter(2);
    const seals = await sql<{ previous: string; hash: string }[]>`
      select previous, hash from ledger_seals order by seal_no`;
    expect(seals[1]?.previous).toBe(seals[0]?.hash);
  });

  test('puts entries of a sealed day that are committed late in the next seal', async ({
    sealing: { ani, sealAfter, verify },
    db,
    sql,
  }) => {
    const written = Promise.withResolvers<void>();
    const sealed = Promise.withResolvers<void>();
    // Written before the seal, with an instant of the sealed day, and committed after it.
    const late = sql.begin(async (tx) => {
      await giveSaldo(tx, ani.accountId, 7);
      await tx`select post_gl(${ani.accountId}, gen_random_uuid(), 'late', 'test',
        array['cash:bank', 'suspense'], array[7, -7]::bigint[])`;
      written.resolve();
      await sealed.promise;
    });
    await written.promise;
    const [first] = await sealAfter(1);
    expect(first).toMatchObject({ entries: 1, bookings: 1 });
    sealed.resolve();
    await late;
    expect(await verify()).toMatchObject({ difference: undefined });
    expect(await sealAfter(2)).toMatchObject([{ entries: 1, bookings: 1 }]);
    expect(await verify()).toEqual({ seals: 2, difference: undefined });
    const [{ n } = { n: 0 }] = await db.owner<{ n: number }[]>`
      select count(*) as n from wallet_entries e where created_at >= ${`${first?.day}T00:00:00+07:00`}
        and created_at < ${`${first?.day}T00:00:00+07:00`}::timestamptz + interval '1 day'`;
    expect(n).toBe(2);
  });

  const tampering: Record<string, { statement: string; day: number; why: RegExp }> = {
    'a changed amount': {
      statement: 'update wallet_entries set d_available = d_available + 1 where seq = 1',
      day: 0,
      why: /entries 1 to 1 of the account/,
    },
    'a changed memo': {
      statement: `update wallet_entries set memo = 'lain' where seq = 2`,
      day: 1,
      why: /entries 2 to 2/,
    },
    'a removed entry': {
      statement: 'delete from wallet_entries where seq = 2',
      day: 1,
      why: /entries 2 to 2/,
    },
    'a removed booking': {
      statement: 'delete from gl_lines; delete from gl_txns',
      day: 0,
      why: /bookings/,
    },
    'a recreated seal': {
      statement: `update ledger_seals set hash = repeat('a', 64) where seal_no = 1`,
      day: 0,
      why: /the file has another hash/,
    },
    'a removed seal': {
      statement: 'delete from ledger_seals where seal_no = 1',
      day: 1,
      why: /a seal before it is gone/,
    },
    'a removal of the newest seal': {
      statement: 'delete from ledger_seals where seal_no = 2',
      day: 1,
      why: /only in the file/,
    },
    'a changed content of a seal': {
      statement: 'delete from ledger_seal_accounts where seal_no = 2',
      day: 1,
      why: /the seal itself differs/,
    },
  };
  for (const [what, { statement, day, why }] of Object.entries(tampering)) {
    test(`detects ${what}, and the first day that differs`, async ({
      sealing: { ani, sealAfter, verify },
      sql,
      db,
    }) => {
      const days = [...(await sealAfter(1))];
      await sql.begin((tx) => giveSaldo(tx, ani.accountId, 500));
      days.push(...(await sealAfter(2)));
      expect((await verify()).difference).toBeUndefined();
      await tamper(db, statement);
      const { difference } = await verify();
      expect(difference).toEqual({ day: days[day]?.day, why: expect.stringMatching(why) });
    });
  }

  test('detects a change of books and seals together by the file', async ({
    sealing: { folder, sealAfter, verify },
    db,
  }) => {
    const [first] = await sealAfter(1);
    await tamper(
      db,
      `update wallet_entries set d_available = 9 where seq = 1;
       truncate ledger_seals, ledger_seal_accounts, ledger_seal_txns`,
    );
    const file = await readFile(join(folder, 'ledger-seals.txt'), 'utf8');
    await sealAfter(1);
    expect((await verify()).difference).toEqual({
      day: first?.day,
      why: 'the file has another hash',
    });
    expect(await readFile(join(folder, 'ledger-seals.txt'), 'utf8')).toBe(file);
  });

  test('rewrites a line of the file that a crash cut off', async ({
    sealing: { folder, sealAfter, verify },
  }) => {
    await sealAfter(1);
    const path = join(folder, 'ledger-seals.txt');
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, 30));
    await sealAfter(2);
    expect(await verify()).toEqual({ seals: 2, difference: undefined });
  });
});
