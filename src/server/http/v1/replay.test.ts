import { expect } from 'vitest';
import { type Caller, callerOf, test } from '#tests/support/app/api-caller.ts';
import { signedIn } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const halo = { to: '62800000001', text: { body: 'Halo' } };
const at = (ms: number) => new Date(Date.now() + ms).toISOString();

const read = (ani: Caller, id: string) =>
  waitFor(async () => {
    expect((await ani.call(`/v1/messages/${id}`)).body.status).toBe('read');
  });

test('a repeat gets exactly the first answer, also for a scheduled message that was read since', async ({
  db,
  openApp,
}) => {
  const container = await openApp({ works: true });
  const ani = await callerOf(container, db, { saldo: 1000 });
  const sending = {
    body: { ...halo, ref: 'r-1', send_at: at(1500) },
    headers: { 'idempotency-key': 'k' },
  };
  const first = await ani.call('/v1/messages', sending);
  expect(first).toMatchObject({ status: 202, body: { status: 'scheduled', saldo: 850 } });
  await read(ani, first.body.id);
  await ani.call('/v1/messages', { body: halo });

  const again = await ani.call('/v1/messages', sending);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect([again.status, again.text]).toEqual([first.status, first.text]);
  expect(again.headers['content-type']).toBe(first.headers['content-type']);
  expect(again.headers['content-length']).toBe(first.headers['content-length']);
});

test('refused items are repeated as well, with their sentences, language and numbers', async ({
  ani,
}) => {
  const messages = [
    halo,
    { to: 'bukan nomor', text: { body: 'x' } },
    { ...halo, ref: 'sama' },
    { ...halo, ref: 'sama', text: { body: 'Lain' } },
    ...Array.from({ length: 5 }, () => halo),
  ];
  const headers = { 'idempotency-key': 'k', 'accept-language': 'en' };
  const first = await ani.call('/v1/messages', { body: { messages }, headers });
  expect(first).toMatchObject({ status: 202, body: { accepted: 5, refused: 4, saldo: 250 } });
  const codes = first.body.data.map((one: { error?: { code: string } }) => one.error?.code);
  expect(codes).toEqual([
    undefined,
    'input_invalid',
    undefined,
    'ref_conflict',
    undefined,
    undefined,
    undefined,
    'token_limit_reached',
    'token_limit_reached',
  ]);
  await ani.call(`/v1/messages/${first.body.data[0].id}/cancel`, { body: {} });

  for (const language of ['en', 'id']) {
    const again = await ani.call('/v1/messages', {
      body: { messages },
      headers: { ...headers, 'accept-language': language },
    });
    expect([again.status, again.text]).toEqual([202, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
  }
  // Other refusals make a different request; one message differs from a list of one.
  const other = messages.with(1, { to: '62800000001', text: { body: '' } });
  for (const body of [{ messages: other }, messages[0]]) {
    const no = await ani.call('/v1/messages', { body, headers });
    expect(no).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
  }
});

test('one message and a list of that one are different requests', async ({ ani }) => {
  const headers = { 'idempotency-key': 'k' };
  const first = await ani.call('/v1/messages', { body: halo, headers });
  const list = await ani.call('/v1/messages', { body: { messages: [halo] }, headers });
  expect(list).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
  const again = await ani.call('/v1/messages', { body: halo, headers });
  expect(again.text).toBe(first.text);
});

test('an answer that named an earlier message is repeated with its original saldo', async ({
  ani,
}) => {
  const body = { ...halo, ref: 'pesanan-1' };
  await ani.call('/v1/messages', { body });
  const sending = { body, headers: { 'idempotency-key': 'k' } };
  const first = await ani.call('/v1/messages', sending);
  expect(first).toMatchObject({ status: 202, body: { duplicate: true, saldo: 850 } });
  await ani.call('/v1/messages', { body: halo });
  const again = await ani.call('/v1/messages', sending);
  expect(again.text).toBe(first.text);
  expect(again.headers['idempotent-replayed']).toBe('true');
});

test('many concurrent calls with one key all get the same bytes', async ({ ani }) => {
  const sending = { body: { ...halo, send_at: at(60_000) }, headers: { 'idempotency-key': 'k' } };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => ani.call('/v1/messages', sending)),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers['idempotent-replayed'] !== 'true')).toHaveLength(
    1,
  );
});

test('a browser’s repeated text gets the same answer, also once it is read', async ({
  db,
  openApp,
}) => {
  const container = await openApp({ works: true });
  const ani = await signedIn(db, { saldo: 1000 });
  const [token] = (await container.ask('token_list', { token: ani.token })).body.result.data;
  const wish = { token: ani.token, key: crypto.randomUUID(), token_id: token.id };
  const send = () => container.ask('message_send', { ...wish, to: halo.to, text: 'Halo' });
  const first = await send();
  expect(first.body).toMatchObject({ code: 1, data: { status: 'queued' } });
  await waitFor(async () => {
    const { body } = await container.ask('message_get', {
      token: ani.token,
      message_id: first.body.data.id,
    });
    expect(body.data.status).toBe('read');
  });
  expect((await send()).body).toEqual(first.body);
});
