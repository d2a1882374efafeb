import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { onServer } from '#server/infra/postgres/distribution/cluster.ts';
import { detectTopology } from '#server/infra/postgres/distribution/pools.ts';
import { beginIn, inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { followSchema } from '#server/infra/postgres/distribution/layout/upkeep.ts';
import { updateSchema } from '#server/infra/postgres/functions.ts';
import { migrate } from '#server/infra/postgres/migrations.ts';
import { makeUndistributed } from '#tests/support/database/cluster.ts';
import { test } from '#tests/support/database/database.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import { runOperator } from './run.ts';

const serverFolder = join(import.meta.dirname, '../../src/server');

async function run(url: string | undefined, ...words: string[]) {
  const said: string[] = [];
  const code = await runOperator(['db:distribute', ...words], {
    env: url === undefined ? {} : { DATABASE_URL: url },
    print: (line) => void said.push(line),
    complain: (line) => void said.push(line),
  });
  return { code, said: said.join('\n') };
}

const sentence = (words: RegExp) => ({ code: 1, said: expect.stringMatching(words) });

test('refuses an impossible distribution with one sentence', async ({ db }) => {
  expect(await run(undefined)).toEqual(
    sentence(/^Only the database of a server of your own .*\.$/),
  );
  expect(await run(db.url, '--buckets', '99')).toEqual(sentence(/^Give a number of buckets from/));
  expect(await run(db.url, '--soon')).toEqual(sentence(/^db:distribute does not know --soon/));
  const cluster = inject('cluster');
  if (!cluster) expect(await run(db.url)).toEqual(sentence(/^The database has no extension citus/));
});

const cluster = inject('cluster');
const onCluster = test.skipIf(cluster === undefined);

/** The database of an installation in use, at the coordinator of a cluster. */
async function installed() {
  if (!cluster) throw new Error('there is no cluster');
  const url = await makeUndistributed(cluster);
  const owner = openDatabase(url, { max: 1, as: 'owner', name: 'test' });
  await updateSchema(owner, serverFolder);
  const sql = openDatabase(url, { max: 1, as: 'all accounts', name: 'test' });
  const customers = [];
  for (let n = 0; n < 12; n++) customers.push(await customerWith(sql, { saldo: 1_000 + n }));
  await sql.end();
  const layout = async () => {
    const [found] = await owner<{ tables: number }[]>`
      select count(*)::int as tables from pg_dist_partition`;
    return found?.tables;
  };
  return { url, owner, customers, layout };
}

/** Possible later tables, with foreign keys among themselves, and to and from existing ones. */
const NOVELTIES = `
  create table novelties (
    account_id uuid not null references accounts,
    n int not null,
    token_id uuid not null,
    primary key (account_id, n),
    foreign key (account_id, token_id) references tokens
  );
  call tenant_table('novelties', 'select, insert, update');
  create table novelty_words (
    account_id uuid not null,
    n int not null,
    word text not null,
    primary key (account_id, n),
    foreign key (account_id, n) references novelties
  );
  call tenant_table('novelty_words', 'select');
  insert into novelties select account_id, 1, token_id from tokens; -- of before; all of them
  alter table tokens add column novelty int;
  alter table tokens add foreign key (account_id, novelty) references novelties;`;

async function migrateTo(owner: Sql, text: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-migrations-'));
  await cp(join(serverFolder, 'migrations'), folder, { recursive: true });
  await writeFile(join(folder, '9999_novelties.sql'), text);
  try {
    await migrate(owner, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

onCluster(
  'an installation in use is laid out over all servers, once nothing works on it and its books are green',
  async () => {
    const { url, owner, customers, layout } = await installed();
    // It checks for connections of the application; these must not count.
    await owner`set application_name = 'somebody else'`;
    const plan = await run(url, '--buckets', '4');
    expect(plan).toMatchObject({
      code: 0,
      said: expect.stringMatching(/in 4 buckets[^]*Nothing was changed/),
    });

    const node = openDatabase(url, { max: 1, as: 'all accounts', name: 'a node' });
    await node`select 1`;
    expect(await run(url, '--yes')).toMatchObject({
      code: 1,
      said: expect.stringMatching(/connections of the application are open/),
    });
    await node.end();

    await owner`update wallets set available = available + 500000 where available = 1000`;
    expect(await run(url, '--yes')).toMatchObject({
      code: 1,
      said: expect.stringMatching(/The books are red/),
    });
    await owner`update wallets set available = available - 500000 where available = 501000`;
    expect(await layout()).toBe(0);

    const done = await run(url, '--buckets', '4', '--yes');
    expect(done).toMatchObject({
      code: 0,
      said: expect.stringMatching(/rows of \d+ tables lie where they belong/),
    });
    const place = await detectTopology(url);
    const sql = place.open({ max: 2, as: 'all accounts', name: 'test' });
    for (const [nth, { accountId }] of customers.entries()) {
      const { available } = await inAccount(accountId, () => walletOf(sql, accountId));
      expect(available).toBe(1_000 + nth);
    }
    let counted = 0;
    await place.inEach(async () => {
      const [row] = await sql<{ n: number }[]>`select count(*)::int as n from wallets`;
      expect(row?.n).toBeLessThan(customers.length);
      counted += row?.n ?? 0;
    });
    expect(counted).toBe(customers.length);
    await expectTwoPhases({ owner, sql }, customers);
    await expectUncertainty({ owner, url, sql }, customers);
    await sql.end();
    await place.close();
    await owner.end();
  },
);

/** A transaction of an account that also writes to another server commits on both or on neither. */
async function expectTwoPhases(
  { owner, sql }: { owner: Sql; sql: Sql },
  customers: readonly Customer[],
): Promise<void> {
  const [apart] = await owner<{ port: number }[]>`
    select nodeport as port from citus_shards where table_name = 'reserved_transfers'::regclass`;
  let elsewhere = 0;
  for (const { accountId, tokenId } of customers) {
    const { port, id } = await beginIn(sql, accountId, async (tx) => {
      await tx`update lanes set ready_at = now() where token_id = ${tokenId}`;
      await tx`
        select reserve_transfer(
          ${accountId}, gen_random_uuid(), 'bca', 50000, '{1,2,3,4,5,6,7,8,9,10,11,12}', now())`;
      const [own] = await tx<{ port: number; id: string }[]>`
        select current_setting('port')::int as port,
          '\\_' || process_id || '\\_' || transaction_number || '\\_' as id
        from get_current_transaction_id()`;
      if (!own) throw new Error('there is no transaction');
      return own;
    });
    const prepared = await inAccount(
      accountId,
      () => sql`select gid from pg_dist_transaction where gid like ${`%${id}%`}`,
    );
    if (port !== apart?.port) elsewhere += 1;
    expect(prepared).toHaveLength(port === apart?.port ? 0 : 1);
  }
  expect(elsewhere).toBeGreaterThan(0);
}

/** If the connection breaks during a commit elsewhere, the result is reported as unknown. */
async function expectUncertainty(
  { owner, url, sql }: { owner: Sql; url: string; sql: Sql },
  customers: readonly Customer[],
): Promise<void> {
  const [apart] = await owner<{ host: string; port: number }[]>`
    select nodename as host, nodeport as port from citus_shards
    where table_name = 'sim_phones'::regclass`;
  const address = new URL(cluster?.nodes[0] ?? '');
  address.host = `${apart?.host}:${apart?.port}`;
  const told: unknown[] = [];
  await onServer(address.href, { as: 'owner', name: 'test' }, async (killer) => {
    for (const { accountId, phone } of customers) {
      const writing = beginIn(sql, accountId, async (tx) => {
        const [here] = await tx<{ port: number }[]>`select current_setting('port')::int as port`;
        if (here?.port === apart?.port) return;
        await tx`insert into sim_phones (phone) values (${phone})`;
        await killer`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = ${new URL(url).pathname.slice(1)}
            and application_name like 'citus_internal%'`;
      });
      await writing.catch((error: unknown) => told.push(error));
    }
  });
  const uncertain = expect.objectContaining({ name: 'ConnectionLost', outcome: 'unknown' });
  expect(told.length).toBeGreaterThan(0);
  expect(told).toEqual(told.map(() => uncertain));
}

onCluster(
  'what is broken off leaves all as it was, the same command goes on, and a new version brings its tables along',
  async () => {
    const { url, owner, customers, layout } = await installed();
    await owner`set application_name = 'somebody else'`;
    await owner.query(
      'create policy odd on topups for select using (account_id = (select account_id from wallets limit 1))',
    );
    const broken = await run(url, '--yes');
    expect(broken).toMatchObject({ code: 1, said: expect.stringContaining('a policy of topups') });
    expect(await layout()).toBe(0);
    await owner.query('drop policy odd on topups');
    expect(await run(url, '--yes')).toMatchObject({ code: 0 });
    expect(await run(url, '--yes')).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^0 tables were laid out now/m),
    });

    await migrateTo(owner, NOVELTIES);
    expect(await followSchema(owner, url)).toBe(true);
    const laid = await owner<{ name: string; method: string }[]>`
      select logicalrelid::text as name, partmethod as method from pg_dist_partition
      where logicalrelid in (to_regclass('public.novelties'), to_regclass('public.novelty_words'))
      order by 1`;
    expect(laid).toEqual([
      { name: 'novelties', method: 'h' },
      { name: 'novelty_words', method: 'h' },
    ]);
    const place = await detectTopology(url);
    const sql = place.open({ max: 2, as: 'all accounts', name: 'test' });
    let laidRows = 0;
    await place.inEach(async () => {
      const [view] = await sql<{ kind: string }[]>`
        select relkind as kind from pg_class where oid = to_regclass('novelties')`;
      expect(view).toEqual({ kind: 'v' });
      const filled = await sql<{ account_id: string }[]>`select account_id from novelties`;
      laidRows += filled.length;
      // Foreign keys exist on the shards, in both directions.
      for (const { account_id: id } of filled) {
        await expect(
          sql`update novelties set token_id = gen_random_uuid() where account_id = ${id}`,
        ).rejects.toThrow(/foreign key/);
        await expect(sql`update tokens set novelty = 2 where account_id = ${id}`).rejects.toThrow(
          /foreign key/,
        );
      }
    });
    expect(laidRows).toBe(customers.length);
    await sql.end();
    await place.close();
    await owner.end();
  },
);
