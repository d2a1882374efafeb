import { describe, expect } from 'vitest';
import { ensureOperator } from '#server/domains/accounts/accounts.ts';
import { newId } from '#server/infra/ids.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { passwordFits } from '#server/infra/security/passwords.ts';
import { acceptTexts } from '#tests/support/app/fake-channel.ts';
import { type TestDatabase, makeDatabase, test } from '#tests/support/database/database.ts';
import { customerWith, makeSession } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { runOperator } from './run.ts';

async function run(db: Pick<TestDatabase, 'url'> | undefined, ...words: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runOperator(words, {
    env: db ? { DATABASE_URL: db.url } : {},
    print: (line) => void out.push(line),
    complain: (line) => void err.push(line),
  });
  return { code, stdout: out.join('\n'), stderr: err.join('\n') };
}

const sentence = (words: RegExp) => ({
  code: 1,
  stdout: '',
  stderr: expect.toSatisfy((said: string) => words.test(said) && !said.includes('\n')),
});

describe('npm run operator', () => {
  test('lists its commands, one per line', async () => {
    const { code, stdout } = await run(undefined);
    expect(code).toBe(0);
    for (const name of ['add', 'reset-password', 'ledger:check', 'backup', 'restore', 'doctor']) {
      expect(stdout).toMatch(new RegExp(`^  ${name} .{20,}$`, 'm'));
    }
  });

  test('answers bad input with one sentence', async ({ db }) => {
    const asked: [string[], RegExp][] = [
      [['gibberish'], /^There is no command gibberish/],
      [['add'], /^Give the operator’s mobile number/],
      [['add', '0812-3456-7890'], /^Give the operator’s name/],
      [['add', '0812-3456-7890', 'Rina', 'boss'], /^Roles are support, money, admin/],
      [['reset-password', '12'], /^Give the operator’s mobile number/],
      [['restore', 'x'], /^Give the backup’s folder and a new one/],
      [['backup'], /^The database at DATABASE_URL is backed up by its own tools/],
      [['backup', 'now'], /^backup does not know now: npm run operator -- backup$/m],
      [['doctor', '--verbose'], /^doctor does not know --verbose: /],
      [['reset-password', '0812-3456-7890', 'Rina'], /^reset-password does not know Rina: /],
      [['restore', 'a', 'b', 'c'], /^restore does not know c: /],
      [['db:distribute', '--buckets', '4', '--now'], /^db:distribute does not know --now: /],
      [['files:move', '--verfy'], /^files:move does not know --verfy: /],
    ];
    const answers = await Promise.all(asked.map(([words]) => run(db, ...words)));
    asked.forEach(([, words], nth) => expect(answers[nth]).toEqual(sentence(words)));
  });

  test('adds an operator with roles, and resets their password', async ({ db, sql }) => {
    await ensureOperator(sql, { OPERATOR_PHONE: '6281100000000' });
    const added = await run(db, 'add', '0812-3456-7890', 'Rina', 'support,money');
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('6281234567890') });
    type Row = { account_id: string; user_id: string; roles: string[]; hash: string };
    const rina = async () => {
      const [row] = await sql<Row[]>`
        select account_id, user_id, operator_roles as roles, password_hash as hash from users
        where phone = '6281234567890'`;
      if (!row) throw new Error('no such operator');
      return row;
    };
    const before = await rina();
    expect(before.roles).toEqual(['support', 'money']);
    await makeSession(sql, { accountId: before.account_id, userId: before.user_id });
    const reset = await run(db, 'reset-password', '0812-3456-7890');
    const password = /password {2}(\S+)/.exec(reset.stdout)?.[1] ?? '';
    expect(await passwordFits(password, (await rina()).hash)).toBe(true);
    expect(await sql`select from sessions where revoked_at is null`).toEqual([]);
    expect(await run(db, 'reset-password', '0812-0000-0000')).toEqual(
      sentence(/^No operator has that number/),
    );
  });

  test('removes the second factors of an operator who lost them', async ({ db, sql }) => {
    await ensureOperator(sql, { OPERATOR_PHONE: '6281100000000' });
    const reset = await run(db, 'reset-second-factor', '0811-0000-0000');
    expect(reset).toMatchObject({ code: 0, stdout: expect.stringContaining('no second factor') });
    expect(await run(db, 'reset-second-factor', '0812-0000-0000')).toEqual(
      sentence(/^No operator has that number/),
    );
  });

  test('completes a restore by other tools, unless Kabari runs there', async () => {
    const { db, drop } = await makeDatabase();
    const sql = db.allAccountsSql;
    const ani = await customerWith(sql, { saldo: 1_000 });
    await acceptTexts(sql, ani);
    await makeSession(sql, ani);
    expect(await run(db, 'after-restore')).toEqual(sentence(/^Kabari runs on this database/));
    await Promise.all([sql, db.owner, db.tenantSql].map((pool) => pool.end({ timeout: 1 })));
    await waitFor(async () =>
      expect(await run(db, 'after-restore')).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^1 messages that waited then may have been sent since/),
      }),
    );
    const later = openDatabase(db.url, { max: 1, as: 'owner', name: 'tests' });
    expect(await later`select from sessions where revoked_at is null`).toEqual([]);
    expect(await later`select unknowns from dispatch`).toEqual([{ unknowns: 1 }]);
    await later.end();
    await drop();
  });

  test('doctor exits with 1 when there is a problem, and says what to do', async ({ db }) => {
    await db.owner`insert into audit_heads (account_id, seq, hash) values (${newId()}, 1, '')`;
    const { code, stdout } = await run(db, 'doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^WRONG {4}1 places of the audit log are not as they were written/m);
    expect(stdout).toMatch(/^WRONG {4}Nothing shows that the database at DATABASE_URL is backed/m);
    expect(stdout).toMatch(/^ {9}→ Back it up/m);
    expect(stdout).toMatch(/\d+ ok, \d+ warnings, \d+ wrong$/);
  });
});
