import { describe, expect } from 'vitest';
import type { Sql } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { test } from '#tests/support/database/database.ts';
import { changeAccounts, changeSessions, customerWith } from '#tests/support/people/people.ts';
import { findSession, openSessions, startSession } from './sessions.ts';
import { agedBy } from '#tests/support/database/changes.ts';

async function someone(sql: Sql) {
  const { accountId, userId } = await customerWith(sql);
  const begin = () =>
    sql.begin((tx) =>
      startSession(tx, { accountId, userId, ip: '203.0.113.7', agent: 'Firefox', device: 'hers' }),
    );
  return { accountId, userId, begin };
}

const age = (sql: Sql, field: 'createdAt' | 'lastUsedAt', interval: string) =>
  changeSessions(sql, {}, { [field]: agedBy(interval) });

describe('a session', () => {
  test('is found by its token, of which the database stores only the hash', async ({ sql }) => {
    const { accountId, userId, begin } = await someone(sql);
    const token = await begin();
    expect(await findSession(sql, token)).toMatchObject({ kind: 'person', accountId, userId });
    const stored = (await sql`select encode(token_hash, 'escape') as h, * from sessions`)[0];
    expect(JSON.stringify(stored)).not.toContain(token.slice(4));
  });

  test('ends after seven days without use, and not before', async ({ sql }) => {
    const token = await (await someone(sql)).begin();
    await age(sql, 'lastUsedAt', '6 days 23 hours');
    expect(await findSession(sql, token)).toBeDefined();
    await age(sql, 'lastUsedAt', '7 days');
    expect(await findSession(sql, token)).toBeUndefined();
  });

  test('ends after thirty days even with use', async ({ sql }) => {
    const token = await (await someone(sql)).begin();
    await age(sql, 'createdAt', '29 days 23 hours');
    expect(await findSession(sql, token)).toBeDefined();
    await age(sql, 'createdAt', '1 hour');
    expect(await findSession(sql, token)).toBeUndefined();
  });

  test('records its use once a minute at most', async ({ sql }) => {
    const token = await (await someone(sql)).begin();
    const used = async () => (await sql`select last_used_at from sessions`)[0]?.['last_used_at'];
    const first = await used();
    await findSession(sql, token);
    expect(await used()).toEqual(first);
    await age(sql, 'lastUsedAt', '61 seconds');
    const aged = await used();
    await findSession(sql, token);
    expect(Number(await used())).toBeGreaterThan(Number(aged) + 60_000);
  });

  test('reports a suspended account, and does not exist for a closed one', async ({ sql }) => {
    const token = await (await someone(sql)).begin();
    expect(await findSession(sql, token)).not.toHaveProperty('isSuspended');
    await changeAccounts(sql, {}, { status: 'suspended' });
    expect(await findSession(sql, token)).toMatchObject({ isSuspended: true });
    await changeAccounts(sql, {}, { status: 'closed' });
    expect(await findSession(sql, token)).toBeUndefined();
  });

  test('is found by its whole token only', async ({ sql }) => {
    const token = await (await someone(sql)).begin();
    for (const other of [
      '',
      'kbs_',
      token.slice(0, -1),
      `${token}A`,
      token.toLowerCase(),
      'kbr_live_x',
    ]) {
      expect(await findSession(sql, other)).toBeUndefined();
    }
  });

  test('replaces the oldest when it is the eleventh', async ({ sql }) => {
    const { begin } = await someone(sql);
    const tokens: string[] = [];
    for (let times = 0; times < 11; times++) tokens.push(await begin());
    const found = await Promise.all(tokens.map((token) => findSession(sql, token)));
    expect(found.map((person) => person !== undefined)).toEqual([
      false,
      ...Array.from({ length: 10 }, () => true),
    ]);
  });
});

describe('the cache of a node', () => {
  test('refuses a session that ended on another node within a second', async ({ sql }) => {
    let now = 0;
    const here = openSessions(sql, () => now);
    const there = openSessions(sql, () => now);
    const token = await (await someone(sql)).begin();
    const person = await here.find(token);
    if (!person) throw new Error('no session');
    await there.end(person.sessionId);
    expect(await there.find(token)).toBeUndefined();
    now = 1_000;
    expect(await here.find(token)).toBeUndefined();
  });

  test('refuses a session that ended here at once', async ({ sql }) => {
    const sessions = openSessions(sql, () => 0);
    const token = await (await someone(sql)).begin();
    const person = await sessions.find(token);
    await sessions.end(person?.sessionId ?? '');
    expect(await sessions.find(token)).toBeUndefined();
  });

  test('shares one query between many calls within a second', async ({ sql }) => {
    let now = 0;
    const sessions = openSessions(sql, () => now);
    const token = await (await someone(sql)).begin();
    const first = await sessions.find(token);
    await sql`delete from sessions`;
    now = 899;
    expect(await sessions.find(token)).toBe(first);
    now = 901;
    expect(await sessions.find(token)).toBeUndefined();
  });

  test('finds a token that was unknown as soon as it exists', async ({ sql }) => {
    const sessions = openSessions(sql, () => 0);
    const { begin } = await someone(sql);
    const token = await begin();
    const [row] = await sql`
      with gone as (delete from sessions returning *) select to_jsonb(gone) as session from gone`;
    expect(await sessions.find(token)).toBeUndefined();
    await sql`
      insert into sessions
      select * from jsonb_populate_record(null::sessions, ${json(row?.['session'])}::jsonb)`;
    expect(await sessions.find(token)).toBeDefined();
  });

  test('does not cache errors of the database', async ({ db, sql }) => {
    const sessions = openSessions(sql, () => 0);
    const token = await (await someone(sql)).begin();
    await db.owner`alter table sessions rename to gone`;
    await expect(sessions.find(token)).rejects.toThrow('sessions');
    await db.owner`alter table gone rename to sessions`;
    expect(await sessions.find(token)).toBeDefined();
  });
});
