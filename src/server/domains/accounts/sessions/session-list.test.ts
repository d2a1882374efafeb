import { expect } from 'vitest';
import { listSessions, revokeSessions } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { publicId } from '#contract/base/ids.ts';
import {
  GOOD_PASSWORD,
  accountsApp,
  ageCodes,
  rejectionOf,
} from '#tests/support/people/accounts-app.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { deviceName, openSessions } from './sessions.ts';
import { agedBy } from '#tests/support/database/changes.ts';
import { changeSessions } from '#tests/support/people/people.ts';

const ANI = '6281234567890';
const agents = {
  desk: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  phone:
    'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36',
  edge: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1',
};
const DESK = { device: 'desk', ip: '203.0.113.7', agent: agents.desk };
const PHONE = { device: 'phone', ip: '198.51.100.9', agent: agents.phone };
const THIRD = { device: 'third', ip: '192.0.2.1', agent: 'curl/8.15' };

async function ani(db: TestDatabase) {
  const app = await accountsApp(db);
  const tokens = [(await app.customer(ANI, DESK)).token];
  for (const place of [PHONE, THIRD]) {
    await ageCodes(db.allAccountsSql, 300);
    tokens.push((await app.signIn(ANI, GOOD_PASSWORD, place)).token);
  }
  const people = await Promise.all(tokens.map(app.callerOf));
  const asker = { ...DESK, caller: await app.callerOf(tokens[0] ?? '') };
  const active = async () =>
    (await Promise.all(tokens.map(app.deps.sessions.find))).map((one) => one !== undefined);
  const ids = people.map(({ sessionId }) => publicId('session', sessionId));
  return { ...app, asker, active, ids };
}

test('names browsers with their common names', () => {
  expect(Object.values(agents).map(deviceName)).toEqual([
    'Firefox di Linux',
    'Chrome di Android',
    'Edge di Windows',
    'Safari di iPhone',
  ]);
  expect(deviceName('curl/8.15')).toBe('Browser lain');
});

test('lists sessions with browser and address, this one first, then by last use', async ({
  db,
}) => {
  const { list, asker } = await ani(db);
  for (const { ip } of [DESK, THIRD]) {
    await changeSessions(db.allAccountsSql, { ip }, { lastUsedAt: agedBy('2 days') });
  }
  expect(await list(listSessions, {}, asker)).toMatchObject([
    { current: true, device: 'Firefox di Linux', ip: DESK.ip },
    { current: false, device: 'Chrome di Android', ip: PHONE.ip },
    { current: false, device: 'Browser lain', ip: THIRD.ip },
  ]);
  await changeSessions(db.allAccountsSql, {}, { lastUsedAt: agedBy('5 days') });
  expect(await list(listSessions, {}, asker)).toMatchObject([{ ip: PHONE.ip }]);
});

test('ends a single session, whose browser then needs a code', async ({ db }) => {
  const app = await ani(db);
  const { perform, asker, active, ids, sent } = app;
  expect(await perform(revokeSessions, { session_id: ids[1] ?? '' }, asker)).toEqual({ ended: 1 });
  expect(await active()).toEqual([true, false, true]);
  expect(await rejectionOf(perform(revokeSessions, { session_id: ids[1] ?? '' }, asker))).toEqual(
    new Refusal('not_found', { what: 'Sesi' }),
  );
  await ageCodes(db.allAccountsSql, 300);
  const sentBefore = sent.length;
  await app.signIn(ANI, GOOD_PASSWORD, THIRD);
  expect(sent).toHaveLength(sentBefore);
  await app.signIn(ANI, GOOD_PASSWORD, PHONE);
  expect(sent.length).toBeGreaterThan(sentBefore);
});

test('ends all others at once and keeps this one', async ({ db }) => {
  const { perform, asker, active } = await ani(db);
  expect(await perform(revokeSessions, { others: '1' }, asker)).toEqual({ ended: 2 });
  expect(await active()).toEqual([true, false, false]);
  expect(await db.allAccountsSql`select count(*) as n from known_devices`).toEqual([{ n: 1 }]);
  expect(await perform(revokeSessions, { others: '1' }, asker)).toEqual({ ended: 0 });
});

test('replaces a previous session of the same browser, which stays known', async ({ db }) => {
  const app = await ani(db);
  const { perform, asker, ids } = app;
  const again = await app.signIn(ANI, GOOD_PASSWORD, DESK);
  const here = { ...asker, caller: await app.callerOf(again.token) };
  await perform(revokeSessions, { session_id: ids[0] ?? '' }, here);
  const sentBefore = app.sent.length;
  await app.signIn(ANI, GOOD_PASSWORD, DESK);
  expect(app.sent).toHaveLength(sentBefore);
});

test('refuses a session that ended here on another node within a second', async ({ db }) => {
  const app = await accountsApp(db);
  let now = 0;
  const there = openSessions(db.allAccountsSql, () => now);
  const { token } = await app.customer(ANI, PHONE);
  await ageCodes(db.allAccountsSql, 300);
  const here = await app.signIn(ANI, GOOD_PASSWORD, DESK);
  const asker = { ...DESK, caller: await app.callerOf(here.token) };
  const stolen = await there.find(token);
  const session_id = publicId('session', stolen?.sessionId ?? '');
  await app.perform(revokeSessions, { session_id }, asker);
  now = 1_000;
  expect(await there.find(token)).toBeUndefined();
  expect(await app.deps.sessions.find(token)).toBeUndefined();
});

test('rejects ending a session of another user, and a request for both or neither', async ({
  db,
}) => {
  const { customer, callerOf, perform, asker, active, ids } = await ani(db);
  const budi = { caller: await callerOf((await customer('6281398765432')).token) };
  expect(await rejectionOf(perform(revokeSessions, { session_id: ids[1] ?? '' }, budi))).toEqual(
    new Refusal('not_found', { what: 'Sesi' }),
  );
  await perform(revokeSessions, { others: '1' }, budi);
  for (const wish of [{}, { session_id: ids[1] ?? '', others: '1' as const }]) {
    expect(await rejectionOf(perform(revokeSessions, wish, asker))).toMatchObject({
      code: 'input_invalid',
    });
  }
  expect(await active()).toEqual([true, true, true]);
});
