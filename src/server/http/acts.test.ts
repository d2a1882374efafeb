import { describe, expect, vi } from 'vitest';
import * as z from 'zod/mini';
import { type Act, act, paging } from '#contract/base/act.ts';
import { parseForm, toPairs } from '#contract/base/form.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type Call,
  type ActHandler,
  type Person,
  handle as bind,
  openIdempotencyStore,
  openAudit,
  openLimiter,
} from '#server/infra/acts.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import { test } from '#tests/support/database/database.ts';
import { type ActEndpointDeps, createActEndpoint } from '#server/http/portal.ts';

const Pair = () => z.object({ name: z.string(), size: z.int() });
const look = act({
  name: 'thing_get',
  by: 'customer',
  input: () => ({ name: z.string() }),
  output: Pair,
});
const make = act({
  name: 'thing_make',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ name: z.string().check(z.minLength(3)), thing_id: z.optional(z.string()) }),
  output: Pair,
  refuses: ['tokens_full'],
});
const knock = act({
  name: 'thing_knock',
  by: 'public',
  changes: true,
  input: () => ({ name: z.string() }),
  output: Pair,
  refuses: ['otp_wrong'],
});
const rule = act({ name: 'operator_thing', by: 'operator', output: Pair });
const inbox = act({ name: 'operator_inbox', by: 'operator', roles: ['support'], output: Pair });
const anyone = act({ name: 'thing_anyone', by: 'anyone_signed_in', output: Pair });
const open = { by: 'customer', whileSuspended: true } as const;
const appeal = act({ ...open, name: 'thing_appeal', output: Pair });
const listAs = (list: 'default' | 'arrow' | 'manual') =>
  act({
    name: `thing_list_${list}`,
    by: 'customer',
    list,
    input: () => paging(['name']),
    output: Pair,
  });

const ani: Person = {
  kind: 'person',
  accountId: newId(),
  userId: newId(),
  sessionId: newId(),
  role: 'customer',
  operatorRoles: [],
};
const people = new Map<string, Person>([
  ['ani', ani],
  ['budi', { ...ani, userId: newId() }],
  ['suspended', { ...ani, userId: newId(), isSuspended: true }],
  ['operator', { ...ani, role: 'operator', operatorRoles: ['admin'], userId: newId() }],
  ['support', { ...ani, role: 'operator', operatorRoles: ['support'], userId: newId() }],
]);
const thing = { name: 'Kursi', size: 4 };

type Handler = (call: Call, input: never) => Promise<unknown>;
const oneHandler = (one: Act, handle: Handler): ActHandler => bind(one, handle as never);

/** The endpoint with a test's acts; `answer` calls it as a browser would. */
function anEndpoint(
  sql: Sql,
  handlers: readonly ActHandler[],
  changes: Partial<ActEndpointDeps> = {},
) {
  const report = vi.fn();
  const secrets = secretsFrom(new Uint8Array(32).fill(7));
  const endpoint = createActEndpoint(handlers, {
    findSession: async (token) => people.get(token),
    isElsewhere: () => false,
    reauthOf: async () => ({ inOwnBrowser: true, secondsAgo: 0 }),
    hasHadToken: async () => true,
    needsSecondFactor: () => false,
    limiter: openLimiter(sql, { authMax: 1_000 }),
    answers: openIdempotencyStore(sql, secrets, report),
    audit: openAudit(sql),
    knownNumbers: async () => new Set(),
    origins: { own: 'https://kabari.example', portals: [], trustsHost: false },
    report,
    ...changes,
  });
  const answer = async (
    name: string,
    fields: Record<string, unknown> = {},
    site = 'same-origin',
  ) => {
    const form = new URLSearchParams(toPairs({ act: name, token: '', fcm: '', ...fields }));
    const reply = await endpoint({
      fields: parseForm(form.toString()),
      source: { origin: undefined, site: site === '' ? undefined : site, host: '' },
      ip: '203.0.113.7',
      agent: 'Firefox',
      device: 'hers',
      requestId: 'req_1',
    });
    if (!('status' in reply)) throw new Error('a stream');
    return { ...reply, body: JSON.parse(reply.body) };
  };
  return { answer, report };
}
const said = (type: string) => ({ body: { code: 0, error: { type } } });

describe('access', () => {
  const handlers = [
    oneHandler(look, async () => thing),
    oneHandler(rule, async () => thing),
    oneHandler(inbox, async () => thing),
    oneHandler(appeal, async () => thing),
    oneHandler(anyone, async () => thing),
  ];

  test("returns a customer's own data in the envelope", async ({ sql }) => {
    const { answer } = anEndpoint(sql, handlers);
    expect(await answer('thing_get', { token: 'ani', name: 'Kursi' })).toMatchObject({
      status: 200,
      body: { code: 1, msg: 'Berhasil.', data: thing },
    });
  });

  test('an operator act looks exactly like an unknown one to everybody else', async ({ sql }) => {
    const { answer } = anEndpoint(sql, handlers);
    const unknown = await answer('no_such_act');
    expect(unknown).toMatchObject({ status: 400, ...said('act_unknown') });
    for (const token of ['', 'ani'])
      expect(await answer('operator_thing', { token })).toEqual(unknown);
    expect(await answer('operator_thing', { token: 'operator' })).toMatchObject({ status: 200 });
  });

  test('an operator without the role is refused, and `admin` has all roles', async ({ sql }) => {
    const { answer } = anEndpoint(sql, handlers);
    const refused = await answer('operator_thing', { token: 'support' });
    expect(refused).toMatchObject({ status: 403, ...said('not_allowed') });
    expect(await answer('operator_inbox', { token: 'support' })).toMatchObject({ status: 200 });
    expect(await answer('operator_inbox', { token: 'operator' })).toMatchObject({ status: 200 });
  });

  test('a suspended person reaches only the acts that allow it', async ({ sql }) => {
    const { answer } = anEndpoint(sql, handlers);
    for (const name of ['thing_get', 'thing_anyone']) {
      const refused = await answer(name, { token: 'suspended', name: 'Kursi' });
      expect(refused).toMatchObject({ status: 423, ...said('account_suspended') });
    }
    expect(await answer('thing_appeal', { token: 'suspended' })).toMatchObject({ status: 200 });
  });

  test('an act over its rate is refused with the seconds to wait', async ({ sql }) => {
    const { answer } = anEndpoint(sql, handlers);
    const asked = Array.from({ length: 130 }, () =>
      answer('thing_get', { token: 'ani', name: 'x' }),
    );
    const last = (await Promise.all(asked)).find(({ status }) => status === 429);
    expect(last).toMatchObject({ ...said('too_many_requests'), retryAfter: 1 });
    expect(await answer('thing_get', { token: 'budi', name: 'x' })).toMatchObject({ status: 200 });
  });
});

describe('input', () => {
  test('reports each wrong or unknown field with its own sentence', async ({ sql }) => {
    const { answer } = anEndpoint(sql, [oneHandler(make, async () => thing)]);
    const refused = await answer('thing_make', {
      token: 'ani',
      name: 'ab',
      role: 'operator',
      saldo: 9,
    });
    expect(refused).toMatchObject({ status: 422, ...said('input_invalid') });
    expect(refused.body.error.fields).toEqual({
      name: 'Minimal 3 karakter.',
      role: 'Isian ini tidak dikenal.',
      saldo: 'Isian ini tidak dikenal.',
    });
    expect((await answer('thing_make', { token: 'ani' })).body.error.fields).toEqual({
      name: 'Wajib diisi.',
    });
  });

  test("sorts only by the act's columns, up or down", async ({ sql }) => {
    const list = listAs('default');
    const { answer } = anEndpoint(sql, [oneHandler(list, async () => ({ rows: [], total: 0 }))]);
    for (const wrong of [
      { sort_by: 'name;drop table users' },
      { sort_type: 'sideways' },
      { page: -1 },
    ]) {
      const refused = await answer(list.name, { token: 'ani', ...wrong });
      expect(refused).toMatchObject({ status: 422, ...said('input_invalid') });
    }
    expect(await answer(list.name, { token: 'ani', page: 1e9 })).toMatchObject({ status: 200 });
  });

  test('a key that is not a UUID is refused before the act runs', async ({ sql }) => {
    const handle = vi.fn(async () => thing);
    const { answer } = anEndpoint(sql, [oneHandler(make, handle)]);
    const refused = await answer('thing_make', { token: 'ani', name: 'Kursi', key: '1' });
    expect(refused).toMatchObject({ status: 400, ...said('request_malformed') });
    expect(handle).not.toHaveBeenCalled();
  });

  test("a page of another site is refused, and a program's change without a session", async ({
    sql,
  }) => {
    const { answer } = anEndpoint(sql, [
      oneHandler(knock, async () => thing),
      oneHandler(look, async () => thing),
    ]);
    const foreign = { status: 403, ...said('origin_foreign') };
    expect(await answer('thing_knock', { name: 'x' }, 'cross-site')).toMatchObject(foreign);
    expect(await answer('thing_get', { token: 'ani', name: 'x' }, 'same-site')).toMatchObject(
      foreign,
    );
    expect(await answer('thing_knock', { name: 'x' }, '')).toMatchObject(foreign);
    expect(await answer('thing_get', { token: 'ani', name: 'x' }, '')).toMatchObject({
      status: 200,
    });
  });
});

describe('list answers', () => {
  const rows = [thing, { name: 'Meja', size: 1 }];
  const cases = [
    ['default', { result: { data: rows, total_page: 3, searched: 2016 } }],
    ['arrow', { result: { data: rows, total: 21 } }],
    ['manual', { data: rows, count: 2 }],
  ] as const;
  for (const [list, expected] of cases) {
    test(`the ${list} paging has its own shape`, async ({ sql }) => {
      const listed = listAs(list);
      const page = async () => ({ rows, total: 21, searched: 2016 });
      const { answer } = anEndpoint(sql, [oneHandler(listed, page)]);
      const { body } = await answer(listed.name, { token: 'ani' });
      expect(body).toEqual({ code: 1, msg: 'Berhasil.', ...expected });
    });
  }
});

describe('errors', () => {
  test('an undeclared refusal is a bug: reported, and answered with a bare 500', async ({
    sql,
  }) => {
    const surprise = new Refusal('saldo_short', { required: 1, available: 0 });
    const { answer, report } = anEndpoint(sql, [oneHandler(look, () => Promise.reject(surprise))]);
    const broken = await answer('thing_get', { token: 'ani', name: 'x' });
    expect(broken).toMatchObject({ status: 500, ...said('our_fault') });
    expect(broken.body.error.facts).toEqual({ request: 'req_1' });
    expect(report).toHaveBeenCalledWith(surprise, { requestId: 'req_1', act: 'thing_get' });
  });

  test('an answer that violates its schema is never sent', async ({ sql }) => {
    const wrong = async () => ({ name: 'Kursi', size: 'rahasia' });
    const { answer, report } = anEndpoint(sql, [oneHandler(look, wrong)]);
    const broken = await answer('thing_get', { token: 'ani', name: 'x' });
    expect(broken).toMatchObject({ status: 500, ...said('our_fault') });
    expect(JSON.stringify(broken)).not.toContain('rahasia');
    expect(report).toHaveBeenCalledTimes(1);
  });

  test('fields outside the contract are removed from the answer', async ({ sql }) => {
    const more = async () => ({ ...thing, password_hash: 'x' });
    const { answer } = anEndpoint(sql, [oneHandler(look, more)]);
    expect((await answer('thing_get', { token: 'ani', name: 'x' })).body.data).toEqual(thing);
  });

  test('an unreachable database is no bug: busy, with the seconds to wait', async ({ sql }) => {
    const away = Object.assign(new Error('terminating connection'), { code: '57P01' });
    const full = Object.assign(new Error('no space left on device'), { code: '53100' });
    for (const trouble of [away, full]) {
      const { answer } = anEndpoint(sql, [oneHandler(look, () => Promise.reject(trouble))]);
      const busy = await answer('thing_get', { token: 'ani', name: 'x' });
      expect(busy).toMatchObject({ status: 503, retryAfter: 2, ...said('busy') });
    }
    const slow = Object.assign(new Error('statement timeout'), { code: '57014' });
    const { answer } = anEndpoint(sql, [oneHandler(look, () => Promise.reject(slow))]);
    expect(await answer('thing_get', { token: 'ani', name: 'x' })).toMatchObject({
      status: 504,
      ...said('timed_out'),
    });
  });

  test('an exception reveals no details', async ({ sql }) => {
    const { answer } = anEndpoint(sql, [
      oneHandler(look, () => Promise.reject(new Error('connect postgres://kabari:pass@db'))),
    ]);
    const broken = await answer('thing_get', { token: 'ani', name: 'x' });
    expect(JSON.stringify(broken)).not.toContain('postgres');
  });
});

describe('a mutation with a key', () => {
  const key = '0192f0c1-0000-7000-8000-000000000001';

  test('runs once when repeated, after any answer', async ({ sql }) => {
    const handle = vi.fn(async () => thing);
    const { answer } = anEndpoint(sql, [oneHandler(make, handle)]);
    const fields = { token: 'ani', name: 'Kursi', key };
    const first = await answer('thing_make', fields);
    expect((await answer('thing_make', fields)).body).toEqual(first.body);
    expect(handle).toHaveBeenCalledTimes(1);
    expect(await answer('thing_make', { ...fields, name: 'Meja' })).toMatchObject({
      status: 409,
      ...said('idempotency_conflict'),
    });
  });

  test('repeats a refusal without using up another try', async ({ sql }) => {
    let left = 5;
    const { answer } = anEndpoint(sql, [
      oneHandler(knock, () => Promise.reject(new Refusal('otp_wrong', { left: --left }))),
    ]);
    const refused = await answer('thing_knock', { name: 'x', key });
    const again = await answer('thing_knock', { name: 'x', key });
    expect(again.body).toEqual(refused.body);
    expect(left).toBe(4);
  });

  test('runs again after an internal error', async ({ sql }) => {
    const handle = vi.fn(async () => thing);
    handle.mockRejectedValueOnce(new Error('down'));
    const { answer } = anEndpoint(sql, [oneHandler(make, handle)]);
    const fields = { token: 'ani', name: 'Kursi', key };
    expect(await answer('thing_make', fields)).toMatchObject({ status: 500 });
    expect(await answer('thing_make', fields)).toMatchObject({ status: 200 });
  });

  test('is a different call for another person', async ({ sql }) => {
    const handle = vi.fn(async () => thing);
    const { answer } = anEndpoint(sql, [oneHandler(make, handle)]);
    await answer('thing_make', { token: 'ani', name: 'Kursi', key });
    await answer('thing_make', { token: 'budi', name: 'Kursi', key });
    expect(handle).toHaveBeenCalledTimes(2);
  });
});

describe('the audit log', () => {
  const facts = (sql: Sql) => sql`
    select account_id, actor, act, outcome, ip, request, facts from audit_log order by audit_id`;

  test('records who did what, the outcome and the records concerned, without texts', async ({
    sql,
  }) => {
    const full = vi.fn(async () => thing);
    full.mockRejectedValueOnce(new Refusal('tokens_full', { limit: 10 }));
    const { answer } = anEndpoint(sql, [oneHandler(make, full)]);
    const thing_id = publicId('token', newId());
    await answer('thing_make', { token: 'ani', name: 'Rahasia', thing_id });
    await answer('thing_make', { token: 'ani', name: 'Rahasia', thing_id });
    const line = {
      account_id: ani.accountId,
      actor: ani.userId,
      act: 'thing_make',
      ip: '203.0.113.7',
      request: 'req_1',
      facts: { thing_id },
    };
    expect(await facts(sql)).toEqual([
      { ...line, outcome: 'tokens_full' },
      { ...line, outcome: 'ok' },
    ]);
  });

  test('names the person who signed in, and the subject of an operator’s act', async ({ sql }) => {
    const account_id = publicId('account', newId());
    const user = { id: publicId('user', ani.userId), account_id };
    const { answer } = anEndpoint(sql, [
      oneHandler({ ...look, by: 'public', audited: true }, async () => ({ ...thing, user })),
      oneHandler({ ...rule, audited: true }, async () => ({ ...thing, account_id, a_id: '?' })),
    ]);
    await answer('thing_get', { name: 'x' });
    await answer('operator_thing', { token: 'operator' });
    expect(await facts(sql)).toMatchObject([{ actor: ani.userId }, { facts: { account_id } }]);
  });

  test('is written only for acts that require it', async ({ sql }) => {
    const { answer } = anEndpoint(sql, [oneHandler(look, async () => thing)]);
    await answer('thing_get', { token: 'ani', name: 'Kursi' });
    expect(await facts(sql)).toEqual([]);
  });

  test('has an entry for a customer who is refused an act, at a limited rate', async ({ sql }) => {
    const citra = { ...ani, userId: newId() };
    const where = { inOwnBrowser: true, secondsAgo: 0 };
    const { answer } = anEndpoint(
      sql,
      [
        oneHandler(rule, async () => thing),
        oneHandler({ ...make, requiresRecentPassword: 'to_make' }, async () => thing),
        oneHandler(look, async () => thing),
      ],
      { findSession: async () => citra, reauthOf: async () => where },
    );
    expect(await answer('operator_thing', { token: 'citra' })).toMatchObject(said('act_unknown'));
    where.inOwnBrowser = false;
    const copied = await answer('thing_make', { token: 'citra', name: 'Rahasia' });
    expect(copied).toMatchObject(said('sign_in_needed'));
    where.inOwnBrowser = true;
    where.secondsAgo = 900;
    const asked = await answer('thing_make', { token: 'citra', name: 'Rahasia' });
    expect(asked).toMatchObject(said('reauth_needed'));
    await answer('no_such_act', { token: 'citra' });
    const line = { account_id: citra.accountId, actor: citra.userId, ip: '203.0.113.7', facts: {} };
    expect(await facts(sql)).toEqual([
      { ...line, request: 'req_1', act: 'operator_thing', outcome: 'act_unknown' },
      { ...line, request: 'req_1', act: 'thing_make', outcome: 'sign_in_needed' },
    ]);
    for (let n = 0; n < 30; n++) await answer('operator_thing', { token: 'citra' });
    expect((await facts(sql)).length).toBeLessThan(25);
  });

  test('has one entry for a repeated call', async ({ sql }) => {
    const { answer } = anEndpoint(sql, [oneHandler(make, async () => thing)]);
    const fields = { token: 'ani', name: 'Kursi', key: crypto.randomUUID() };
    await answer('thing_make', fields);
    await answer('thing_make', fields);
    expect(await facts(sql)).toHaveLength(1);
  });
});
