import { createHmac } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import { acts } from '#contract/acts.ts';
import type { Act } from '#contract/base/act.ts';
import { businessIdOf, numberIdOf } from '#contract/dialects.ts';
import { publicId } from '#contract/base/ids.ts';
import { apiEndpoints } from '#contract/rest.ts';
import { UPLOAD_FIELD, UPLOAD_PATH, uploadPurposes } from '#contract/uploads.ts';
import { midtransSignature } from '#server/domains/payments/gateways/midtrans.ts';
import { midtransNotice, xenditNotice } from '#server/domains/payments/gateways/simulated.ts';
import { columnName, parts, rowXml, sheetBegin, sheetEnd } from '#server/infra/sheets/xlsx-file.ts';
import type { ApiResponse } from '#tests/support/app/running-app.ts';
import { connectedSender } from '#tests/support/meta/cloud-channel.ts';
import type { FakeMeta } from '#tests/support/meta/fake-meta.ts';
import { brokenMultiparts } from './broken-multipart.ts';
import { type NamedFile, fileForm } from './file-form.ts';
import { samplesOf } from './hostile-acts.ts';
import { type Hostile, openHostile } from './hostile-app.ts';
import { badNames, disguises, polyglots, zipOf } from './hostile-files.ts';
import { oddities, unstorables } from './hostile-strings.ts';

export type FuzzInput = { way: string; options: InjectOptions | Promise<InjectOptions> };

type FuzzSetup = Hostile & {
  files: readonly NamedFile[];
  gateways: Readonly<Record<'midtrans' | 'xendit', object>>;
  keys: { serverKey: string; callbackToken: string };
  cloud: { path: string; appSecret: string; verifyToken: string; changes: readonly object[] };
};

/** Opens the application with a number at a fake Meta, and a waiting top-up at each gateway. */
export async function openFuzz(
  db: Parameters<typeof openHostile>[0],
  openApp: Parameters<typeof openHostile>[1],
  meta: FakeMeta,
): Promise<FuzzSetup> {
  const setup = await openHostile(db, ({ env, works }) =>
    openApp({ works, env: { ...env, CLOUD_URL: `${meta.url}/v23.0` } }),
  );
  const { running, ani } = setup;
  await db.allAccountsSql`
    update tokens set scopes = array_append(scopes, 'agent') where token_id = ${ani.tokenId}`;
  const { simulated } = running.container.payments;
  if (!simulated) throw new Error('there is no simulated gateway');
  const topup = await setup.perform('topup_create', { amount: '30000', method: 'qris' });
  const order = simulated.book.find(topup.id);
  if (!order) throw new Error('the gateway has no order');
  await running.app.listen({ host: '127.0.0.1', port: 0 });
  const sender = await connectedSender(running, meta, { db });
  const sent = await sender.call('/v1/messages', {
    body: { to: '62800000001', type: 'text', text: { body: 'Halo' } },
  });
  const { pathname: path } = new URL(sender.callbackUrl);
  const { appSecret } = meta;
  return {
    ...setup,
    files: [...(await polyglots()), ...(await badNames()), ...disguises()],
    gateways: {
      midtrans: midtransNotice(order, 'settlement', simulated.keys.serverKey),
      xendit: xenditNotice(order, 'settlement'),
    },
    keys: simulated.keys,
    cloud: {
      path,
      appSecret,
      verifyToken: sender.verifyToken,
      changes: changesOf(meta, sent.body.id),
    },
  };
}

/** Changes as Meta posts them: messages of each type, statuses, account events. */
function changesOf({ numbers }: FakeMeta, messageId: string): object[] {
  const metadata = { display_phone_number: '6281500000000', phone_number_id: numbers[0]!.id };
  const contacts = [{ profile: { name: 'Ani' }, wa_id: '6281234567890' }];
  const from = { from: '6281234567890', id: 'wamid.x', timestamp: '1764380000' };
  const file = { id: '1', mime_type: 'image/png', sha256: 'a', caption: 'Foto' };
  const contents: Readonly<Record<string, object>> = {
    text: { body: 'Halo' },
    image: file,
    audio: { ...file, voice: true },
    document: { ...file, filename: 'nota.pdf' },
    location: { latitude: -6.2, longitude: 106.8, name: 'Monas', address: 'Jakarta' },
    contacts: [{ name: { formatted_name: 'Ani' }, phones: [{ phone: '+62 812', wa_id: '62812' }] }],
    reaction: { message_id: 'wamid.x', emoji: '👍' },
    button: { payload: 'YA', text: 'Ya' },
    interactive: { type: 'list_reply', list_reply: { id: 'a', title: 'A', description: 'b' } },
    order: { catalog_id: '1', product_items: [{ quantity: 2, item_price: 10_000 }], text: 'a' },
    system: { body: 'x', type: 'user_changed_number', new_wa_id: '6281299990000' },
    unsupported: {},
  };
  const status = (name: string) => ({
    ...from,
    recipient_id: '62800000001',
    status: name,
    biz_opaque_callback_data: messageId,
    errors: [{ code: 131_026, title: 'x', error_data: { details: 'x' } }],
  });
  return [
    ...Object.entries(contents).map(([type, content]) => ({
      field: 'messages',
      value: {
        metadata,
        contacts,
        messages: [{ ...from, type, [type]: content, context: { id: 'wamid.y' } }],
      },
    })),
    ...['sent', 'delivered', 'read', 'failed'].map((name) => ({
      field: 'messages',
      value: { metadata, statuses: [status(name)] },
    })),
    {
      field: 'message_template_status_update',
      value: { event: 'APPROVED', message_template_name: 'siap', message_template_language: 'id' },
    },
    { field: 'phone_number_quality_update', value: { event: 'FLAGGED', current_limit: 'TIER_1K' } },
    { field: 'account_update', value: { event: 'DISABLED_UPDATE' } },
  ];
}

/** Numbers from 0 to 1 from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

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
  /** A value with few or many of its parts replaced, dropped or renamed. */
  const mutated = (given: unknown, share = one([0.01, 0.04, 0.15])): unknown => {
    const happens = (times: number) => random() < share * times;
    if (happens(1)) return value();
    if (typeof given === 'string') return happens(1.3) ? given + text() : given;
    if (typeof given !== 'object' || given === null) return given;
    if (Array.isArray(given))
      return given.flatMap((inner) => (happens(1.3) ? [] : [mutated(inner, share)]));
    const entries = Object.entries(given).flatMap(([name, inner]) =>
      happens(0.3) ? [] : [[happens(0.3) ? text() : name, mutated(inner, share)] as const],
    );
    if (happens(0.7)) entries.push([text(), value()]);
    return Object.fromEntries(entries);
  };
  /** Draws a kind of damage, and returns the function that applies it. Most files stay intact. */
  const spoiled = () => {
    const changes = mostly()
      ? []
      : Array.from({ length: 1 + below(8) }, () => [random(), below(256)] as const);
    const keptShare = random() < 0.05 ? random() : 1;
    return (bytes: Buffer): Buffer => {
      const copy = Buffer.from(bytes.subarray(0, Math.ceil(bytes.length * keptShare)));
      for (const [place, byte] of changes) copy[Math.floor(place * copy.length)] = byte;
      return copy;
    };
  };
  return { below, one, mostly, text, value, mutated, spoiled };
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

type DialectCall = readonly ['POST' | 'GET' | 'DELETE', string];

const fonnteCalls: readonly DialectCall[] = [
  ['POST', '/send'],
  ['POST', '/send'],
  ['POST', '/device'],
  ['POST', '/get-devices'],
  ['POST', '/status'],
  ['POST', '/reset-message'],
  ['POST', '/validate'],
  ['POST', '/qr'],
];

const wablasCalls: readonly DialectCall[] = [
  ['POST', '/api/send-message'],
  ['GET', '/api/send-message'],
  ['POST', '/api/v2/send-message'],
  ['POST', '/api/send-image'],
  ['POST', '/api/v2/schedule'],
  ['POST', '/api/schedule'],
  ['POST', '/api/cancel-message'],
  ['GET', '/api/report/message'],
  ['GET', '/api/device/info'],
  ['POST', '/api/x'],
];

/** The calls of the dialect; `number`, `business` and `:id` are replaced by ids. */
const cloudCalls: readonly DialectCall[] = [
  ['POST', '/number/messages'],
  ['POST', '/number/messages'],
  ['POST', '/number/messages'],
  ['POST', '/number/media'],
  ['GET', '/number'],
  ['GET', '/number/media'],
  ['DELETE', '/number'],
  ['GET', '/business/message_templates'],
  ['GET', '/business/phone_numbers'],
  ['GET', '/business/subscribed_apps'],
  ['POST', '/business/subscribed_apps'],
  ['DELETE', '/business/subscribed_apps'],
  ['GET', '/business/:id'],
  ['GET', '/number/x'],
];

const mcpCalls: readonly [method: string, params: object][] = [
  ['tools/list', {}],
  ['server/discover', {}],
  [
    'initialize',
    {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    },
  ],
  ['tools/call', { name: 'get_balance', arguments: {} }],
  ['tools/call', { name: 'find_messages', arguments: { peer: '62800000001', limit: 5 } }],
  ['tools/call', { name: 'read_conversation', arguments: { peer: '62800000001' } }],
  ['tools/call', { name: 'send_message', arguments: { to: '62800000001', text: 'Hai' } }],
];

const lists: readonly [columns: readonly string[], row: readonly string[]][] = [
  [
    ['No', 'Nama', 'No HP'],
    ['1', 'Ani', '081234567890'],
  ],
  [
    ['nama', 'telepon'],
    ['Budi, S.E.', '+62 812-3456-7890'],
  ],
  [
    ['phone', 'name'],
    ['6281234567890.0', 'Cici'],
  ],
];
const ROWS_MAX = 40;

const cellPlaces = ['XFD1048576', 'A0', 'A1', 'ZZZZZZ1', 'a2', '1', '', 'A99999999999999999999'];
const cellTypes = ['s', 'b', 'e', 'n', 'd', 'str', 'x'];

const headersOf = (key: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
});

const inHeader = (text: string) => text.toWellFormed().replaceAll(/[^\t\x20-\xFF]/g, '');
const inAddress = (text: string) => encodeURIComponent(text.toWellFormed()).slice(0, 4_000);

/** A form's fields: texts, and lists as repeated names. */
const pairsOf = (fields: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    Array.isArray(value) ? value.map((one) => [`${name}[]`, asText(one)]) : [[name, asText(value)]],
  );
const isText = (value: unknown): value is string => typeof value === 'string';
const asText = (value: unknown): string => (isText(value) ? value : (JSON.stringify(value) ?? ''));

/** Acts that hash a password cost a tenth of a second; `hostile-input.test.ts` calls them. */
const costly = ['user_reauth', 'user_change_password', 'user_delete', 'user_register'];
/** Without its own number the installation sends no codes, so acts that need one answer 503. */
const final = ['operator_system_token_unlink'];
const left = new Set([...costly, ...final]);
/** A stream never ends. */
const tried: readonly Act[] = acts.filter(({ name, streams }) => !streams && !left.has(name));

/** Inputs of each way in a round. Each list starts a process, so lists are few and long. */
const turns = {
  'acts, form': 30,
  'acts, multipart': 24,
  '/v1': 24,
  Fonnte: 12,
  Wablas: 10,
  Cloud: 16,
  MCP: 14,
  'callbacks, gateways': 8,
  'callbacks, Meta': 10,
  uploads: 5,
  lists: 1,
  files: 3,
  addresses: 3,
};

type Way = keyof typeof turns;
export const ways = Object.keys(turns) as readonly Way[];

const order: readonly Way[] = ways
  .flatMap((way) =>
    Array.from({ length: turns[way] }, (_, nth) => ({ way, at: (nth + 0.5) / turns[way] })),
  )
  .toSorted((a, b) => a.at - b.at)
  .map(({ way }) => way);

function makersOf(
  setup: FuzzSetup,
  choices: Choices,
): Readonly<Record<Way, () => FuzzInput['options']>> {
  const { one, below, mostly, text, value, mutated, spoiled } = choices;
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
  const dialect = ([method, url]: DialectCall, fields: object): InjectOptions => {
    const json = !mostly();
    return {
      method: mostly() ? method : one(['POST', 'GET', 'PUT', 'DELETE']),
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
    if (below(6) === 0) {
      const [, broken] = one(brokenMultiparts(field));
      return { body: broken.body, headers: { 'content-type': broken.type } };
    }
    const given = one(setup.files);
    const name = mostly() ? given.name : `${text()}${one(['.csv', '.xlsx', '.png', '.pdf', ''])}`;
    return fileForm([
      ...(purpose === undefined
        ? []
        : [[field, mostly() ? JSON.stringify({ purpose }) : text()] as const]),
      [
        field,
        {
          name: name
            .toWellFormed()
            .replaceAll(/[\r\n"]/g, '')
            .slice(0, 300),
          type: mostly() ? (given.type ?? 'text/csv') : inHeader(text()).slice(0, 80),
          bytes: spoiled()(Buffer.from(given.bytes)),
        },
      ],
    ]);
  };
  const upload = (body: Buffer, headers: Record<string, string>): InjectOptions => ({
    method: 'POST',
    url: UPLOAD_PATH,
    headers: {
      ...headers,
      authorization: `Bearer ${session()}`,
      'sec-fetch-site': 'same-origin',
      cookie: setup.cookie,
    },
    payload: body,
  });
  /** Rows of a list, mostly without control characters: those are refused as binary. */
  const rowsOf = (row: readonly string[]): string[][] => {
    const isPlain = mostly();
    const hostile = () => (isPlain ? text().replaceAll(/\p{Cc}/gu, '') : text());
    return Array.from({ length: 1 + below(ROWS_MAX) }, () =>
      row.map((cell) => (mostly() ? cell : one([hostile(), `${cell}${hostile()}`]))),
    );
  };
  const csv = (): Buffer => {
    const [columns, row] = one(lists);
    const parting = one([',', ';', '\t', '|']);
    const quoted = (cell: string) =>
      mostly() ? `"${cell.replaceAll('"', '""')}"` : cell.replaceAll('\n', ' ');
    const lines = [columns, ...rowsOf(row)].map((cells) => cells.map(quoted).join(parting));
    const encoding = one(['utf8', 'utf8', 'utf16le'] as const);
    const mark = encoding === 'utf16le' ? '\uFEFF' : '';
    return spoiled()(Buffer.from(mark + lines.join(one(['\n', '\r\n'])), encoding));
  };
  /** A workbook; some cells have a wrong address or type, or broken XML. */
  const xlsx = (): Promise<Buffer> => {
    const [columns, row] = one(lists);
    const rows = rowsOf(row);
    const rest = rows.map((cells, at) => {
      const xml = rowXml(cells, at + 2, 7);
      if (mostly()) return xml;
      const cell = `r="${columnName(below(columns.length))}${at + 2}"`;
      switch (below(3)) {
        case 0:
          return xml.replace(cell, `r="${one(cellPlaces)}"`);
        case 1:
          return xml.replace('inlineStr', one(cellTypes));
        default:
          return xml.slice(0, below(xml.length)) + text() + xml.slice(below(xml.length));
      }
    });
    const sheet =
      sheetBegin(columns.map((title) => ({ title, width: 20 }))) +
      rest.join('') +
      sheetEnd(columns.length, rows.length);
    const others = parts(1).filter(() => below(20) > 0);
    const spoil = spoiled();
    return zipOf({ ...Object.fromEntries(others), 'xl/worksheets/sheet1.xml': sheet }).then(spoil);
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
        one(fonnteCalls),
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
        one(wablasCalls),
        asObject({
          phone: '08123456789,08123456788',
          message: 'Hai',
          image: 'https://x.example/a.png',
          scheduled_at: '2030-01-01 09:00:00',
          id: held.messageId,
          data: [{ phone: '08123456789', message: 'a', date: '2030-01-01', time: '09:00:00' }],
        }),
      ),
    Cloud: () => {
      const [method, path] = one(cloudCalls);
      const id = one([held.messageId, inAddress(text())]);
      const owner = path.startsWith('/business') ? businessId : numberId;
      const known = path.replace(/^\/\w+/, mostly() ? owner : inAddress(text())).replace(':id', id);
      return {
        method: mostly() ? method : one(['POST', 'GET', 'DELETE', 'PUT']),
        url: `${one(['/v23.0', '', '/v1.0'])}/${known}${query(['fields', 'limit', 'after', 'before', 'name', 'status', 'access_token', 'verify_token'])}`,
        headers: headersOf(ani.key),
        ...(method !== 'GET' && {
          payload: mostly() ? JSON.stringify(mutated(one(cloudBodies))) : text(),
        }),
      };
    },
    MCP: () => {
      const [method, params] = one(mcpCalls);
      return {
        method: 'POST',
        url: '/mcp',
        headers: {
          ...headersOf(ani.key),
          accept: 'application/json, text/event-stream',
          ...(!mostly() && { 'mcp-protocol-version': inHeader(text()).slice(0, 100) }),
          ...(!mostly() && { 'mcp-session-id': inHeader(text()).slice(0, 100) }),
        },
        payload: mostly()
          ? JSON.stringify(mutated({ jsonrpc: '2.0', id: 1, method, params }))
          : text(),
      };
    },
    'callbacks, gateways': () => {
      const provider = one(['midtrans', 'xendit'] as const);
      const notice = asObject(setup.gateways[provider]);
      const signed = ['order_id', 'status_code', 'gross_amount'] as const;
      if (provider === 'midtrans' && mostly() && signed.every((name) => isText(notice[name])))
        notice['signature_key'] = midtransSignature(
          notice as Record<(typeof signed)[number], string>,
          setup.keys.serverKey,
        );
      return {
        method: 'POST',
        url: `/callbacks/${provider}${query(['a'])}`,
        headers: {
          'content-type': one(['application/json', 'text/plain']),
          'x-callback-token': mostly() ? setup.keys.callbackToken : inHeader(text()).slice(0, 200),
        },
        payload: mostly() ? JSON.stringify(notice) : text(),
      };
    },
    'callbacks, Meta': () => {
      const { path, appSecret, verifyToken, changes } = setup.cloud;
      const url = mostly() ? path : `/callbacks/cloud/${inAddress(text()) || 'x'}`;
      if (!mostly()) {
        const token = mostly() ? verifyToken : inAddress(text());
        const challenge = mostly() ? '1158201444' : inAddress(text());
        return {
          method: 'GET',
          url: `${url}?hub.mode=subscribe&hub.challenge=${challenge}&hub.verify_token=${token}`,
        };
      }
      const entry = { id: '1', changes: Array.from({ length: 1 + below(3) }, () => one(changes)) };
      const posted = { object: 'whatsapp_business_account', entry: [entry] };
      const body = mostly()
        ? JSON.stringify({ ...posted, entry: mutated(posted.entry) })
        : JSON.stringify(mutated(posted));
      const signature = createHmac('sha256', appSecret).update(body).digest('hex');
      return {
        method: 'POST',
        url,
        headers: {
          'content-type': one(['application/json', 'text/plain']),
          'x-hub-signature-256': `sha256=${mostly() ? signature : inHeader(text()).slice(0, 80)}`,
        },
        payload: body,
      };
    },
    uploads: () => {
      const { body, headers } = file(UPLOAD_FIELD, one(Object.keys(uploadPurposes)));
      return upload(body, headers);
    },
    lists: async () => {
      const isSheet = below(2) === 0;
      const name = isSheet ? 'daftar.xlsx' : 'daftar.csv';
      const { body, headers } = fileForm([
        [UPLOAD_FIELD, JSON.stringify({ purpose: 'recipients' })],
        [UPLOAD_FIELD, { name, bytes: isSheet ? await xlsx() : csv() }],
      ]);
      return upload(body, headers);
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

/** An answer, and whether it refuses although its status is 200. */
export type FuzzAnswer = { status: number; body: string; isRefused: boolean };

/** Creates a draft from an uploaded list, which reads the list, and deletes it. */
export async function readUploadedList(
  { running, held, cookie }: Hostile,
  { upload, token, key }: { upload: string; token: string; key: string },
): Promise<FuzzAnswer[]> {
  const ask = (act: string, fields: object) =>
    running.ask(act, { token, ...fields }, { headers: { cookie } });
  const shown = ({ status, body }: ApiResponse): FuzzAnswer => ({
    status,
    body: JSON.stringify(body),
    isRefused: false,
  });
  const draft = { name: 'Promo', token_id: held.tokenId, upload };
  const made = await ask('campaign_create', { key, ...draft });
  if (made.body.code !== 1) return [shown(made)];
  const campaign_id = made.body.data.id;
  const gone = await ask('campaign_delete', { key: crypto.randomUUID(), campaign_id });
  return [shown(made), shown(gone)];
}

/** Inputs for every way in, in turn; equal for equal seeds, except for ids of the test. */
export function* fuzzInputs(
  setup: FuzzSetup,
  {
    seed,
    count,
    texts = [...unstorables, ...oddities],
  }: { seed: number; count: number; texts?: readonly string[] },
): Generator<FuzzInput> {
  const makers = makersOf(setup, choicesOf(seed, texts));
  for (let made = 0; made < count; made++) {
    const way = order[made % order.length];
    if (way === undefined) throw new Error('there is no way in');
    const remoteAddress = addressOf(made);
    const options = makers[way]();
    yield {
      way,
      options:
        options instanceof Promise
          ? options.then((all) => ({ remoteAddress, ...all }))
          : { remoteAddress, ...options },
    };
  }
}

/** A new address each time, so that no caller reaches its rate limit. */
const addressOf = (nth: number): string =>
  `10.${(nth >> 16) & 255}.${(nth >> 8) & 255}.${nth & 255}`;
