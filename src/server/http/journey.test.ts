import { expect } from 'vitest';
import { acts } from '#contract/acts.ts';
import { actHandlers } from '#server/app/acts.ts';
import { codeIn, signedIn, solved, test } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('a visitor registers, reads the code on the phone, and gets an account with a bonus', async ({
  openApp,
}) => {
  const running = await openApp({ works: true });
  const { ask } = running;
  const phone = '081234567890';
  const asked = await ask('user_register', {
    name: 'Toko Ani',
    phone,
    password: 'kuda-besi-di-tepi-sawah',
    agree: '1',
    captcha: await solved(running, 'user_register'),
    key: crypto.randomUUID(),
  });
  expect(asked.status).toBe(200);
  const code = await waitFor(async () => {
    const found = await codeIn(running, phone);
    if (!found) throw new Error('no code yet');
    return found;
  });
  const { challenge } = asked.body.data;
  const signed = await ask('user_verify_otp', { challenge, code, key: crypto.randomUUID() });
  expect(signed.body).toMatchObject({ code: 1, data: { user: { phone: '6281234567890' } } });
  const { token } = signed.body.data;
  const saldo = await ask('saldo_summary', { token });
  expect(saldo.body.data).toMatchObject({ available: 10_000, held: 0 });
  const mutations = await ask('saldo_mutation_list', { token });
  expect(mutations.body.result).toMatchObject({
    data: [{ kind: 'bonus', amount: 10_000, memo: 'Bonus selamat datang' }],
    total_page: 1,
  });
});

test('a linked token sends through the API, and its message is read', async ({ db, openApp }) => {
  const running = await openApp({ works: true });
  const { ask, app } = running;
  const { token } = await signedIn(db, { saldo: 1_000 });
  const made = await ask('token_create', { token, name: 'Toko', channel: 'simulator' });
  const { key, token: sender } = made.body.data;
  const linked = await ask('token_link', { token, token_id: sender.id });
  const data = String(linked.body.data.path).split('/').at(-1);
  const { nonce } = (await ask('scan_consent', { data })).body.data;
  const shown = await ask('scan_get', { data, nonce });
  const scanned = await ask('simulator_scan', {
    phone: '6285711112222',
    text: shown.body.data.qr.text,
  });
  expect(scanned.status).toBe(200);
  await waitFor(async () => {
    expect((await ask('scan_get', { data, nonce })).body.data.state).toBe('connected');
  });

  const authorization = `Bearer ${key}`;
  const accepted = await app.inject({
    method: 'POST',
    url: '/v1/messages',
    headers: { authorization },
    payload: { to: '62800000001', text: { body: 'Halo' } },
  });
  expect(accepted.statusCode).toBe(202);
  const { id } = accepted.json();
  await waitFor(async () => {
    const seen = await ask('message_get', { token, message_id: id });
    expect(seen.body.data.status).toBe('read');
  });
  const balance = await app.inject({ url: '/v1/balance', headers: { authorization } });
  expect(balance.json()).toEqual({ available: 850, held: 0 });

  // The phone's owner was told how to undo the link, and does so.
  await ask('simulator_reply', { phone: '6285711112222', to: '6281100000000', text: 'putus' });
  await waitFor(async () => {
    const parted = await ask('token_get', { token, token_id: sender.id });
    expect(parted.body.data).toMatchObject({ phone: null });
  });
});

test('a top-up is paid by the simulated bank', async ({ db, openApp }) => {
  const running = await openApp();
  const { token } = await signedIn(db);
  const made = await running.ask('topup_create', {
    token,
    amount: 50_000,
    key: crypto.randomUUID(),
  });
  const { total, credited } = made.body.data;
  const paid = await running.ask('simulator_transfer', { amount: total, sender: 'Ani' });
  expect(paid.body.data).toMatchObject({ matched: true });
  const saldo = await running.ask('saldo_summary', { token });
  expect(saldo.body.data.available).toBe(credited);
});

test('an unknown address under /v1 answers in the API’s format', async ({ openApp }) => {
  const { app } = await openApp();
  const answer = await app.inject({ url: '/v1/nowhere' });
  expect(answer.statusCode).toBe(404);
  expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
});

test('a file is served only at its signed address, and nothing in it runs', async ({
  db,
  openApp,
}) => {
  const { app, container } = await openApp();
  const { accountId } = await signedIn(db);
  const bytes = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  );
  const { fileId } = await container.media.files.save({
    accountId,
    bytes,
    name: 'a"b\r\nX: 1.svg',
  });
  const address = container.media.files.link(accountId, fileId);
  const served = await app.inject({ url: address });
  expect(served.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-disposition': expect.stringMatching(
      /^attachment; filename\*=UTF-8''a%22b%0D%0AX%3A%201\.svg$/,
    ),
  });
  const [path = '', key = ''] = address.split('?k=');
  const forged = [
    path,
    `${path}?k=`,
    `${path}?k=${key.slice(0, 60)}${key[60] === 'A' ? 'B' : 'A'}${key.slice(61)}`,
  ];
  for (const url of forged) expect((await app.inject({ url })).statusCode).toBe(404);
});

test('every act of the contract has exactly one handler', async ({ openApp }) => {
  const { container } = await openApp();
  const kept = actHandlers(container).map(({ act }) => act.name);
  expect(kept.toSorted()).toEqual(acts.map(({ name }) => name).toSorted());
});
