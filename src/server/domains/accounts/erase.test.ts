import { expect } from 'vitest';
import { eraseAnonymousAudit, openAudit } from '#server/infra/acts.ts';
import { test } from '#tests/support/database/database.ts';
import {
  changeAccounts,
  closeAccount,
  customerWith,
  reservePhone,
} from '#tests/support/people/people.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';

test('rejects erasing any data of an active account', async ({ db }) => {
  const { accountId, userId, phone } = await customerWith(db.allAccountsSql);
  const audit = openAudit(db.allAccountsSql);
  const line = { actor: 'public', act: 'user_login', outcome: 'ok', ip: '203.0.113.9' };
  await audit.write({ ...line, accountId, requestId: 'req_1', facts: {} });
  for (const wish of [
    db.allAccountsSql`select erase_messages(${accountId}, 10)`,
    db.allAccountsSql`select erase_counts(${accountId})`,
    db.allAccountsSql`select erase_payers(${accountId})`,
    db.allAccountsSql`select erase_audit(${accountId}, 10)`,
  ]) {
    await expect(wish).rejects.toMatchObject({ code: '42501' });
  }
  expect([...(await db.allAccountsSql`select close_account(${accountId}) as closed`)]).toEqual([
    { closed: false },
  ]);
  await reservePhone(db.allAccountsSql, { accountId, userId, phone });
  await changeAccounts(db.owner, { accountId }, { isSystem: true });
  await expect(
    db.allAccountsSql`select erase_notices(${[phone]}::text[], 10)`,
  ).rejects.toMatchObject({
    code: '42501',
  });
});

test('keeps the audit entries of a closed account and erases only their addresses', async ({
  db,
}) => {
  const { accountId } = await customerWith(db.allAccountsSql);
  const audit = openAudit(db.allAccountsSql);
  const line = { actor: 'public', act: 'user_login', outcome: 'ok', ip: '203.0.113.9' };
  await audit.write({ ...line, accountId, requestId: 'req_1', facts: { token_id: 'tok_1' } });
  await closeAccount(db.allAccountsSql, accountId);
  await db.allAccountsSql`select erase_audit(${accountId}, 10)`;
  expect([
    ...(await db.allAccountsSql`select act, outcome, request, ip, facts from audit_log`),
  ]).toEqual([{ act: 'user_login', outcome: 'ok', request: 'req_1', ip: '', facts: {} }]);
  for (const harm of [
    db.owner`delete from audit_log`,
    db.owner`update audit_log set outcome = 'ok, really'`,
    db.owner`update audit_log set ip = '203.0.113.1'`,
  ]) {
    await expect(harm).rejects.toThrow('append-only');
  }
});

test('erases addresses of callers who are not signed in after seven days', async ({ db }) => {
  const audit = openAudit(db.allAccountsSql);
  const line = { accountId: undefined, actor: 'public', act: 'user_login', outcome: 'ok' };
  await audit.write({ ...line, ip: '203.0.113.9', requestId: 'req_new', facts: {} });
  await db.allAccountsSql`
    select write_audit(${NOBODY}, uuid_floor(clock_timestamp() - interval '8 days'), 'public',
      'user_login', 'ok', '203.0.113.8', 'req_old', '{}')`;
  await eraseAnonymousAudit(db.allAccountsSql);
  const lines = await db.allAccountsSql`select request, ip from audit_log order by request`;
  expect([...lines]).toEqual([
    { request: 'req_new', ip: '203.0.113.9' },
    { request: 'req_old', ip: '' },
  ]);
});
