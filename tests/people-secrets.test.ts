import { expect } from 'vitest';
import { changeForgotten, forgotPassword, verifyForgot } from '#contract/people.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { GOOD_PASSWORD, OTHER_PASSWORD, ageCodes } from './support/people/accounts-app.ts';
import { type PeopleApp, browserOf, dataOf } from './support/people/people-app.ts';
import { test } from './support/people/people-test.ts';

const ANI = '6281234567890';
const HERS = browserOf('the browser of Ani');
const NEW = browserOf('a browser that is new');

async function dump(owner: Sql): Promise<string> {
  const tables = await owner<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where nspname = 'public' and relkind = 'r'`;
  const parts: string[] = [];
  for (const { name } of tables) {
    const rows = await owner.query(`select t::text as line from ${name} t`);
    parts.push(...rows.map(({ line }) => String(line)));
  }
  return parts.join('\n');
}

/** Signs up, signs in elsewhere, resets the password. @returns secrets nothing may reveal. */
async function walk(portal: PeopleApp, sql: Sql): Promise<string[]> {
  const secrets: string[] = [GOOD_PASSWORD, OTHER_PASSWORD, HERS, NEW];
  const say = async (act: string, fields: object, device: string, token = '') => {
    const key = crypto.randomUUID();
    const data = dataOf(await portal.ask(act, { ...fields, key }, { device, token }));
    if (!data) throw new Error(`${act} was refused`);
    for (const name of ['token', 'grant']) if (data[name]) secrets.push(String(data[name]));
    return data as Record<string, string>;
  };
  const code = () => {
    const found = portal.codeFor(ANI);
    secrets.push(`"${found}"`, ` ${found}`);
    return found;
  };
  const person = { name: 'Toko Ani', phone: ANI, password: GOOD_PASSWORD };
  const registering = await say(
    'user_register',
    { ...person, agree: '1', captcha: await portal.solved('user_register') },
    HERS,
  );
  const { challenge } = registering;
  const { token } = await say('user_verify_otp', { challenge, code: code() }, HERS);
  await say('user_reauth', { password: GOOD_PASSWORD }, HERS, token);
  const captcha = await portal.solved('user_login');
  const { phone, password } = person;
  const loggedIn = await say('user_login', { phone, password, captcha }, NEW);
  const inner = (loggedIn['challenge'] as unknown as { challenge: string }).challenge;
  await say('user_verify_otp', { challenge: inner, code: code() }, NEW);
  await ageCodes(sql, 300);
  const solved = await portal.solved('user_forgot_password');
  const forgotten = await say(forgotPassword.name, { phone, captcha: solved }, NEW);
  const entered = { challenge: forgotten['challenge'], code: code() };
  const { grant } = await say(verifyForgot.name, entered, NEW);
  await say(changeForgotten.name, { grant, password: OTHER_PASSWORD }, NEW);
  return secrets;
}

test('stores and logs no credential in readable form', async ({ db, openPeople }) => {
  const portal = await openPeople();
  const secrets = await walk(portal, db.allAccountsSql);
  expect(secrets.length).toBeGreaterThan(10);
  const stored = await dump(db.owner);
  const logged = portal.lines.join('');
  expect(stored).toContain('$argon2id$');
  expect(stored).toContain(ANI);
  expect(portal.lines.length).toBeGreaterThan(6);
  for (const secret of secrets) {
    const hex = Buffer.from(secret).toString('hex');
    expect(logged, secret).not.toContain(secret);
    expect(stored, secret).not.toContain(secret);
    expect(stored, secret).not.toContain(hex);
  }
  expect(logged).not.toContain(ANI);
});

test('accepts no secret in an address', async ({ openPeople }) => {
  const { app } = await openPeople();
  for (const query of ['token=kbs_x', 'otp=123456', 'code=123456', 'grant=x', 'x=1']) {
    for (const method of ['GET', 'POST'] as const) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const payload = method === 'POST' ? 'act=app_config' : undefined;
      const url = `/api?${query}`;
      const response = await app.inject({ method, url, headers, ...(payload && { payload }) });
      expect([response.statusCode, response.json().error.type]).toEqual([400, 'request_malformed']);
    }
  }
});
