import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { pushConfig, registerPush, renewPush, testPush, unregisterPush } from '#contract/push.ts';
import { sweepPush } from './delivery.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { startSession } from '#server/domains/accounts/sessions/sessions.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import { readVapid } from '#server/domains/push/vapid.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type Shopkeeper, test } from '#tests/push/push-app.ts';
import { newReceiver } from '#tests/push/receiver.ts';
import { signedIn } from '#tests/support/app/running-app.ts';
import { changeSessions } from '#tests/support/people/people.ts';
import { ago } from '#tests/support/database/changes.ts';

const browsersOf = async ({ allAccountsSql }: TestDatabase, { userId }: { userId: string }) => {
  const rows = await allAccountsSql<{ token_hash: Buffer }[]>`
    select token_hash from push_subscriptions where user_id = ${userId}
    order by refreshed_at, subscription_id`;
  return rows.map(({ token_hash }) => token_hash.toString('hex'));
};
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

test('gives a browser a token; stores only its hash, and encrypts the rest', async ({
  push,
  db,
}) => {
  const ani = await push.shopkeeper();
  const { token, endpoint, keys } = await push.browser(ani);
  expect(await browsersOf(db, ani)).toEqual([hashOf(token)]);
  const [row] = await db.allAccountsSql<{ dump: string }[]>`
    select row_to_json(p)::text || encode(sealed, 'escape') as dump from push_subscriptions p`;
  for (const secret of [token, endpoint, keys.p256dh, keys.auth]) {
    expect(row?.dump).not.toContain(secret);
  }
});

test('keeps the token of the same subscription; another one gets a new token, and the old one ends', async ({
  push,
  db,
}) => {
  const ani = await push.shopkeeper();
  const first = await push.browser(ani);
  await db.allAccountsSql`
    update push_subscriptions set refreshed_at = statement_timestamp() - interval '6 days'`;
  const again = { ...(await push.registration(first.endpoint, first)), old: first.token };
  expect(await push.perform(registerPush, again, ani.caller)).toEqual({ token: first.token });
  const [age] = await db.allAccountsSql`
    select clock_timestamp() - refreshed_at < interval '1 minute' as young from push_subscriptions`;
  expect(age).toEqual({ young: true });
  const moved = { ...again, endpoint: push.service.subscribe() };
  const { token } = await push.perform(registerPush, moved, ani.caller);
  expect(token).not.toBe(first.token);
  expect(await browsersOf(db, ani)).toEqual([hashOf(token)]);
  await expect(push.perform(testPush, { push_token: first.token }, ani.caller)).rejects.toEqual(
    new Refusal('push_gone', {}),
  );
});

test('allows ten browsers per person, and drops the one not refreshed for longest', async ({
  push,
  db,
}) => {
  const ani = await push.shopkeeper();
  const tokens: string[] = [];
  for (let n = 0; n < 11; n++) tokens.push((await push.browser(ani)).token);
  expect(await browsersOf(db, ani)).toEqual(tokens.slice(1).map(hashOf));
});

test('accepts only known services, our current key, and valid keys', async ({ push }) => {
  const { caller } = await push.shopkeeper();
  const good = await push.registration(push.service.subscribe(), newReceiver());
  const register = (changes: Partial<typeof good>) =>
    push.perform(registerPush, { ...good, ...changes }, caller);
  for (const endpoint of [
    'https://evil.example/wpush/v2/1',
    'http://fcm.googleapis.com/fcm/send/1',
    'https://fcm.googleapis.com.evil.example/1',
    'https://fcm.googleapis.com:8443/1',
    'https://me@fcm.googleapis.com/1',
    'https://push.services.mozilla.com.evil.example/1',
    'https://evilpush.apple.com/1',
    'http://127.0.0.1:1/1',
  ]) {
    await expect(register({ endpoint })).rejects.toEqual(new Refusal('push_service_unknown', {}));
  }
  const stale = await readVapid(push.deps.allAccountsSql, secretsFrom(Buffer.alloc(32, 7)));
  await expect(register({ vapid_key: stale.publicKey })).rejects.toEqual(
    new Refusal('push_key_old', {}),
  );
  const notOnTheCurve = Buffer.alloc(65, 4).toString('base64url');
  for (const wrong of [{ p256dh: notOnTheCurve }, { auth: 'QUJDREVGR0hJSktMTU5PUFE' }]) {
    await expect(register(wrong)).rejects.toMatchObject({ code: 'input_invalid' });
  }
  for (const endpoint of [
    'https://fcm.googleapis.com/fcm/send/1',
    'https://updates.push.services.mozilla.com/wpush/v2/1',
    'https://wns2-by3p.notify.windows.com/w/1',
    'https://web.push.apple.com/1',
  ]) {
    expect(await register({ endpoint })).toMatchObject({ token: expect.any(String) });
  }
});

test('the worker renews with the old token alone, once, while its person is still signed in', async ({
  push,
  db,
}) => {
  const ani = await push.shopkeeper();
  const { token, ...receiver } = await push.browser(ani);
  const request = await push.registration(push.service.subscribe(), receiver);
  const renewed = await push.perform(renewPush, { ...request, old: token });
  expect(await browsersOf(db, ani)).toEqual([hashOf(renewed.token)]);
  await expect(push.perform(renewPush, { ...request, old: token })).rejects.toMatchObject({
    code: 'not_found',
  });
  await changeSessions(db.allAccountsSql, {}, { lastUsedAt: ago('8 days') });
  await expect(push.perform(renewPush, { ...request, old: renewed.token })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('lets a person remove only their own browsers', async ({ push, db }) => {
  const [ani, budi] = [await push.shopkeeper(), await push.shopkeeper()];
  const { token } = await push.browser(ani);
  await push.perform(unregisterPush, { push_token: token }, budi.caller);
  expect(await browsersOf(db, ani)).toHaveLength(1);
  await expect(push.perform(testPush, { push_token: token }, budi.caller)).rejects.toEqual(
    new Refusal('push_gone', {}),
  );
  await push.perform(unregisterPush, { push_token: token }, ani.caller);
  await push.perform(unregisterPush, { push_token: token }, ani.caller);
  expect(await browsersOf(db, ani)).toEqual([]);
});

const signInAt = async (db: TestDatabase, device: string): Promise<Shopkeeper> => {
  const customer = await signedIn(db);
  const { accountId, userId } = customer;
  await db.allAccountsSql.begin((tx) =>
    startSession(tx, { accountId, userId, ip: '203.0.113.7', agent: 'Firefox', device }),
  );
  const [session] = await db.allAccountsSql<{ session_id: string }[]>`
    select session_id from sessions where user_id = ${userId} and session_id <> ${customer.sessionId}`;
  const sessionId = session?.session_id ?? '';
  const caller = {
    kind: 'person',
    accountId,
    userId,
    sessionId,
    role: 'customer',
    operatorRoles: [],
  } as const;
  return { ...customer, sessionId, caller };
};

test('removes a browser with its session, and when another person signs in there or registers it', async ({
  push,
  db,
}) => {
  const ani = await push.shopkeeper();
  const { endpoint } = await push.browser(ani);
  await push.receive(ani);
  const budi = await push.shopkeeper();
  await push.browser(budi, { endpoint });
  expect([await browsersOf(db, ani), await browsersOf(db, budi)]).toMatchObject([
    [],
    { length: 1 },
  ]);
  expect(await db.allAccountsSql`select * from push_queue`).toEqual([]);
  await changeSessions(db.allAccountsSql, budi, { revokedAt: 'now' });
  expect(await browsersOf(db, budi)).toEqual([]);

  const citra = await signInAt(db, 'the shop’s browser');
  await push.browser(citra);
  await signInAt(db, 'another browser');
  expect(await browsersOf(db, citra)).toHaveLength(1);
  await signInAt(db, 'the shop’s browser');
  expect(await browsersOf(db, citra)).toEqual([]);
});

test('sweeps browsers that were not renewed, and those with an ended session', async ({
  push,
  db,
}) => {
  const [ani, budi, citra] = [
    await push.shopkeeper(),
    await push.shopkeeper(),
    await push.shopkeeper(),
  ];
  for (const person of [ani, budi, citra]) await push.browser(person);
  await db.allAccountsSql`
    update push_subscriptions set refreshed_at = statement_timestamp() - interval '9 days'
    where user_id = ${ani.userId}`;
  await changeSessions(db.allAccountsSql, { userId: budi.userId }, { lastUsedAt: ago('8 days') });
  await sweepPush(db.allAccountsSql);
  expect(await Promise.all([ani, budi, citra].map((one) => browsersOf(db, one)))).toMatchObject([
    [],
    [],
    { length: 1 },
  ]);
});

test('creates the key pair once, and another one for another SECRET_KEY', async ({ push, db }) => {
  const { vapid_key } = await push.perform(pushConfig, {});
  expect(Buffer.from(vapid_key, 'base64url')).toHaveLength(65);
  const { secrets } = push.deps;
  const twice = await Promise.all([
    readVapid(db.allAccountsSql, secrets),
    readVapid(db.allAccountsSql, secrets),
  ]);
  expect(twice.map(({ publicKey }) => publicKey)).toEqual([vapid_key, vapid_key]);
  const other = await readVapid(
    db.allAccountsSql,
    secretsFrom(Buffer.alloc(32, 7), { SECRET_KEY: 'another' }),
  );
  expect(other.publicKey).not.toBe(vapid_key);
});
