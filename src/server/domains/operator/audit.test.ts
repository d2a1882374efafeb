import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { AuditEntry, auditState, verifyAudit } from '#contract/operator/audit.ts';
import type { OutputOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { civilDate } from '#contract/base/time.ts';
import { openAudit } from '#server/infra/acts.ts';
import { readSecrets } from '#server/infra/security/secrets.ts';
import { test as base } from '#tests/support/database/database.ts';
import { operatorsOf } from '#tests/support/money/desk.ts';
import { type TopupApp, perform, topupApp } from '#tests/support/money/topups.ts';
import { type Customer, changeUsers, customerWith } from '#tests/support/people/people.ts';
import { auditActs, openAuditExport } from './audit.ts';

type Desk = {
  app: TopupApp;
  reported: unknown[];
  ani: Customer;
  oka: { userId: string; accountId: string };
  ask: (act: string, fields?: object) => Promise<unknown>;
  rows: (fields?: object) => Promise<AuditEntry[]>;
  download: (url: string) => Promise<string | undefined>;
};

const today = civilDate(new Date());

const test = base.extend<{ desk: Desk }>({
  desk: async ({ db, sql }, use) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const [operator] = await operatorsOf(sql, app);
    const [system] = await sql<{ id: string }[]>`
      select account_id as id from accounts where is_system`;
    const oka = { userId: operator?.userId ?? '', accountId: system?.id ?? '' };
    const folder = await mkdtemp(join(tmpdir(), 'audit-desk-'));
    const reported: unknown[] = [];
    const deps = {
      allAccountsSql: sql,
      secrets: await readSecrets(sql),
      now: app.clock.now,
      report: (trouble: unknown) => void reported.push(trouble),
      folder,
    };
    const audit = openAudit(sql);
    const line = { ip: '203.0.113.9', requestId: 'req_1', facts: {} };
    const from = { ...line, accountId: ani.accountId, actor: ani.userId };
    await audit.write({ ...from, act: 'token_create', outcome: 'ok' });
    await audit.write({ ...from, act: 'token_create', outcome: 'tokens_full' });
    await audit.write({
      ...line,
      accountId: oka.accountId,
      actor: oka.userId,
      act: 'operator_wallet_freeze',
      outcome: 'ok',
      facts: {
        account_id: publicId('account', ani.accountId),
        user_id: publicId('user', ani.userId),
      },
    });
    const stranger = { ...line, accountId: undefined, actor: 'public', outcome: '=1+1' };
    await audit.write({ ...stranger, act: 'user_login' });
    const handlers = auditActs(deps);
    const ask = (act: string, fields: object = {}) =>
      perform(handlers, act, { ...oka, role: 'operator' }, { ...fields });
    await use({
      app,
      ani,
      reported,
      oka,
      ask,
      rows: async (fields) =>
        ((await ask('operator_audit_list', fields)) as { rows: AuditEntry[] }).rows,
      download: async (url) => {
        const { pathname, searchParams } = new URL(url, 'http://localhost');
        const id = pathname.split('/').at(-1) ?? '';
        const found = await openAuditExport(deps, { id, key: searchParams.get('k') ?? '' });
        return found && text(found.stream);
      },
    });
    await rm(folder, { recursive: true });
  },
});

test('lists entries newest first, with names instead of ids', async ({ desk }) => {
  const { ani, oka } = desk;
  const rows = await desk.rows();
  const account = { account_id: publicId('account', ani.accountId), name: expect.any(String) };
  expect(rows).toMatchObject([
    { act: 'user_login', account: null, person: null, about: null, whom: null },
    {
      act: 'operator_wallet_freeze',
      account: { name: 'Kabari', ours: true },
      person: { user_id: publicId('user', oka.userId), name: 'Oka' },
      about: account,
      whom: { user_id: publicId('user', ani.userId), name: expect.stringMatching(/^Ani/) },
    },
    { act: 'token_create', outcome: 'tokens_full', seq: 2, account: { ...account, ours: false } },
    { act: 'token_create', outcome: 'ok', seq: 1, ip: '203.0.113.9', erased: false },
  ]);
  expect(rows[3]?.person?.name).toMatch(/^Ani/);
});

test('filters by days, act, person, outcome, and customer, including operators’ acts on the customer', async ({
  desk,
}) => {
  const actsOf = async (fields: object) => (await desk.rows(fields)).map(({ act }) => act);
  const all = ['user_login', 'operator_wallet_freeze', 'token_create', 'token_create'];
  const account_id = publicId('account', desk.ani.accountId);
  expect(await actsOf({ from: today, to: today })).toEqual(all);
  expect(await actsOf({ to: '2026-01-01' })).toEqual([]);
  expect(await actsOf({ from: '8000-01-01' })).toEqual([]);
  expect(await actsOf({ act_name: 'user_login' })).toEqual(['user_login']);
  expect(await actsOf({ user_id: publicId('user', desk.oka.userId) })).toEqual([all[1]]);
  expect(await actsOf({ account_id })).toEqual(all.slice(1));
  expect(await actsOf({ account_id, outcome: 'refused' })).toEqual(['token_create']);
  expect(await actsOf({ outcome: 'ok' })).toEqual(all.slice(1, 3));
});

test('counts at most a thousand entries', async ({ desk, sql }) => {
  const { accountId } = desk.ani;
  await sql`
    select write_audit(${accountId}, gen_random_uuid(), 'public', 'x', 'ok', '', 'r', '{}')
    from generate_series(1, 1010)`;
  const page = (n: number) => desk.ask('operator_audit_list', { page: n });
  expect(await page(99)).toMatchObject({ total: 1_000, rows: { length: 10 } });
  expect(await page(100)).toEqual({ total: 1_000, rows: [] });
});

test('the state shows whether the chain is intact, and the people to filter by', async ({
  desk,
  db,
}) => {
  const state = async () => (await desk.ask('operator_audit_state')) as OutputOf<typeof auditState>;
  expect(await state()).toMatchObject({ check: null });
  expect((await state()).operators.map(({ name }) => name)).toEqual(['Oka', 'Ria']);
  const verify = async () =>
    ((await desk.ask('operator_audit_verify')) as OutputOf<typeof verifyAudit>).check;
  expect(await verify()).toMatchObject({ ok: true, lines: 4, chains: 3, findings: [] });
  await db.owner.query(`
    alter table audit_log disable trigger user;
    update audit_log set outcome = 'ok' where outcome = 'tokens_full'`);
  const finding = { kind: 'changed', seq: 2, day: today };
  expect(await verify()).toMatchObject({ ok: false, findings: [finding] });
  expect(await state()).toMatchObject({ check: { ok: false, findings: [finding] } });
});

test('refuses a concurrent verification, and does not report that', async ({ desk, db }) => {
  await db.owner.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(7206314)`;
    await expect(desk.ask('operator_audit_verify')).rejects.toMatchObject({
      code: 'check_running',
    });
  });
  expect(desk.reported).toEqual([]);
});

test('an export is a short-lived link to formula-safe rows, three times a day', async ({
  desk,
}) => {
  type Link = { url: string; filename: string };
  const link = async (fields: object) => (await desk.ask('operator_audit_export', fields)) as Link;
  const all = await link({ from: today, to: today });
  expect(all.filename).toBe(`catatan-audit-${today}-${today}.csv`);
  const lines = (await desk.download(all.url))?.trimEnd().split('\r\n') ?? [];
  expect(lines).toHaveLength(5);
  expect(lines[0]).toMatch(/^\uFEFFwaktu_wib,orang,id_orang,akun,/);
  expect(lines[1]).toContain(",user_login,'=1+1,");
  const refused = await desk.download(
    (await link({ act_name: 'token_create', outcome: 'refused' })).url,
  );
  expect(refused?.match(/token_create/g)).toHaveLength(1);
  expect(await desk.download(`${all.url}x`)).toBeUndefined();
  desk.app.clock.pass(1);
  expect(await desk.download(all.url)).toBeUndefined();
  await link({});
  await expect(link({})).rejects.toEqual(new Refusal('export_limit', { limit: 3 }));
});

test('an export link is void once its creator is no admin', async ({ desk, sql }) => {
  const { url } = (await desk.ask('operator_audit_export')) as { url: string };
  await changeUsers(sql, { userId: desk.oka.userId }, { operatorRoles: ['support', 'money'] });
  expect(await desk.download(url)).toBeUndefined();
});
