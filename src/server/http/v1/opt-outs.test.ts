import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { receiveInbound } from '#server/domains/messages/dispatch/inbound.ts';
import { newId } from '#server/infra/ids.ts';
import { type Caller, callerOf, halo, inEnglish, test } from '#tests/support/app/api-caller.ts';
import { signedIn } from '#tests/support/app/running-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';

const PEER = '6281234567890';

const write = (db: TestDatabase, { accountId, tokenId }: Caller, text: string) =>
  receiveInbound(db.allAccountsSql, {
    accountId,
    tokenId,
    from: PEER,
    type: 'text',
    body: { text },
    at: new Date(),
    providerId: newId(),
  });

const announced = (db: TestDatabase, { accountId }: Pick<Caller, 'accountId'>) => db.allAccountsSql<
  { data: { source: string } }[]
>`
  select data from outbox where account_id = ${accountId} and kind = 'optout.added' order by at`;

test('a number opted out through the API gets nothing until it is opted in again', async ({
  ani,
  db,
}) => {
  const stop = () =>
    ani.call('/v1/opt-outs', { body: { phone: '0812-3456-7890', reason: 'Diminta di kasir' } });
  const stopped = await stop();
  expect(stopped).toMatchObject({
    status: 201,
    body: { phone: PEER, source: 'api', reason: 'Diminta di kasir' },
  });
  // A repeat changes nothing, and no second event is published.
  expect((await stop()).body).toEqual(stopped.body);
  expect(await announced(db, ani)).toEqual([
    { data: { token_id: publicId('token', ani.tokenId), peer: PEER, source: 'api' } },
  ]);
  const refused = await ani.call('/v1/messages', { body: halo });
  expect([refused.status, refused.body.code]).toEqual([409, 'recipient_opted_out']);
  const remove = () => ani.call(`/v1/opt-outs?phone=${PEER}`, { method: 'DELETE' });
  expect(await remove()).toMatchObject({ status: 204, text: '' });
  expect((await remove()).status).toBe(204);
  expect((await ani.call('/v1/messages', { body: halo })).status).toBe(202);
});

test('messages scheduled for a number are cancelled when it is opted out', async ({ ani }) => {
  const send_at = new Date(Date.now() + 86_400_000).toISOString();
  const { body: planned } = await ani.call('/v1/messages', { body: { ...halo, send_at } });
  expect(planned.status).toBe('scheduled');
  // The same number in another notation.
  await ani.call('/v1/opt-outs', { body: { phone: `+62 (0)${PEER.slice(2)}` } });
  expect((await ani.call(`/v1/messages/${planned.id}`)).body.status).toBe('cancelled');
});

test('a STOP reply is listed like other opt-outs, until the person opts in again', async ({
  ani,
  db,
}) => {
  await write(db, ani, 'Stop');
  const { body } = await ani.call('/v1/opt-outs');
  expect(body.data).toMatchObject([{ phone: PEER, source: 'reply', reason: null }]);
  await write(db, ani, 'mulai');
  expect((await ani.call('/v1/opt-outs')).body.data).toEqual([]);
  await write(db, ani, 'BERHENTI');
  expect(await announced(db, ani)).toHaveLength(2);
});

test('a person in the portal opts a number out, with a reason, and in again', async ({
  db,
  running,
}) => {
  const ani = await signedIn(db, { saldo: 1_000 });
  const { token } = ani;
  const which = { token, token_id: publicId('token', ani.tokenId), peer: '0812-3456-7890' };
  const add = () =>
    running.ask('optout_add', { ...which, reason: 'Lewat telepon', key: randomUUID() });
  expect((await add()).body.data).toMatchObject({
    peer: PEER,
    source: 'portal',
    reason: 'Lewat telepon',
  });
  const listed = await running.ask('optout_list', which);
  expect(listed.body.result).toMatchObject({ data: [{ peer: PEER }], total: 1 });
  const { peer: to, ...rest } = which;
  const send = () => running.ask('message_send', { ...rest, to, text: 'Hai', key: randomUUID() });
  expect((await send()).body.error.type).toBe('recipient_opted_out');
  expect((await announced(db, ani)).map(({ data }) => data.source)).toEqual(['portal']);
  const remove = () => running.ask('optout_remove', { ...which, key: randomUUID() });
  expect((await remove()).body.data).toEqual({ removed: true });
  expect((await remove()).body.data).toEqual({ removed: false });
  expect((await send()).body.code).toBe(1);
});

test("another account's opt-outs can neither be changed nor read", async ({ db, running }) => {
  const { token } = await signedIn(db);
  const budi = await signedIn(db);
  const which = { token, token_id: publicId('token', budi.tokenId), peer: '0812-3456-7890' };
  for (const [act, more] of [
    ['optout_list', {}],
    ['optout_add', { reason: 'x', key: randomUUID() }],
    ['optout_remove', { key: randomUUID() }],
  ] as const) {
    expect((await running.ask(act, { ...which, ...more })).body.error.type, act).toBe('not_found');
  }
});

test('the portal pages opt-outs from 1, with their total', async ({ db, running }) => {
  const ani = await signedIn(db);
  await db.owner`
    insert into optouts (account_id, token_id, peer, source, created_at)
    select ${ani.accountId}, ${ani.tokenId}, '62812000000' || lpad(n::text, 2, '0'), 'api',
      now() - n * interval '1 minute'
    from generate_series(1, 12) as n`;
  const which = { token: ani.token, token_id: publicId('token', ani.tokenId) };
  const page = async (number: string) =>
    (await running.ask('optout_list', { ...which, page: number, start: number })).body.result;
  const [first, second, third] = [await page('1'), await page('2'), await page('3')];
  expect([first.total, second.total, third.total]).toEqual([12, 12, 12]);
  const peers = [...first.data, ...second.data].map(({ peer }: { peer: string }) => peer);
  expect(peers).toEqual(
    Array.from({ length: 12 }, (_, n) => `62812000000${String(n + 1).padStart(2, '0')}`),
  );
  expect(third.data).toEqual([]);
});

test('opt-outs are paged by number, each once, and one can be looked up', async ({ ani }) => {
  const phones = Array.from({ length: 5 }, (_, n) => `628120000009${n}`);
  for (const phone of phones.toReversed()) await ani.call('/v1/opt-outs', { body: { phone } });
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const more: string = cursor && `&cursor=${cursor}`;
    const { body } = await ani.call(`/v1/opt-outs?limit=2${more}`);
    seen.push(...body.data.map(({ phone }: { phone: string }) => phone));
    cursor = body.next_cursor;
  }
  expect(seen).toEqual(phones);
  const one = await ani.call('/v1/opt-outs?phone=0812-0000-0093');
  expect(one.body.data.map(({ phone }: { phone: string }) => phone)).toEqual(['6281200000093']);
});

test('opt-outs of another token are neither seen nor removed', async ({ running, db, ani }) => {
  const budi = await callerOf(running, db);
  await ani.call('/v1/opt-outs', { body: { phone: PEER } });
  expect((await budi.call('/v1/opt-outs')).body.data).toEqual([]);
  await budi.call(`/v1/opt-outs?phone=${PEER}`, { method: 'DELETE' });
  expect((await ani.call('/v1/opt-outs')).body.data).toHaveLength(1);
});

test('an invalid number is refused by its field', async ({ ani }) => {
  const headers = inEnglish;
  for (const answer of [
    await ani.call('/v1/opt-outs', { headers, body: { phone: 'x' } }),
    await ani.call('/v1/opt-outs', { headers, body: { phone: PEER, reason: '' } }),
    await ani.call('/v1/opt-outs', { headers, body: { phone: PEER, source: 'reply' } }),
    await ani.call('/v1/opt-outs', { headers, method: 'DELETE' }),
    await ani.call('/v1/opt-outs?phone=0', { headers, method: 'DELETE' }),
    await ani.call('/v1/opt-outs?cursor=a', { headers }),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([422, 'input_invalid']);
  }
});
