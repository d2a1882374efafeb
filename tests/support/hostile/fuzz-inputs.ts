import type { InjectOptions } from 'fastify';
import { acts } from '#contract/acts.ts';
import type { Act } from '#contract/base/act.ts';
import { businessIdOf, numberIdOf } from '#contract/dialects/cloud.ts';
import { publicId } from '#contract/base/ids.ts';
import { apiEndpoints } from '#contract/rest.ts';
import { UPLOAD_FIELD, UPLOAD_PATH, uploadPurposes } from '#contract/uploads.ts';
import { brokenMultiparts } from './broken-multipart.ts';
import { fileForm } from './file-form.ts';
import { samplesOf } from './hostile-acts.ts';
import type { Hostile } from './hostile-app.ts';
import { oddities, unstorables } from './hostile-strings.ts';

/** A request, and what to call it in a report. */
export type FuzzInput = { way: string; options: InjectOptions };

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Choices that follow from a seed. */
function choicesOf(seed: number, texts: readonly string[]) {
  const random = seededRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const one = <T>(list: readonly T[]): T => {
    const found = list[below(list.length)];
    if (found === undefined) throw new Error('there is nothing to choose from');
    return found;
  };
  const mostly = () => random() < 0.8;
  const text = (): string => {
    const first = one(texts);
    switch (below(6)) {
      case 0:
        return first + one(texts);
      case 1:
        return first.slice(below(first.length), below(first.length) + 200);
      case 2:
        return String.fromCodePoint(
          ...Array.from({ length: 1 + below(12) }, () => below(0x110000)),
        );
      case 3:
        return `${'6281234567890'.slice(0, below(14))}${first}`;
      default:
        return first;
    }
  };
  /** Any value that JSON can carry. */
  const value = (depth = 0): unknown => {
    switch (below(depth > 3 ? 6 : 8)) {
      case 0:
        return null;
      case 1:
        return random() < 0.5;
      case 2:
        return one([0, -0, -1, 1.5, 1e308, 5e-324, 2 ** 53, 2 ** 31, below(1_000)]);
      case 6:
        return Array.from({ length: below(5) }, () => value(depth + 1));
      case 7:
        return Object.fromEntries(
          Array.from({ length: below(5) }, () => [text().slice(0, 100), value(depth + 1)]),
        );
      default:
        return text();
    }
  };
  /** A value with something else in some of its places. */
  const mutated = (given: unknown): unknown => {
    if (random() < 0.15) return value();
    if (typeof given === 'string') return mostly() ? given : given + text();
    if (typeof given !== 'object' || given === null) return given;
    if (Array.isArray(given)) return given.flatMap((inner) => (mostly() ? [mutated(inner)] : []));
    const entries = Object.entries(given).flatMap(([name, inner]) =>
      random() < 0.05 ? [] : [[random() < 0.05 ? text() : name, mutated(inner)] as const],
    );
    if (random() < 0.1) entries.push([text(), value()]);
    return Object.fromEntries(entries);
  };
  return { below, one, mostly, text, value, mutated };
}

type Choices = ReturnType<typeof choicesOf>;

const messages = [
  {
    to: '62800000001',
    type: 'text',
    text: { body: 'Halo' },
    ref: 'r',
    ttl: 3600,
    metadata: { a: 'b' },
  },
  { to: '62800000001', type: 'image', image: { link: 'https://contoh.id/a.png' }, caption: 'Foto' },
  {
    to: '62800000001',
    type: 'location',
    location: { latitude: -6.2, longitude: 106.8, name: 'Toko' },
  },
  { to: '62800000001', type: 'contact', contact: { name: 'Ani', phones: ['081234567890'] } },
  {
    to: '62800000001',
    type: 'template',
    template: { name: 'siap', language: 'id', variables: ['Ani'] },
  },
  { messages: [{ to: '62800000001', text: { body: 'Halo' } }] },
];

const bodies: Readonly<Record<string, readonly object[]>> = {
  '/v1/messages': messages,
  '/v1/templates': [{ name: 'siap', language: 'id', body: 'Halo {{1}}', buttons: ['Ya'] }],
  '/v1/opt-outs': [{ phone: '0812-0000-0077', reason: 'Diminta' }],
  '/v1/webhook': [{ url: 'https://toko.example/a', format: 'cloud', verify_token: 'x' }],
  '/v1/deliveries/replay': [
    { from: '2026-11-21T00:00:00+07:00', to: '2026-11-22T00:00:00+07:00', which: 'parked' },
  ],
};

const cloudBodies = [
  { messaging_product: 'whatsapp', to: '62800000001', type: 'text', text: { body: 'Halo' } },
  {
    messaging_product: 'whatsapp',
    to: '62800000001',
    type: 'image',
    image: { link: 'https://x.example/a.png' },
  },
  {
    messaging_product: 'whatsapp',
    to: '62800000001',
    type: 'interactive',
    interactive: {
      type: 'list',
      body: { text: 'Pilih' },
      action: { button: 'Menu', sections: [{ title: 'A', rows: [{ id: '1', title: 'Satu' }] }] },
    },
  },
  {
    messaging_product: 'whatsapp',
    to: '62800000001',
    type: 'template',
    template: {
      name: 'siap',
      language: { code: 'id' },
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ani' }] }],
    },
  },
  { status: 'read', message_id: 'wamid.AZq1nsk1e6OCsLm1y0PGOg' },
  { override_callback_uri: 'https://x.example/a', verify_token: 'sandi' },
];

const notices = {
  midtrans: {
    order_id: 'TU-1',
    transaction_id: 'x',
    status_code: '200',
    gross_amount: '10000.00',
    signature_key: 'x',
    transaction_status: 'settlement',
  },
  xendit: { id: 'x', external_id: 'TU-1', status: 'PAID', amount: 10_000 },
  cloud: {
    object: 'whatsapp_business_account',
    entry: [
      { id: '1', changes: [{ field: 'messages', value: { messages: [{ from: '62', id: 'x' }] } }] },
    ],
  },
};

const lists = [
  'No;Nama;No HP\n1;Ani;081234567890\n',
  'nama,telepon\n"Budi, S.E.",+62 812-3456-7890\n',
  'phone\tname\n6281234567890.0\tCici\n',
];

const headersOf = (key: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
});

const inHeader = (text: string) => text.toWellFormed().replaceAll(/[^\t\x20-\xFF]/g, '');
const inAddress = (text: string) => encodeURIComponent(text.toWellFormed()).slice(0, 4_000);

/** A form's fields, as it can carry them: texts, and lists as several of a name. */
const pairsOf = (fields: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    Array.isArray(value) ? value.map((one) => [`${name}[]`, asText(one)]) : [[name, asText(value)]],
  );
const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** Acts that hash a password cost a tenth of a second; one that is granted a stream has no end. */
const costly = new Set(['user_reauth', 'user_change_password', 'user_delete', 'user_register']);
const tried: readonly Act[] = acts.filter(({ name, streams }) => !streams && !costly.has(name));

/** Ways into the application, and how an input for each is made. */
function waysOf(setup: Hostile, choices: Choices): Readonly<Record<string, () => InjectOptions>> {
  const { one, below, mostly, text, value, mutated } = choices;
  const { ani, held, session } = setup;
  const samples = samplesOf(held);
  const numberId = numberIdOf(held.tokenId);
  const businessId = businessIdOf(publicId('account', ani.accountId));
  const query = (names: readonly string[]) =>
    mostly() ? '' : `?${one(names)}=${inAddress(text())}&${one(names)}=${inAddress(text())}`;
  const actFields = () => {
    const act = one(tried);
    const sample = (samples[act.name] ?? {}) as Record<string, unknown>;
    const caller = act.by === 'public' ? '' : setup.sessionFor(act);
    const key = act.changes ? { key: crypto.randomUUID() } : {};
    const changed = mutated(sample);
    const fields = typeof changed === 'object' && changed !== null ? changed : {};
    return { act: act.name, token: caller, fcm: '', ...key, ...fields };
  };
  const portal = (body: Buffer | string, type: string): InjectOptions => ({
    method: 'POST',
    url: '/api',
    headers: {
      'content-type': type,
      'sec-fetch-site': 'same-origin',
      cookie: setup.cookie,
    },
    payload: body,
  });
  const dialect = (url: string, fields: object): InjectOptions => {
    const json = mostly() ? false : true;
    return {
      method: one(['POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE']),
      url: `${url}${query(['token', 'target', 'phone', 'message', 'id', 'page'])}`,
      headers: {
        authorization: ani.key,
        'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded',
      },
      payload: json
        ? JSON.stringify(fields)
        : new URLSearchParams(pairsOf(fields as Record<string, unknown>)).toString(),
    };
  };
  const asObject = (given: object): Record<string, unknown> => {
    const changed = mutated(given);
    return typeof changed === 'object' && changed !== null
      ? (changed as Record<string, unknown>)
      : { x: changed };
  };
  const file = (field: string, purpose?: string) => {
    const kind = one(['bytes', 'list', 'multipart'] as const);
    if (kind === 'multipart') {
      const [, broken] = one(brokenMultiparts(field));
      return { body: broken.body, headers: { 'content-type': broken.type } };
    }
    const bytes =
      kind === 'list'
        ? `${one(lists)}${text().toWellFormed()};${text().toWellFormed()}\n`
        : Buffer.concat([
            Buffer.from(
              one(['%PDF-1.7\n', '\x89PNG\r\n\x1a\n', 'PK\x03\x04', 'RIFF', '']),
              'latin1',
            ),
            Buffer.from(Array.from({ length: below(400) }, () => below(256))),
          ]);
    const name = `${text()
      .toWellFormed()
      .replaceAll(/[\r\n"]/g, '')}${one(['.csv', '.xlsx', '.png', '.pdf', ''])}`;
    return fileForm([
      ...(purpose === undefined
        ? []
        : [[field, mostly() ? JSON.stringify({ purpose }) : text()] as const]),
      [
        field,
        {
          name: name.slice(0, 300),
          type: one(['text/csv', 'image/png', inHeader(text()).slice(0, 80)]),
          bytes,
        },
      ],
    ]);
  };
  return {
    'acts, form': () =>
      portal(
        new URLSearchParams(pairsOf(actFields())).toString(),
        'application/x-www-form-urlencoded',
      ),
    'acts, multipart': () => {
      if (!mostly()) {
        const [, { body, type }] = one(brokenMultiparts('act'));
        return portal(body, type);
      }
      const parts = pairsOf(actFields()).map(
        ([name, given]) => [name.replaceAll(/[\r\n"]/g, ''), given] as const,
      );
      const { body, headers } = fileForm(parts);
      return portal(body, headers['content-type']);
    },
    '/v1': () => {
      const { method, path } = one(Object.values(apiEndpoints));
      const id = one([held.messageId, 'msg_01KB3Y6QJ4T0X9V2M8ZC5W7D1E', inAddress(text())]);
      const names = ['limit', 'cursor', 'status', 'peer', 'phone', 'from', 'to', 'after', 'types'];
      const url = `${path.replace(':id', id)}${query(names)}`;
      const body = bodies[path];
      const raw = mostly() ? JSON.stringify(mutated(body ? one(body) : {})) : text();
      return {
        method,
        url,
        headers: {
          ...headersOf(ani.key),
          ...(!mostly() && { 'idempotency-key': inHeader(text()).slice(0, 400) }),
        },
        ...(method !== 'GET' && { payload: raw }),
      };
    },
    Fonnte: () =>
      dialect(
        one(['/send', '/device', '/get-devices', '/status', '/reset-message', '/validate', '/qr']),
        asObject({
          target: '08123456789|Ani,08123456788',
          message: 'Hai {name}',
          delay: '1-2',
          schedule: '0',
          url: 'https://x.example/a.png',
          id: held.messageId,
          data: '[{"target":"08123456789","message":"a"}]',
          countryCode: '62',
        }),
      ),
    Wablas: () =>
      dialect(
        `/api/${one(['send-message', 'v2/send-message', 'send-image', 'v2/schedule', 'schedule', 'cancel-message', 'report/message', 'device/info', 'x'])}`,
        asObject({
          phone: '08123456789,08123456788',
          message: 'Hai',
          image: 'https://x.example/a.png',
          scheduled_at: '2030-01-01 09:00:00',
          id: held.messageId,
          data: [{ phone: '08123456789', message: 'a', date: '2030-01-01', time: '09:00:00' }],
        }),
      ),
    Cloud: () => ({
      method: one(['POST', 'POST', 'GET', 'DELETE', 'PUT']),
      url: `${one(['/v23.0', '', '/v1.0'])}/${one([numberId, businessId, inAddress(text())])}/${one(['messages', 'media', 'message_templates', 'subscribed_apps', 'phone_numbers', 'x', ''])}${query(['fields', 'limit', 'after', 'before', 'name', 'status', 'access_token', 'verify_token'])}`,
      headers: headersOf(ani.key),
      payload: mostly() ? JSON.stringify(mutated(one(cloudBodies))) : text(),
    }),
    MCP: () => ({
      method: 'POST',
      url: '/mcp',
      headers: {
        ...headersOf(ani.key),
        accept: 'application/json, text/event-stream',
        ...(!mostly() && { 'mcp-protocol-version': inHeader(text()).slice(0, 100) }),
      },
      payload: mostly()
        ? JSON.stringify(
            mutated({
              jsonrpc: '2.0',
              id: 1,
              method: one(['tools/call', 'tools/list', 'initialize', 'server/discover']),
              params: {
                name: one(['find_messages', 'read_conversation', 'get_balance', 'send_message']),
                arguments: { peer: '62800000001', cursor: 'x', text: 'Hai', to: '62800000001' },
                protocolVersion: '2025-11-25',
                capabilities: {},
                clientInfo: { name: 'a', version: '1' },
              },
            }),
          )
        : text(),
    }),
    callbacks: () => {
      const provider = one(['midtrans', 'xendit', 'cloud'] as const);
      const key = provider === 'cloud' ? `/${inAddress(text()) || 'x'}` : '';
      return {
        method: one(['POST', 'POST', 'GET']),
        url: `/callbacks/${provider}${key}${query(['hub.mode', 'hub.challenge', 'hub.verify_token'])}`,
        headers: {
          'content-type': one(['application/json', 'text/plain']),
          'x-callback-token': inHeader(text()).slice(0, 200),
          'x-hub-signature-256': `sha256=${inHeader(text()).slice(0, 80)}`,
        },
        payload: mostly() ? JSON.stringify(mutated(notices[provider])) : text(),
      };
    },
    uploads: () => {
      const purpose = one(Object.keys(uploadPurposes));
      const { body, headers } = file(UPLOAD_FIELD, purpose);
      return {
        method: 'POST',
        url: UPLOAD_PATH,
        headers: {
          ...headers,
          authorization: `Bearer ${session()}`,
          'sec-fetch-site': 'same-origin',
        },
        payload: body,
      };
    },
    lists: () => {
      const list = `${one(lists)}${text().toWellFormed()};${text().toWellFormed()}\n`;
      const { body, headers } = mostly()
        ? fileForm([
            [UPLOAD_FIELD, JSON.stringify({ purpose: 'recipients' })],
            [UPLOAD_FIELD, { name: 'daftar.csv', type: 'text/csv', bytes: list }],
          ])
        : file(UPLOAD_FIELD, 'recipients');
      return {
        method: 'POST',
        url: UPLOAD_PATH,
        headers: {
          ...headers,
          authorization: `Bearer ${session()}`,
          'sec-fetch-site': 'same-origin',
        },
        payload: body,
      };
    },
    files: () => {
      const cloud = mostly();
      const { body, headers } = file('file');
      return {
        method: 'POST',
        url: cloud ? `/v23.0/${numberId}/media` : '/v1/media',
        headers: { ...headers, authorization: `Bearer ${ani.key}` },
        payload: body,
      };
    },
    addresses: () => ({
      method: one(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']),
      url: `${one(['/', '/scan/', '/files/', '/v1/', '/assets/', '/api/', '/v23.0/', '/mcp/', '/callbacks/'])}${inAddress(text())}${query(['k', 'token'])}`,
      headers: {
        accept: one(['text/html', '*/*', 'application/json']),
        'user-agent': inHeader(text()).slice(0, 300),
        cookie: `kabari-device=${inHeader(text()).slice(0, 300)}`,
        'accept-language': inHeader(text()).slice(0, 100),
        ...(!mostly() && { authorization: inHeader(text()).slice(0, 300) }),
        'content-type': 'application/json',
      },
      ...(!mostly() && { payload: JSON.stringify(value()) ?? '' }),
    }),
  };
}

/** Begins a draft with a list that was taken, and forgets it: the list is read on the way. @returns the statuses */
export async function readUploadedList(
  { running, held, cookie }: Hostile,
  { upload, token }: { upload: string; token: string },
): Promise<number[]> {
  const ask = async (act: string, fields: object) =>
    running.ask(act, { token, key: crypto.randomUUID(), ...fields }, { headers: { cookie } });
  const made = await ask('campaign_create', { name: 'Promo', token_id: held.tokenId, upload });
  if (made.body.code !== 1) return [made.status];
  const gone = await ask('campaign_delete', { campaign_id: made.body.data.campaign_id });
  return [made.status, gone.status];
}

/** Inputs for every way in, in turn; the same ones for the same seed, ids of the test's own left out. */
export function* fuzzInputs(
  setup: Hostile,
  {
    seed,
    count,
    texts = [...unstorables, ...oddities],
  }: { seed: number; count: number; texts?: readonly string[] },
): Generator<FuzzInput> {
  const ways = Object.entries(waysOf(setup, choicesOf(seed, texts)));
  for (let made = 0; made < count; made++) {
    const [way, make] = ways[made % ways.length] ?? [];
    if (way && make) yield { way, options: { remoteAddress: addressOf(made), ...make() } };
  }
}

/** A new address each time, so that no caller reaches its rate limit. */
const addressOf = (nth: number): string =>
  `10.${(nth >> 16) & 255}.${(nth >> 8) & 255}.${nth & 255}`;
