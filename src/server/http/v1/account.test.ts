import { PNG } from 'pngjs';
import { decodeQR } from 'qr/decode.js';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { ApiLink, ApiMutation, Me } from '#contract/rest/account.ts';
import { type Caller, callerOf, halo, inEnglish, test } from '#tests/support/app/api-caller.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { changeTokens } from '#tests/support/people/people.ts';

const PHONE = '6281388800014';

test("a key returns its account, its token's state, and its scopes", async ({ ani }) => {
  await ani.call('/v1/messages', { body: halo });
  const { status, body } = await ani.call('/v1/me');
  expect(status).toBe(200);
  expect(Me().parse(body)).toMatchObject({
    account: { id: publicId('account', ani.accountId) },
    token: { id: publicId('token', ani.tokenId), status: 'linked', sent_today: 1, daily_limit: 5 },
    simulated: true,
  });
  expect(body.scopes).toContain('messages.send');
  expect(body.scopes).not.toContain('agent');
  expect(JSON.stringify(body)).not.toContain(ani.key);
});

test('the statement is paged with each entry once, and adds up to the balance', async ({
  running,
  db,
}) => {
  const ani = await callerOf(running, db, { saldo: 10_000 });
  for (let n = 0; n < 5; n++) await ani.call('/v1/messages', { body: halo });
  const seen: ApiMutation[] = [];
  let cursor: number | null = null;
  do {
    const more: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { body } = await ani.call(`/v1/mutations?limit=2${more}`);
    seen.push(...body.data.map((one: unknown) => ApiMutation().parse(one)));
    cursor = body.next_cursor;
  } while (cursor !== null);
  expect(seen.map(({ seq }) => seq)).toEqual([6, 5, 4, 3, 2, 1]);
  const { body: balance } = await ani.call('/v1/balance');
  expect(seen.reduce((sum, { amount }) => sum + amount, 0)).toBe(balance.available);
  expect(seen.reduce((sum, { held }) => sum + held, 0)).toBe(balance.held);
  const { body: bonus } = await ani.call('/v1/mutations?kind=bonus');
  expect(bonus).toMatchObject({ data: [{ kind: 'bonus', amount: 10_000 }], next_cursor: null });
  for (const wrong of ['limit=0', 'limit=101', 'cursor=0', 'cursor=x', 'kind=capture', 'from=1']) {
    const { status } = await ani.call(`/v1/mutations?${wrong}`, { headers: inEnglish });
    expect(status, wrong).toBe(422);
  }
});

test('entries of other accounts are not visible', async ({ running, db, ani }) => {
  const budi = await callerOf(running, db, { saldo: 0 });
  await ani.call('/v1/messages', { body: halo });
  expect((await budi.call('/v1/mutations')).body.data).toEqual([]);
});

const link = async ({ call }: Caller) => {
  const { status, body } = await call('/v1/link', { method: 'POST' });
  expect(status).toBe(200);
  return ApiLink().parse(body);
};

function readPicture(image: string): string {
  const png = Buffer.from(image.replace('data:image/png;base64,', ''), 'base64');
  return decodeQR(PNG.sync.read(png));
}

test('a token is linked by its key alone: the QR as an image, then the progress', async ({
  running,
  db,
}) => {
  const ani = await callerOf(running, db, { linked: false });
  expect((await ani.call('/v1/me')).body.token).toMatchObject({ status: 'unlinked', phone: null });
  const started = await link(ani);
  expect(started).toMatchObject({ state: 'waiting', phone: null });
  expect(readPicture(started.qr?.image ?? '')).toBe(started.qr?.text);
  // Another call returns the same linking.
  expect((await link(ani)).expires_at).toEqual(started.expires_at);
  expect((await ani.call('/v1/me')).body.token.status).toBe('linking');

  const { status } = await running.ask('simulator_scan', { phone: PHONE, text: started.qr?.text });
  expect(status).toBe(200);
  const states = new Set<string>();
  await waitFor(async () => {
    const { state, phone } = await link(ani);
    states.add(state);
    expect({ state, phone }).toEqual({ state: 'connected', phone: PHONE });
  });
  expect(states.has('waiting')).toBe(false);
  // A connected token starts no new linking.
  expect(await link(ani)).toEqual({ state: 'connected', qr: null, phone: PHONE, expires_at: null });
});

test('concurrent calls start one linking, and none fails', async ({ running, db }) => {
  const ani = await callerOf(running, db, { linked: false });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => ani.call('/v1/link', { method: 'POST' })),
  );
  for (const { status } of answers) expect([200, 409]).toContain(status);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  expect((await link(ani)).state).toBe('waiting');
});

test('a linking from the portal shows its QR only in its own browser, not to keys', async ({
  running,
  db,
}) => {
  const ani = await callerOf(running, db, { linked: false });
  await db.allAccountsSql`
    insert into links (account_id, link_id, token_id, nonce_hash, consent_at, expires_at)
    values (${ani.accountId}, gen_random_uuid(), ${ani.tokenId}, 'x', now(), now() + interval '9 minutes')`;
  await link(ani);
  const states = await db.allAccountsSql`
    select by_api, state from links where account_id = ${ani.accountId} order by by_api`;
  expect(states).toEqual([
    { by_api: false, state: 'expired' },
    { by_api: true, state: 'waiting' },
  ]);
});

test('a suspended token is not linked', async ({ running, db }) => {
  const ani = await callerOf(running, db, { linked: false });
  await changeTokens(db.allAccountsSql, ani, { status: 'suspended' });
  const { status, body } = await ani.call('/v1/link', { method: 'POST' });
  expect([status, body.code]).toEqual([423, 'account_suspended']);
});
