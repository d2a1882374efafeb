import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { civilDate } from '#contract/base/time.ts';
import { eraseAnonymousAudit, eraseAudit, openAudit } from '#server/infra/acts.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { closeAccount, customerWith } from '#tests/support/people/people.ts';
import { verifyAudit, sealAudit } from './chain.ts';

type Log = {
  ani: string;
  budi: string;
  folder: string;
  write: (accountId: string | undefined, times?: number) => Promise<void>;
  findings: (folder?: string) => Promise<object[]>;
};

const DAY_MS = 86_400_000;
const today = civilDate(new Date());
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

const test = base.extend<{ log: Log }>({
  log: async ({ sql }, use) => {
    const audit = openAudit(sql);
    const write = async (accountId: string | undefined, times = 1) => {
      for (let n = 0; n < times; n++) {
        await audit.write({
          accountId,
          actor: newId(),
          act: 'token_update',
          outcome: 'ok',
          ip: '203.0.113.9',
          requestId: `req_${n}`,
          facts: { token_id: 'tok_1' },
        });
      }
    };
    const folder = await mkdtemp(join(tmpdir(), 'audit-'));
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    await write(ani.accountId, 5);
    await write(budi.accountId, 3);
    await write(undefined, 2);
    const findings = async (where?: string) => (await verifyAudit(sql, where)).findings;
    await use({ ani: ani.accountId, budi: budi.accountId, folder, write, findings });
    await rm(folder, { recursive: true });
  },
});

async function tamper({ owner }: TestDatabase, statements: string): Promise<void> {
  await owner.query(`
    alter table audit_log disable trigger user;
    alter table audit_heads disable trigger user;
    alter table audit_seals disable trigger user;
    alter table audit_seal_heads disable trigger user;
    ${statements}`);
}

test('chains entries per account, and those of anonymous callers together', async ({
  log,
  sql,
}) => {
  expect(await verifyAudit(sql, undefined)).toEqual({ lines: 10, chains: 3, findings: [] });
  const lines = await sql<{ seq: number }[]>`
    select seq from audit_log where account_id = ${log.ani} order by audit_id`;
  expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
});

test('concurrent writers extend one chain', async ({ db, sql, log }) => {
  const others = [1, 2, 3].map(() =>
    openDatabase(db.url, { max: 2, as: 'all accounts', name: 'writers' }),
  );
  const line = { accountId: log.ani, actor: 'public', act: 'user_login', outcome: 'ok', facts: {} };
  await Promise.all(
    others.flatMap((pool) =>
      Array.from({ length: 20 }, (_, n) =>
        openAudit(pool).write({ ...line, ip: '203.0.113.9', requestId: `req_${n}` }),
      ),
    ),
  );
  await Promise.all(others.map((pool) => pool.end()));
  expect(await verifyAudit(sql, undefined)).toEqual({ lines: 70, chains: 3, findings: [] });
});

test('refuses changes, deletions and direct inserts by the application and the owner', async ({
  db,
  log: { ani },
}) => {
  const insert = (sql: Sql) => sql`
    insert into audit_log (account_id, audit_id, actor, act, outcome, ip, request, seq, digest, hash)
    values (${ani}, ${newId()}, 'public', 'x', 'ok', '', '', 6, '', '')`;
  for (const harm of [
    (sql: Sql) => sql`update audit_log set outcome = 'ok, really'`,
    (sql: Sql) => sql`delete from audit_log`,
    (sql: Sql) => sql`truncate audit_log`,
    (sql: Sql) => sql`update audit_heads set hash = ''`,
    (sql: Sql) => sql`update audit_heads set seq = seq - 1`,
    (sql: Sql) => sql`delete from audit_heads`,
    (sql: Sql) => sql`truncate audit_heads`,
  ]) {
    await expect(harm(db.allAccountsSql)).rejects.toMatchObject({ code: '42501' });
    await expect(harm(db.owner)).rejects.toMatchObject({ code: 'P0001' });
  }
  await expect(insert(db.allAccountsSql)).rejects.toMatchObject({ code: '42501' });
});

test('refuses an entry of another account', async ({ db, log }) => {
  const write = db.tenantSql.begin(async (tx) => {
    await tx`select set_config('app.account', ${log.ani}, true)`;
    await tx`select write_audit(${log.budi}, ${newId()}, 'public', 'x', 'ok', '', '', '{}')`;
  });
  await expect(write).rejects.toMatchObject({ code: '42501' });
});

describe('the verification finds', () => {
  const harms: [string, (log: Log) => string, { kind: string; seq: number }][] = [
    [
      'a line whose outcome was changed',
      ({ ani }) => `update audit_log set outcome = 'x' where account_id = '${ani}' and seq = 3`,
      { kind: 'changed', seq: 3 },
    ],
    [
      'a line whose facts were changed',
      ({ ani }) => `update audit_log set facts = '{}' where account_id = '${ani}' and seq = 2`,
      { kind: 'changed', seq: 2 },
    ],
    [
      'a line whose address was changed under a salt of the same digest',
      ({ ani }) => `update audit_log set ip = '1.2.3.4', digest = sha256(salt
        || convert_to(jsonb_build_array('1.2.3.4', facts)::text, 'UTF8'))
        where account_id = '${ani}' and seq = 4`,
      { kind: 'changed', seq: 4 },
    ],
    [
      'a line that is missing in the middle',
      ({ ani }) => `delete from audit_log where account_id = '${ani}' and seq = 2`,
      { kind: 'missing', seq: 2 },
    ],
    [
      'a tail that is missing',
      ({ ani }) => `delete from audit_log where account_id = '${ani}' and seq > 3`,
      { kind: 'missing', seq: 4 },
    ],
    [
      'a chain that is missing whole',
      ({ ani }) => `delete from audit_log where account_id = '${ani}'`,
      { kind: 'missing', seq: 1 },
    ],
    [
      'lines in another order',
      ({ ani }) => `
        update audit_log set seq = 99 where account_id = '${ani}' and seq = 2;
        update audit_log set seq = 2 where account_id = '${ani}' and seq = 3;
        update audit_log set seq = 3 where account_id = '${ani}' and seq = 99`,
      { kind: 'changed', seq: 2 },
    ],
    [
      'a line that was added',
      ({ ani }) => `insert into audit_log select account_id, gen_random_uuid(), at, actor, act,
        outcome, ip, request, facts, 6, salt, digest, hash from audit_log where account_id = '${ani}' and seq = 5`,
      { kind: 'added', seq: 6 },
    ],
    [
      'a head that was changed',
      ({ ani }) => `update audit_heads set hash = sha256('') where account_id = '${ani}'`,
      { kind: 'head', seq: 5 },
    ],
    [
      'a head that is missing',
      ({ ani }) => `delete from audit_heads where account_id = '${ani}'`,
      { kind: 'head', seq: 5 },
    ],
    [
      'a line that was emptied though its account is open',
      ({ ani }) => `update audit_log set ip = '', facts = '{}', salt = null
        where account_id = '${ani}' and seq = 1`,
      { kind: 'erased', seq: 1 },
    ],
  ];
  test.for(harms)('%s', async ([, harm, found], { db, log }) => {
    await tamper(db, harm(log));
    expect(await log.findings()).toEqual([
      {
        ...found,
        account_id: publicId('account', log.ani),
        day: found.kind === 'missing' && found.seq === 1 ? null : today,
      },
    ]);
  });

  test('an anonymous address that was erased too soon', async ({ db, log }) => {
    await tamper(
      db,
      `update audit_log set ip = '', facts = '{}', salt = null
      where account_id = '00000000-0000-0000-0000-000000000000' and seq = 1`,
    );
    expect(await log.findings()).toEqual([
      { kind: 'erased', account_id: null, seq: 1, day: today },
    ]);
  });

  test('the first difference of each chain', async ({ db, log }) => {
    await tamper(
      db,
      `update audit_log set act = 'x' where seq >= 2 and account_id in ('${log.ani}', '${log.budi}')`,
    );
    const found = (await log.findings()) as { seq: number }[];
    expect(found.map(({ seq }) => seq)).toEqual([2, 2]);
  });
});

describe('the seal', () => {
  test('stays valid while entries are added', async ({ log, sql }) => {
    await sealAudit({ allAccountsSql: sql, now: () => inDays(1), folder: log.folder });
    await log.write(log.ani, 2);
    await sealAudit({ allAccountsSql: sql, now: () => inDays(2), folder: log.folder });
    await sealAudit({ allAccountsSql: sql, now: () => inDays(2), folder: log.folder });
    expect(await log.findings(log.folder)).toEqual([]);
    const heads =
      await sql`select seal_no, seq from audit_seal_heads where account_id = ${log.ani}`;
    expect([...heads]).toEqual([
      { seal_no: 1, seq: 5 },
      { seal_no: 2, seq: 7 },
    ]);
    const file = await readFile(join(log.folder, 'ledger-seals.txt'), 'utf8');
    expect(file).toMatch(
      /^audit 1 [\d-]{10} [0-9a-f]{64} .*\naudit 2 [\d-]{10} [0-9a-f]{64} .*\n$/,
    );
  });

  test('reveals that a tail was removed together with its head', async ({ db, sql, log }) => {
    await sealAudit({ allAccountsSql: sql, now: () => inDays(1), folder: log.folder });
    await tamper(
      db,
      `delete from audit_log where account_id = '${log.ani}' and seq > 3;
      update audit_heads set seq = 3, hash = (
        select hash from audit_log where account_id = '${log.ani}' and seq = 3
      ) where account_id = '${log.ani}'`,
    );
    const missing = {
      kind: 'missing',
      account_id: publicId('account', log.ani),
      seq: 5,
      day: today,
    };
    expect(await log.findings(log.folder)).toEqual([missing]);
    await tamper(db, `delete from audit_seal_heads where account_id = '${log.ani}'`);
    expect(await log.findings(log.folder)).toMatchObject([{ kind: 'seal', seq: 1, day: today }]);
    await tamper(db, `delete from audit_seal_heads; delete from audit_seals`);
    expect(await log.findings()).toEqual([]);
    expect(await log.findings(log.folder)).toMatchObject([{ kind: 'seal', seq: 1, day: today }]);
  });

  test('reveals a rewritten file', async ({ sql, log }) => {
    await sealAudit({ allAccountsSql: sql, now: () => inDays(1), folder: log.folder });
    const path = join(log.folder, 'ledger-seals.txt');
    const text = await readFile(path, 'utf8');
    await writeFile(
      path,
      text.replace(/[0-9a-f]{64}/, (hash) => hash.replace(/./g, '0')),
    );
    expect(await log.findings(log.folder)).toMatchObject([{ kind: 'seal', seq: 1 }]);
  });
});

test('legitimate erasure leaves the chain valid', async ({ sql, log }) => {
  await closeAccount(sql, log.ani);
  await eraseAudit(sql, log.ani);
  await sql`
    select write_audit('00000000-0000-0000-0000-000000000000',
      uuid_floor(clock_timestamp() - interval '8 days'), 'public', 'x', 'ok', '203.0.113.8', 'r', '{}')`;
  await eraseAnonymousAudit(sql);
  const left = await sql`
    select count(*)::int as n from audit_log where salt is null and ip = '' and facts = '{}'`;
  expect([...left]).toEqual([{ n: 6 }]);
  expect(await log.findings()).toEqual([]);
});
