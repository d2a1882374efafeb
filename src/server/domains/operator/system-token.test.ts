import { expect } from 'vitest';
import { scanQr, connectLink, systemTokenState } from '#server/domains/tokens/tokens.ts';
import { consentScan, getScan } from '#contract/scan.ts';
import { signedIn, test as base, type RunningApp } from '#tests/support/app/running-app.ts';
import { ageReauth } from '#tests/support/people/accounts-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { storeMessages } from '#tests/support/people/stored-messages.ts';
import { makeOperators } from '#tests/support/people/people.ts';

async function adminOf(db: TestDatabase, { ask }: RunningApp) {
  const { token, accountId } = await signedIn(db);
  await makeOperators(db.allAccountsSql, { accountId });
  return async (act: string, fields: object = {}) => {
    const { body } = await ask(act, { token, key: crypto.randomUUID(), ...fields });
    return body.code === 1 ? body.data : body.error.type;
  };
}

const test = base.extend<{ running: RunningApp }>({
  running: async ({ openApp }, use) => use(await openApp({ works: true })),
});

test('unlinks the installation’s token, and links it again by the QR code of its page', async ({
  db,
  running,
}) => {
  const { container, ask } = running;
  const { allAccountsSql } = db;
  const admin = await adminOf(db, running);
  expect(await admin('operator_system_token_get')).toMatchObject({
    status: 'linked',
    phone: '+62 811-••••-0000',
    codes: { asked: 0, entered: 0, fullest: 0, cap: 2_000 },
  });
  expect(await admin('operator_system_token_unlink')).toMatchObject({
    status: 'unlinked',
    phone: null,
  });
  expect(await systemTokenState(allAccountsSql)).toMatchObject({ isConnected: false });
  expect(await admin('operator_system_token_test')).toBe('system_token_parted');
  const { token } = await signedIn(db);
  const asked = await ask('user_delete_ask', { token, key: crypto.randomUUID() });
  expect(asked.body.error.type).toBe('otp_unsendable');
  const { path } = await admin('operator_system_token_link');
  const data = path.replace('/scan/', '');
  const { nonce } = (await ask(consentScan.name, { data, key: crypto.randomUUID() })).body.data;
  const { qr } = (await ask(getScan.name, { data, nonce })).body.data;
  const { secrets, report } = container.infra;
  const { sendSystemText } = container.accounts;
  const connecting = {
    allAccountsSql,
    secrets,
    sendSystemText,
    report,
    subscribers: container.subscribers,
  };
  await connectLink(connecting, await scanQr(connecting, qr.text, '6281155550000'));
  expect(await systemTokenState(allAccountsSql)).toMatchObject({
    isConnected: true,
    phone: '6281155550000',
  });
});

test('sends a test message to the operator’s own number, and the page shows no texts or full numbers', async ({
  db,
  running,
}) => {
  const admin = await adminOf(db, running);
  const { to } = await admin('operator_system_token_test');
  const token = await admin('operator_system_token_get');
  expect(token.own_phone).toBe(to);
  expect(token.last).toEqual([expect.objectContaining({ to })]);
  expect(JSON.stringify(token)).not.toMatch(/62\d{8}|Pesan uji/);
});

test('counts requested and entered codes', async ({ db, running }) => {
  const admin = await adminOf(db, running);
  await db.allAccountsSql`
    insert into limit_counters (scope, subject, window_start, hits) values
      ('otp_total', 'register', clock_timestamp(), 5), ('otp_total', 'login', clock_timestamp(), 2),
      ('otp_entered', 'register', clock_timestamp(), 2), ('otp_entered', 'login', clock_timestamp(), 3),
      ('otp_address_register', '10.0.0.1', clock_timestamp(), 4),
      ('otp_address_login', '10.0.0.2', clock_timestamp(), 3)`;
  expect(await admin('operator_system_token_get')).toMatchObject({
    codes: { asked: 7, entered: 5, fullest: 5, cap: 2_000 },
    address: { asked: 4, cap: 50 },
  });
});

test('counts the token’s messages of today, a read one as delivered and sent too', async ({
  db,
  running,
}) => {
  const admin = await adminOf(db, running);
  const [token] = await db.allAccountsSql<{ accountId: string; tokenId: string }[]>`
    select account_id as "accountId", token_id as "tokenId" from tokens where is_system`;
  const { accountId = '', tokenId = '' } = token ?? {};
  const at = new Date();
  const statuses = ['sent', 'delivered', 'read', 'read', 'failed', 'queued', 'scheduled'] as const;
  const stored = statuses.map((status) => ({ at, tokenId, status }));
  await storeMessages(db.owner, accountId, stored);
  expect(await admin('operator_system_token_get')).toMatchObject({
    today: { waiting: 2, sent: 4, delivered: 3, read: 2, failed: 1, expired: 0 },
  });
});

test('requires the password to unlink or link it', async ({ db, running }) => {
  const admin = await adminOf(db, running);
  await ageReauth(db.allAccountsSql, 301);
  expect(await admin('operator_system_token_unlink')).toBe('reauth_needed');
  expect(await admin('operator_system_token_link')).toBe('reauth_needed');
});

test('moves the installation’s token to another channel, without its number', async ({
  db,
  running,
}) => {
  const admin = await adminOf(db, running);
  expect(await admin('operator_system_token_get')).toMatchObject({
    channel: 'simulator',
    others: ['cloud', 'web'],
  });
  expect(await admin('operator_system_token_move', { channel: 'web' })).toMatchObject({
    channel: 'web',
    status: 'unlinked',
    phone: null,
    others: ['simulator', 'cloud'],
  });
  expect(await systemTokenState(db.allAccountsSql)).toMatchObject({ isConnected: false });
});
