import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { messageIdOf, numberIdOf } from '#contract/dialects.ts';
import { scopes } from '#contract/tokens.ts';
import { WebhookEvent, webhookFormats } from '#contract/webhooks.ts';
import { judgeList } from '#server/domains/campaigns/recipients/judge.ts';
import { withKnownPeers } from '#server/domains/campaigns/recipients/store.ts';
import { messageRows } from '#server/domains/messages/messages.ts';
import { formats } from '#server/domains/webhooks/formats.ts';
import { newId } from '#server/infra/ids.ts';
import { csvCell } from '#server/infra/csv.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { type Caller, callerAt } from './support/app/api-caller.ts';
import { ask as askDialect } from './support/app/dialect-caller.ts';
import { type RunningApp, signedIn, test as base } from './support/app/running-app.ts';
import type { TestDatabase } from './support/database/database.ts';
import { changeTokens, keyFor } from './support/people/people.ts';
import { waitFor } from './support/wait-for.ts';

type Shop = Caller & { running: RunningApp; db: TestDatabase; session: string };

const test = base.extend<{ shop: Shop }>({
  shop: async ({ openApp, db }, use) => {
    const running = await openApp({
      works: true,
      env: { RATE_API_PER_SECOND: '100000' },
    });
    const { token, ...customer } = await signedIn(db, { saldo: 9_000_000, dailyLimit: 100_000 });
    await changeTokens(db.allAccountsSql, customer, { scopes: [...scopes] });
    const key = await keyFor(db.allAccountsSql, customer);
    const call: Caller['call'] = (path, options = {}) =>
      callerAt(running)(path, {
        ...options,
        headers: { authorization: `Bearer ${key}`, ...options.headers },
      });
    await use({ ...customer, key, call, running, db, session: token });
  },
});

async function receiveFrom({ running, db, accountId, tokenId }: Shop, peer: string) {
  await running.container.messages.sinks.inbound({
    accountId,
    tokenId,
    from: peer,
    type: 'text',
    body: { text: 'Apakah masih ada?' },
    at: new Date(),
    providerId: randomUUID(),
  });
  const [row] = await db.allAccountsSql<{ id: string }[]>`
    select message_id as id from messages
    where account_id = ${accountId} and peer = ${peer} and direction = 'in'
    order by message_id desc limit 1`;
  return publicId('message', row?.id ?? '');
}

async function receiverOf({ db, accountId }: Shop, id: unknown): Promise<string | undefined> {
  const [row] = await db.allAccountsSql<{ peer: string }[]>`
    select peer from messages
    where account_id = ${accountId} and message_id = ${uuidOf('message', String(id)) ?? null}`;
  return row?.peer;
}

async function portal({ running, session }: Shop, act: string, fields: Record<string, unknown>) {
  const { body } = await running.ask(act, { token: session, key: randomUUID(), ...fields });
  if (body.error) throw new Error(`${act}: ${JSON.stringify(body.error)}`);
  const answer = body.data ?? body.result;
  // A list's rows are in `data`, and those of the history one level deeper.
  return answer?.data ?? answer;
}

async function mcp({ running, key }: Shop, name: string, given: Record<string, unknown>) {
  const answer = await running.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
    },
    payload: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    }),
  });
  const text = /^data: (.*)$/m.exec(answer.body)?.[1] ?? answer.body;
  return JSON.parse(text).result.structuredContent;
}

const wablas = (shop: Shop, path: string, json: object) =>
  askDialect(shop.running, path, { key: shop.key, json });
const cloudPath = ({ tokenId }: Shop) =>
  `/v23.0/${numberIdOf(publicId('token', tokenId))}/messages`;
const halo = { type: 'text', text: { body: 'Halo' } };

/** Every output of the number of a guest with the newest message, by name. */
async function shownIn(shop: Shop, peer: string, id: string): Promise<Map<string, string>> {
  const { accountId, tokenId, db } = shop;
  const shown = new Map<string, string>();
  const events = await waitFor(async () => {
    const { status, body } = await shop.call('/v1/events?limit=100&types=message.received');
    expect(status).toBe(200);
    const found = body.data.filter((one: { data: { id: string } }) => one.data.id === id);
    expect(found).toHaveLength(1);
    return found;
  });
  const event = WebhookEvent().parse(events[0]);
  shown.set('GET /v1/events', events[0].data.peer);
  for (const format of webhookFormats) {
    const body = JSON.parse(
      formats[format].build({
        id: 'whd_1',
        at: new Date(),
        event,
        context: { phone: shop.phone, metadata: {} },
        secrets: ['whsec_x'],
      })?.body ?? 'null',
    );
    const value = body.entry?.[0].changes[0].value;
    const number = value?.contacts[0].wa_id ?? body.data?.peer ?? body.sender;
    shown.set(`webhook ${format}`, format === 'wablas' ? body.phone : number);
  }
  shown.set('GET /v1/messages', (await shop.call('/v1/messages?limit=1')).body.data[0].peer);
  shown.set('GET /v1/messages/{id}', (await shop.call(`/v1/messages/${id}`)).body.peer);
  await shop.call('/v1/opt-outs', { body: { phone: `+${peer}` } });
  const optouts = (await shop.call('/v1/opt-outs')).body.data;
  expect(optouts).toHaveLength(1);
  shown.set('GET /v1/opt-outs', optouts[0].phone);
  const stopped = await portal(shop, 'optout_list', { token_id: publicId('token', tokenId) });
  shown.set('optout_list', stopped[0].peer);
  await shop.call(`/v1/opt-outs?phone=${encodeURIComponent(`+${peer}`)}`, { method: 'DELETE' });
  shown.set('message_list', (await portal(shop, 'message_list', {}))[0].peer);
  shown.set('conversation_list', (await portal(shop, 'conversation_list', {}))[0].peer);
  shown.set('find_messages', (await mcp(shop, 'find_messages', { limit: 1 })).messages[0].peer);
  const sent = await shop.call('/v1/messages', { body: { ...halo, to: `+${peer}` } });
  const report = await askDialect(shop.running, '/api/report/message?perPage=1', {
    key: shop.key,
    method: 'GET',
  });
  shown.set('/api/report/message', report.body.message[0].phone.to);
  const validated = await askDialect(shop.running, '/validate', {
    key: shop.key,
    form: { target: `+${peer}` },
  });
  shown.set('/validate', validated.body.registered[0]);
  const rows = await messageRows.open({
    sql: db.tenantSql,
    accountId,
    params: { message_ids: [uuidOf('message', sent.body.id) ?? ''] },
    requestId: newId(),
    zoneName: 'WIB',
  });
  for await (const batch of rows.batches()) {
    for (const row of batch.rows) {
      shown.set('export XLSX', String(row[2]));
      shown.set('export CSV', csvCell(row[2]));
    }
  }
  expect(shown.has('export CSV')).toBe(true);
  return shown;
}

/** Every input of a number, by name: returns the number that it reached. */
const takenBy: Readonly<
  Record<string, (shop: Shop, number: string, id: string) => Promise<string | undefined>>
> = {
  'POST /v1/messages': async (shop, to) =>
    receiverOf(shop, (await shop.call('/v1/messages', { body: { ...halo, to } })).body.id),
  'POST /v1/messages, many': async (shop, to) => {
    const { body } = await shop.call('/v1/messages', { body: { messages: [{ ...halo, to }] } });
    return receiverOf(shop, body.data[0].id);
  },
  reply_to: async (shop, to, id) => {
    const { body } = await shop.call('/v1/messages', { body: { ...halo, to, reply_to: id } });
    return receiverOf(shop, body.id);
  },
  'GET /v1/messages?peer=': async (shop, number) => {
    const { body } = await shop.call(`/v1/messages?peer=${encodeURIComponent(number)}`);
    return receiverOf(shop, body.data[0]?.id);
  },
  'GET /v1/messages?peer= without %2B': async (shop, number) =>
    receiverOf(shop, (await shop.call(`/v1/messages?peer=${number}`)).body.data[0]?.id),
  'POST and DELETE /v1/opt-outs': async (shop, phone) => {
    await shop.call('/v1/opt-outs', { body: { phone } });
    const [row] = await shop.db.allAccountsSql<{ peer: string }[]>`
      select peer from optouts where account_id = ${shop.accountId}`;
    const found = await shop.call(`/v1/opt-outs?phone=${encodeURIComponent(phone)}`);
    expect(found.body.data).toHaveLength(1);
    const path = `/v1/opt-outs?phone=${encodeURIComponent(phone)}`;
    expect((await shop.call(path, { method: 'DELETE' })).status).toBe(204);
    expect((await shop.call('/v1/opt-outs')).body.data).toEqual([]);
    return row?.peer;
  },
  send_message: async (shop, to) =>
    receiverOf(shop, (await mcp(shop, 'send_message', { to, text: 'Halo' })).id),
  read_conversation: async (shop, peer) =>
    receiverOf(shop, (await mcp(shop, 'read_conversation', { peer })).messages[0]?.id),
  'Cloud to': async (shop, to) => {
    const { body } = await shop.call(cloudPath(shop), {
      body: { messaging_product: 'whatsapp', to, ...halo },
    });
    return receiverOf(shop, messageIdOf(body.messages[0].id));
  },
  'Fonnte target': async (shop, target) => {
    const { body } = await askDialect(shop.running, '/send', {
      key: shop.key,
      form: { target: `${target}|Ani,${target}`, message: 'Halo' },
    });
    expect(await receiverOf(shop, body.id[1])).toBe(await receiverOf(shop, body.id[0]));
    expect(body.target[0]).toBe(body.target[1]);
    return receiverOf(shop, body.id[0]);
  },
  'Fonnte data and inboxid': async (shop, target, id) => {
    const data = JSON.stringify([{ target, message: 'Halo', inboxid: id }]);
    const { body } = await askDialect(shop.running, '/send', { key: shop.key, form: { data } });
    return receiverOf(shop, body.id[0]);
  },
  'Wablas phone': async (shop, phone) => {
    const { body } = await wablas(shop, '/api/send-message', { phone, message: 'Halo' });
    return receiverOf(shop, publicId('message', body.data.messages[0].id));
  },
  'Wablas data': async (shop, phone) => {
    const { body } = await wablas(shop, '/api/v2/send-message', {
      data: [{ phone, message: 'Halo' }],
    });
    return receiverOf(shop, publicId('message', body.data.messages[0].id));
  },
  'Wablas report': async (shop, phone) => {
    const path = `/api/report/message?perPage=1&phone=${encodeURIComponent(phone)}`;
    const { body } = await askDialect(shop.running, path, { key: shop.key, method: 'GET' });
    return receiverOf(shop, publicId('message', body.message[0].id));
  },
  message_send: async (shop, to) => {
    const token_id = publicId('token', shop.tokenId);
    const { id } = await portal(shop, 'message_send', { token_id, to, text: 'Halo' });
    return receiverOf(shop, id);
  },
  conversation_get: async (shop, peer) =>
    (await portal(shop, 'conversation_get', { token_id: publicId('token', shop.tokenId), peer }))
      ?.peer,
  'message_list, search': async (shop, q) => {
    const rows = await portal(shop, 'message_list', { q });
    const peers = new Set<string>(rows.map(({ peer }: { peer: string }) => peer));
    // A typed search may also mean the Indonesian number.
    peers.delete(`62${q}`);
    return [...peers].join(' ');
  },
  'list of a campaign': async (shop, number) => {
    const list = await judgeList([
      ['Nomor', 'Nama'],
      [number, 'Budi'],
    ]);
    if (typeof list === 'string') throw new Error(list);
    const [one] = await asAccount(shop.db.tenantSql, shop.accountId, (tx) =>
      withKnownPeers(tx, shop.accountId, list.recipients),
    );
    return one?.peer ?? undefined;
  },
};

/** Numbers abroad, most with a country code that begins with 8, and some Indonesian ones. */
const numbers = fc
  .tuple(
    fc.constantFrom('852', '81', '84', '86', '886', '855', '880', '853', '850', '1', '44', '628'),
    fc.stringMatching(/^[1-9][0-9]{7}$/),
  )
  .map(([country, rest]) => `${country}${rest}`);

test('every shown number reaches the same phone in every input', async ({ shop }) => {
  await fc.assert(
    fc.asyncProperty(numbers, fc.boolean(), async (peer, isTwinKnown) => {
      // The Indonesian number that the bare digits also mean.
      if (isTwinKnown && peer.startsWith('8')) await receiveFrom(shop, `62${peer}`);
      const id = await receiveFrom(shop, peer);
      const shown = await shownIn(shop, peer, id);
      for (const [place, number] of shown) {
        expect(number.replace(/^'?\+/, ''), place).toBe(peer);
      }
      for (const number of new Set(shown.values())) {
        for (const [name, take] of Object.entries(takenBy)) {
          expect(await take(shop, number, id), `${number} given to ${name}`).toBe(peer);
        }
      }
    }),
    { numRuns: 5, endOnFailure: true },
  );
});

test('shows numbers that begin with 8 with a plus, except in the Cloud dialect', async ({
  shop,
}) => {
  const id = await receiveFrom(shop, '85291234567');
  const shown = await shownIn(shop, '85291234567', id);
  const bare = [...shown].filter(([, number]) => !number.includes('+')).map(([place]) => place);
  // The portal formats stored numbers, and Meta's programs expect digits.
  expect(bare).toEqual(['webhook cloud', 'optout_list', 'message_list', 'conversation_list']);
});

test('reads bare digits unknown to the account by the specified normalisation', async ({
  shop,
}) => {
  const reached = new Map<string, string | undefined>();
  for (const [name, take] of Object.entries(takenBy)) {
    if (/GET|Cloud|report|conversation|search|reply_to|inboxid/.test(name)) continue;
    reached.set(name, await take(shop, '85291234567', ''));
  }
  expect(Object.fromEntries(reached)).toEqual(
    Object.fromEntries([...reached.keys()].map((name) => [name, '6285291234567'])),
  );
  // Meta's programs write digits with the country code.
  expect(await takenBy['Cloud to']?.(shop, '85291234567', '')).toBe('85291234567');
});

test('reads a plus or 00 as international, and whole spreadsheet numbers as meant, everywhere', async ({
  shop,
}) => {
  const written: Readonly<Record<string, string>> = {
    '+85291234567': '85291234567',
    '0085291234567': '85291234567',
    '6281234567890.0': '6281234567890',
    '6281234567890.00': '6281234567890',
    '6281234567890.000': '6281234567890',
    '6.281234567890E+12': '6281234567890',
    '0812\u22123456\u22127890': '6281234567890',
    '\u202A+62\u00A0812\u20113456\u20117890\u202C': '6281234567890',
    '\u2068\u200E0812\u200B3456\u00AD7890\u2069': '6281234567890',
    '\uFF10\uFF18\uFF11\uFF12\uFF13\uFF14\uFF15\uFF16\uFF17\uFF18\uFF19\uFF10': '6281234567890',
  };
  await receiveFrom(shop, '85291234567');
  const id = await receiveFrom(shop, '6281234567890');
  await shop.call('/v1/messages', { body: { ...halo, to: '+85291234567' } });
  await shop.call('/v1/messages', { body: { ...halo, to: '+6281234567890' } });
  await waitFor(async () =>
    expect((await portal(shop, 'conversation_list', {})).length).toBeGreaterThan(1),
  );
  for (const [number, peer] of Object.entries(written)) {
    for (const [name, take] of Object.entries(takenBy)) {
      if (peer === '85291234567' && /reply_to|inboxid/.test(name)) continue;
      if (name === 'GET /v1/messages?peer= without %2B') continue;
      expect(await take(shop, number, id), `${number} given to ${name}`).toBe(peer);
    }
  }
});

test.for(['6281234567890.5', '6.28123E+12', '62812345.000'])(
  'refuses %s, whose digits are ambiguous, everywhere',
  async (number, { shop }) => {
    const { db, accountId } = shop;
    for (const [name, take] of Object.entries(takenBy)) {
      if (name === 'message_list, search') continue;
      await take(shop, number, '').catch(() => undefined);
      const [sent] = await db.allAccountsSql`
        select peer from messages where account_id = ${accountId}`;
      const [stopped] = await db.allAccountsSql`
        select peer from optouts where account_id = ${accountId}`;
      expect([sent, stopped], name).toEqual([undefined, undefined]);
    }
  },
);

const repeated: Readonly<Record<string, (shop: Shop, number: string) => Promise<unknown>>> = {
  '/v1/messages': async (shop, to) => {
    const headers = { 'idempotency-key': 'k-v1' };
    return (await shop.call('/v1/messages', { body: { ...halo, to }, headers })).body.id;
  },
  '/send': async ({ running, key }, target) => {
    const form = { target: `${target}|Ani,081234567890`, message: 'Halo' };
    const headers = { 'idempotency-key': 'k-fonnte' };
    return (await askDialect(running, '/send', { key, form, headers })).body.id;
  },
  '/send with a delay': async ({ running, key }, target) => {
    const form = { target: `${target},081234567890`, message: 'Halo', delay: '1-9' };
    const headers = { 'idempotency-key': 'k-delay' };
    return (await askDialect(running, '/send', { key, form, headers })).body.id;
  },
  '/send with data': async ({ running, key }, target) => {
    const form = { data: JSON.stringify([{ target, message: 'Halo' }]) };
    const headers = { 'idempotency-key': 'k-data' };
    return (await askDialect(running, '/send', { key, form, headers })).body.id;
  },
  '/send with a file': async ({ running, key }, target) => {
    const multipart = new FormData();
    multipart.append('target', target);
    multipart.append('file', new File(['Nota'], 'nota.txt', { type: 'text/plain' }));
    const headers = { 'idempotency-key': 'k-file' };
    return (await askDialect(running, '/send', { key, multipart, headers })).body.id;
  },
  '/api/send-message': async ({ running, key }, phone) => {
    const form = { phone: `081234567890,${phone}`, message: 'Halo' };
    const headers = { 'idempotency-key': 'k-wablas' };
    const { body } = await askDialect(running, '/api/send-message', { key, form, headers });
    return body.data?.messages.map(({ id }: { id: string }) => id);
  },
  '/api/v2/send-message': async ({ running, key }, phone) => {
    const json = { data: [{ phone, message: 'Halo' }] };
    const headers = { 'idempotency-key': 'k-many' };
    const { body } = await askDialect(running, '/api/v2/send-message', { key, json, headers });
    return body.data?.messages.map(({ id }: { id: string }) => id);
  },
};

test('repeats get their first answer although the account has since learned the number', async ({
  shop,
}) => {
  const first = new Map<string, unknown>();
  for (const [name, send] of Object.entries(repeated)) {
    first.set(name, await send(shop, '85291234567'));
    expect(first.get(name), name).toBeDefined();
  }
  await receiveFrom(shop, '85291234567');
  for (const [name, send] of Object.entries(repeated)) {
    expect(await send(shop, '85291234567'), name).toEqual(first.get(name));
    expect(await send(shop, '85291234568'), name).toBeUndefined();
  }
});

test('restores each plus of a list that was written without %2B', async ({ shop }) => {
  const { key, running } = shop;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const sentBy = async (path: string, payload: string) => {
    const before = await shop.db.allAccountsSql`select message_id from messages`;
    await askDialect(running, path, { key, json: payload, headers: form });
    const rows = await shop.db.allAccountsSql<{ peer: string }[]>`
      select peer from messages
      where message_id <> all (${before.map(({ message_id: id }) => id)}::uuid[])
      order by message_id`;
    return rows.map(({ peer }) => peer);
  };
  const foreign = ['85291234567', '8190123456789', '6281234567890'];
  const list = foreign.map((number) => `+${number}`);
  for (const [path, name] of [
    ['/send', 'target'],
    ['/api/send-message', 'phone'],
  ] as const) {
    expect(await sentBy(path, `${name}=${list.join(',')}&message=Halo`)).toEqual(foreign);
    expect(await sentBy(path, `${name}=${list.join(',+')}&message=Halo`)).toEqual(foreign);
    expect(await sentBy(path, `${name}=0812-3456-7890,++85291234567&message=Halo`)).toEqual([
      '6281234567890',
      '85291234567',
    ]);
    // A space after a comma is visual if the first number has none.
    expect(await sentBy(path, `${name}=081234567890,+81345678901&message=Halo`)).toEqual([
      '6281234567890',
      '6281345678901',
    ]);
  }
  const data =
    '[{"target":"+85291234567","message":"a"},{"target": "+8190123456789,+85291234567","message":"b"}]';
  expect(await sentBy('/send', `data=${data}`)).toEqual([
    '85291234567',
    '8190123456789',
    '85291234567',
  ]);
});
