import { randomInt } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ShownPhone, normalizePeer, shownPeer, isHiddenPeer } from '#contract/messages/peer.ts';
import { Refusal, type FactsOf, type RefusalCode, refusals } from '#contract/base/refusals.ts';
import type { NewMessage, Accepted, ApiMessage } from '#contract/rest/messages.ts';
import {
  type DialectCall,
  type DialectDeps,
  type DialectRoute,
  openDialect,
  readBoth,
  readerOf,
  sendEach,
  type Device,
  type FileKind,
  type Given,
  textOf,
  fieldError,
  type GivenFile,
  givenOf,
  isFile,
  numberOf,
  isFalse,
  isTrue,
  listOf,
  type Content,
  type Source,
  isPlannable,
  kindOf,
  mediaContent,
  messageFrom,
} from './dialect.ts';
import { idempotencyKey, acceptable } from '#server/http/v1/send.ts';
import { qrPng } from '#server/infra/qr.ts';
import { TEXT_MAX } from '#contract/messages.ts';
import { MESSAGES_MAX } from '#contract/rest/endpoint.ts';
import { cleanNumber, visibleText } from '#contract/base/written-number.ts';

const BODY_LIMITS = { words: 1_048_576, files: 5_242_880 };
const FILE_BYTES_MAX = 4_000_000;
/** Keys per call; one is used at random. */
const KEYS_MAX = 20;
const NUMBERS_MAX = 1000;
const missing = [
  '/add-device',
  '/update-device',
  '/delete-device',
  '/fetch-devices',
  '/delete-message',
  '/fetch-group',
  '/get-whatsapp-group',
  '/add-template',
  '/edit-template',
  '/get-templates',
  '/delete-template',
];

/** The Fonnte dialect (docs/dialects.md#fonnte), at the root of the base address. */
export function openFonnte(scope: FastifyInstance, deps: DialectDeps): void {
  openDialect(scope, deps, {
    name: 'fonnte',
    keyOf,
    errorResponse: (refusal, call) => ({
      status: statusOf(refusal),
      body: errorBody(refusal, call),
    }),
    bodyLimits: BODY_LIMITS,
    routes: routesOf(deps),
    missing: {
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      paths: missing.flatMap((path) => [path, `${path}/`]),
    },
  });
}

const routesOf = (deps: DialectDeps): DialectRoute[] => [
  {
    method: ['GET', 'POST'],
    paths: ['/send', '/send/'],
    scope: 'messages.send',
    answer: (call) => send(deps, call),
  },
  {
    method: ['GET', 'POST'],
    paths: ['/device', '/device/'],
    scope: 'account.read',
    answer: async ({ sender }) => deviceAnswer(await deps.device(sender)),
  },
  {
    method: ['GET', 'POST'],
    paths: ['/get-devices', '/get-devices/'],
    scope: 'account.read',
    answer: async ({ sender }) => devicesAnswer(await deps.device(sender)),
  },
  {
    method: ['POST'],
    paths: ['/disconnect', '/disconnect/'],
    scope: 'link',
    answer: (call) => disconnect(deps, call),
  },
  {
    method: ['GET', 'POST'],
    paths: ['/status', '/status/'],
    scope: 'messages.read',
    answer: (call) => status(deps, call),
  },
  {
    method: ['POST'],
    paths: ['/reset-message', '/reset-message/'],
    scope: 'messages.send',
    answer: (call) => reset(deps, call),
  },
  {
    method: ['GET', 'POST'],
    paths: ['/qr', '/qr/'],
    scope: 'link',
    answer: (call) => qr(deps, call),
  },
  {
    method: ['GET', 'POST'],
    paths: ['/validate', '/validate/'],
    scope: 'messages.send',
    answer: async (call) => validate(call),
  },
];

/**
 * The key: the bare header without a scheme, or `token` in the address. Of several, separated by commas, one is used
 * at random.
 */
function keyOf({ headers, query, method }: FastifyRequest): string | undefined {
  const token = (query as { token?: unknown }).token;
  const given = headers.authorization ?? (method === 'GET' ? token : undefined);
  if (typeof given !== 'string') return undefined;
  const keys = given
    .replace(/^bearer +/i, '')
    .split(',', KEYS_MAX)
    .map((key) => key.trim())
    .filter((key) => key !== '');
  return keys.length === 0 ? undefined : keys[randomInt(keys.length)];
}

async function send(deps: DialectDeps, call: DialectCall): Promise<object> {
  const { sender, request } = call;
  const context: ReadContext = {
    now: deps.now(),
    random: Math.random,
    storeFile: (file) => {
      if (file.bytes.length > FILE_BYTES_MAX) {
        throw new Refusal('upload_too_large', { bytesMax: FILE_BYTES_MAX });
      }
      return deps.storeFile(sender, file, { key: idempotencyKey(request) });
    },
  };
  const both = await readBoth(call, (given) => readSend(given, context));
  const { pieces, connectedOnly, plan } = both.read;
  if (connectedOnly && sender.status === 'disconnected') throw new Refusal('token_not_linked', {});
  const read = pieces.map(({ message }) => message);
  const byRule = both.byRule.pieces.map(({ message }) => message);
  const identity = plan ? { plan, messages: byRule.map(withoutTime) } : acceptable(byRule);
  const { results, at } = await sendEach(deps, call, { read, shape: 'fonnte', identity });
  const outcomes = pieces.map((piece, index) => ({
    piece,
    result: results[index] ?? new Refusal('our_fault', { request: request.id }),
  }));
  const [first] = results;
  if (first instanceof Refusal && results.every((result) => result instanceof Refusal)) throw first;
  return sendAnswer(outcomes, { requestId: request.id, at });
}

/** The time is relative to the call, so a repeat has another one. */
function withoutTime(message: NewMessage | Refusal): object | null {
  if (message instanceof Refusal) return null;
  const { send_at: _, ...rest } = message;
  return rest;
}

async function status(deps: DialectDeps, { sender, given, request }: DialectCall): Promise<object> {
  const id = idIn(given);
  const message = await deps.messages.one(sender, id, readerOf(deps, request));
  return { id, message_status: statusWord(message), status: true };
}

/** @throws Refusal `input_invalid` */
function idIn(given: Given): string {
  const id = textOf(given, 'id');
  if (id === undefined) throw fieldError('id', 'Wajib diisi: id pesan.');
  return id;
}

async function reset(deps: DialectDeps, { sender, given, request }: DialectCall): Promise<object> {
  const id = idIn(given);
  const at = readSchedule(given, deps.now());
  const message = await deps.messages.reschedule(sender, id, at, readerOf(deps, request));
  return { detail: 'success! message rescheduled', id: message.id, status: true };
}

/** A QR image of the linking address. There is no pairing code, since the owner must consent. */
async function qr(deps: DialectDeps, { sender, given }: DialectCall): Promise<object> {
  if ((await deps.device(sender)).connected) throw new Refusal('token_linked', {});
  if (textOf(given, 'type') === 'code') throw fieldError('type', 'Harus qr: kode tidak tersedia.');
  const png = qrPng(await deps.link(sender), { quiet: 2, scale: 6 });
  return { status: true, url: png.toString('base64') };
}

/** Unlinks the phone; its owner must consent and scan before the next message. */
async function disconnect(deps: DialectDeps, { sender }: DialectCall): Promise<object> {
  const { phone } = await deps.device(sender);
  if (phone === null) throw new Refusal('token_not_linked', {});
  await deps.unlink(sender);
  return { detail: 'device disconnected', status: true };
}

/** Checks only the format: whether a number has WhatsApp is known only after sending. */
function validate({ given }: DialectCall): object {
  const numbers = targetsOf(given, NUMBERS_MAX).map(({ to }) => shownPeer(normalizePeer(to)));
  return {
    not_registered: numbers.filter((number) => !isPhone(number)),
    registered: numbers.filter(isPhone),
    status: true,
  };
}

const isPhone = (number: string): boolean => ShownPhone().safeParse(number).success;

/** A 31-bit integer, as clients store it, derived from the request id. */
const requestNumber = (requestId: string): number =>
  Number.parseInt(requestId.replaceAll(/[^0-9a-f]/g, '').slice(-8) || '0', 16) & 0x7fff_ffff;

type Outcome = { piece: Piece; result: Accepted | Refusal };

/**
 * The answer of `/send`: the accepted messages, in the order of their targets. `rejected` lists the others and is
 * omitted when empty; if nothing was accepted, the whole call is refused for the first reason.
 *
 * @param at the time of the call; for a repeat, of the first call, in ms since 1970
 */
function sendAnswer(
  outcomes: readonly Outcome[],
  { requestId, at }: { requestId: string; at: number },
): object {
  const taken = outcomes.flatMap(({ piece, result }) =>
    isRefusal(result) ? [] : [{ target: piece.target, id: result.id }],
  );
  const rejected = outcomes.flatMap(({ piece, result }) =>
    isRefusal(result) ? [{ target: piece.target, reason: reasonOf(result) }] : [],
  );
  const scheduled = outcomes.some(({ piece: { plannedMs = at } }) => plannedMs > at);
  return {
    detail: scheduled
      ? 'success! message will be sent on scheduled time'
      : 'success! message in queue',
    id: taken.map(({ id }) => id),
    process: 'pending',
    requestid: requestNumber(requestId),
    status: true,
    target: taken.map(({ target }) => target),
    ...(rejected.length > 0 && { rejected }),
  };
}

const isRefusal = (result: Accepted | Refusal): result is Refusal => result instanceof Error;

export function errorBody(no: Refusal, { id, path }: { id: string; path: string }): object {
  const reason = reasonOf(no, path);
  return {
    ...(isDisconnect(path) && { detail: reason }),
    reason,
    requestid: requestNumber(id),
    status: false,
  };
}

function statusWord({ status, failure }: Pick<ApiMessage, 'status' | 'failure'>): string {
  switch (status) {
    case 'scheduled':
      return 'waiting';
    case 'accepted':
    case 'queued':
      return 'pending';
    case 'sending':
      return 'processing';
    case 'sent':
    case 'delivered':
    case 'read':
    case 'received':
      return 'sent';
    case 'expired':
    case 'cancelled':
      return 'expired';
    case 'failed':
      return failure?.code === 'media_unreachable' ? 'url unreachable' : 'invalid';
  }
}

const devicesAnswer = (device: Device): object => {
  const { id, name, phone, connected, sentToday, quota } = device;
  return {
    connected: connected ? 1 : 0,
    data: [
      {
        autoread: 'off',
        device: shownPeer(phone ?? ''),
        expired: '-',
        name,
        package: 'Kabari',
        quota: String(quota),
        status: connected ? 'connect' : 'disconnect',
        token: id,
      },
    ],
    devices: 1,
    messages: sentToday,
    status: true,
  };
};

/** The answer of `/device`. There are no packages, and accounts do not expire. */
const deviceAnswer = ({ name, phone, connected, sentToday, quota }: Device): object => ({
  device: shownPeer(phone ?? ''),
  device_status: connected ? 'connect' : 'disconnect',
  expired: '-',
  messages: sentToday,
  name,
  package: 'Kabari',
  quota: String(quota),
  status: true,
});

/**
 * The dialect's own refusal texts, which clients compare. Other refusals get the nearest one; the true reason is in
 * `X-Kabari-Error`, and among the token's rejected calls.
 */
const reasons = {
  token: 'token invalid',
  input: 'input invalid',
  link: 'url invalid',
  unreachable: 'url unreachable',
  format: 'file format not supported',
  size: 'file size must under 4MB',
  target: 'target invalid',
  json: 'JSON format invalid',
  quota: 'insufficient quota',
  disconnected: 'request invalid on disconnected device',
  id: 'id required',
  connected: 'device already connect',
  parted: 'device already disconnected',
  code: 'type code is not supported, use qr',
} as const;

const byCode: Partial<Record<RefusalCode, string>> = {
  token_missing: reasons.token,
  token_invalid: reasons.token,
  account_suspended: reasons.token,
  token_not_linked: reasons.disconnected,
  token_linked: reasons.connected,
  saldo_short: reasons.quota,
  bonus_only: reasons.quota,
  wallet_frozen: reasons.quota,
  token_limit_reached: reasons.quota,
  queue_full: reasons.quota,
  recipient_opted_out: reasons.target,
  recipient_without_number: reasons.target,
  request_malformed: reasons.json,
  body_too_large: reasons.size,
  media_type_unsupported: reasons.format,
  upload_too_large: reasons.size,
  upload_kind_refused: reasons.format,
  upload_contradicts: reasons.format,
  upload_unsafe: reasons.format,
  upload_infected: reasons.format,
  media_unfit: reasons.format,
  storage_full: reasons.quota,
};

/**
 * The dialect's text for a refusal.
 *
 * @param path the called address: `/disconnect` has a different text.
 */
export function reasonOf(no: Refusal, path = ''): string {
  if (isDisconnect(path) && no.code === 'token_not_linked') return reasons.parted;
  if (no.code === 'input_invalid') {
    const [field = ''] = Object.keys((no.facts as FactsOf<'input_invalid'>).fields);
    if (field === 'id') return reasons.id;
    if (field === 'type') return reasons.code;
    if (field === 'to' || field.startsWith('target')) return reasons.target;
    return field.endsWith('.link') || field === 'url' ? reasons.link : reasons.input;
  }
  const known = byCode[no.code];
  if (known !== undefined) return known;
  return refusals[no.code].status === 401 || refusals[no.code].status === 403
    ? reasons.token
    : reasons.input;
}

/** Answers to `/disconnect` have `detail` instead of `reason`. */
const isDisconnect = (path: string): boolean => /^\/disconnect\/?$/.test(path);

/**
 * The HTTP status of a refusal: 200, as the dialect answers every refusal; internal errors and rate limits keep
 * theirs, so that proxies and monitoring see them.
 */
function statusOf(no: Refusal): number {
  const { status } = refusals[no.code];
  return status >= 500 || no.code === 'too_many_requests' ? status : 200;
}

type Piece = {
  target: string;
  message: NewMessage | Refusal;
  /** The scheduled instant in ms since 1970; a past one means now. */
  plannedMs: number | undefined;
};

type SendCall = {
  pieces: readonly Piece[];
  /** False where the caller prefers waiting for the phone over a refusal. */
  connectedOnly: boolean;
  plan: readonly string[] | undefined;
};

export type ReadContext = {
  now: Date;
  /** A number from 0 (included) to 1, as `Math.random`. */
  random: () => number;
  /** Stores a file in the account's library. @returns its id (`med_…`) and kind */
  storeFile: (file: GivenFile) => Promise<{ id: string; type: FileKind }>;
};

/** The longest delay between targets, and until a follow-up, in seconds: a month. */
const SECONDS_MAX = 2_592_000;
/** Characters of a refused target that an answer repeats. */
const TARGET_SHOWN_MAX = 40;

/**
 * Parses a call of `/send`: each target becomes a separate message. Errors of the whole call are thrown; errors of
 * one target are in its piece.
 *
 * @throws Refusal `input_invalid`, `request_malformed`, and the reasons for refusing a file
 */
export async function readSend(given: Given, context: ReadContext): Promise<SendCall> {
  const many = given.get('data');
  if (many === undefined || many === null || many === '') {
    const pieces = await piecesOf(given, context, MESSAGES_MAX);
    return { pieces, connectedOnly: requiresConnection(given), plan: planOf([given]) };
  }
  const pieces: Piece[] = [];
  const items = listIn(many).map(givenOf);
  for (const fields of items) {
    const left = MESSAGES_MAX - pieces.length;
    if (left === 0) throw tooMany();
    pieces.push(...(await piecesOfItem(fields, context, left)));
  }
  const known = items.filter((fields) => fields !== undefined);
  return {
    pieces,
    connectedOnly: [given, ...known].every(requiresConnection),
    plan: planOf(known),
  };
}

/** An error in one item refuses only that item. */
async function piecesOfItem(
  fields: Given | undefined,
  context: ReadContext,
  max: number,
): Promise<Piece[]> {
  try {
    if (!fields) throw notJson();
    return await piecesOf(fields, context, max);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const given = fields?.get('target');
    const isShown = typeof given === 'string' || typeof given === 'number';
    const target = isShown ? String(given).slice(0, TARGET_SHOWN_MAX) : '';
    return [{ target, message: error, plannedMs: undefined }];
  }
}

function planOf(items: readonly Given[]): string[] | undefined {
  const plan = items.map((fields) =>
    ['schedule', 'followup', 'delay'].map((name) => timeText(fields.get(name))).join(' '),
  );
  return plan.every((one) => one === '0 0 0') ? undefined : plan;
}

const timeText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() || '0' : '0';

const requiresConnection = (given: Given): boolean => !isFalse(given, 'connectOnly');

function listIn(data: unknown): readonly unknown[] {
  let list = data;
  if (typeof data === 'string') {
    try {
      list = JSON.parse(data);
    } catch {
      throw notJson();
    }
  }
  if (!Array.isArray(list) || list.length === 0) throw notJson();
  if (list.length > MESSAGES_MAX) {
    throw tooMany();
  }
  return list;
}

const tooMany = (): Refusal =>
  fieldError('data', `Paling banyak ${MESSAGES_MAX} pesan dalam satu permintaan.`);

const notJson = (): Refusal =>
  new Refusal('request_malformed', { why: 'isian data harus daftar objek JSON' });

async function piecesOf(given: Given, context: ReadContext, max: number): Promise<Piece[]> {
  const targets = targetsOf(given, max);
  const content = await givenContentOf(given, context);
  const plannedMs = plannedFor(given, context.now);
  const nowMs = context.now.getTime();
  const startMs = Math.max(plannedMs ?? nowMs, nowMs);
  const pause = pauseOf(given);
  const replyTo = textOf(given, 'inboxid');
  let waitMs = 0;
  return targets.map((target, index) => {
    if (index > 0) waitMs += pause(context.random) * 1000;
    const atMs = startMs + waitMs;
    const message = messageFrom(forTarget(content, target), {
      to: target.to,
      ...(atMs > nowMs && { send_at: new Date(atMs).toISOString() }),
      ...(replyTo !== undefined && { reply_to: replyTo }),
    });
    const to =
      message instanceof Refusal ? target.to.replace(/^\+(?!8)/, '') : shownPeer(message.to);
    return { target: to, message, plannedMs };
  });
}

/**
 * The scheduled instant of a call, in milliseconds: `schedule` (Unix seconds, possibly past) or `followup` (seconds
 * from now). 0 is now.
 *
 * @throws Refusal `input_invalid`
 */
function plannedFor(given: Given, now: Date): number | undefined {
  const seconds = numberOf(given, 'schedule', Number.MAX_SAFE_INTEGER) ?? 0;
  const after = numberOf(given, 'followup', SECONDS_MAX) ?? 0;
  if (seconds > 0) {
    if (!isPlannable(seconds * 1000)) throw fieldError('schedule', 'Harus waktu Unix dalam detik.');
    return seconds * 1000;
  }
  return after > 0 ? now.getTime() + after * 1000 : undefined;
}

/**
 * The new time of a scheduled message; a past time is now. Ignores `delay`, which spaces the targets of one call.
 *
 * @throws Refusal `input_invalid`, also for all messages of one time at once (`byschedule`)
 */
function readSchedule(given: Given, now: Date): Date {
  if (isTrue(given, 'byschedule')) {
    throw fieldError('byschedule', 'Belum didukung di sini. Sebutkan setiap pesan dengan id-nya.');
  }
  if (textOf(given, 'schedule') === undefined) {
    throw fieldError('schedule', 'Wajib diisi: waktu Unix dalam detik.');
  }
  return new Date(Math.max(plannedFor(given, now) ?? 0, now.getTime()));
}

/** Seconds between two targets: `2`, or a range `1-10`. @throws Refusal `input_invalid` */
function pauseOf(given: Given): (random: () => number) => number {
  const text = (textOf(given, 'delay') ?? '0').replaceAll(/\s/g, '');
  const [, from, to = from] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(text) ?? [];
  const [least, most] = [Number(from), Number(to)];
  if (!(least <= most && most <= SECONDS_MAX)) {
    throw fieldError('delay', 'Harus detik, misalnya 2, atau rentang, misalnya 1-10.');
  }
  return (random) => least + Math.floor(random() * (most - least + 1));
}

/** In this order: an uploaded file, a linked one, a location, a text. @throws Refusal */
async function givenContentOf(given: Given, context: ReadContext): Promise<Content> {
  const words = wordsOf(given);
  const options = { caption: words, filename: textOf(given, 'filename') };
  const file = given.get('file');
  if (isFile(file)) {
    const { id, type } = await context.storeFile(file);
    // A document without a given name has the name of the stored file.
    return mediaContent(type, { id }, options);
  }
  const link = textOf(given, 'url')?.trim();
  if (link !== undefined) return linked({ link }, options);
  const place = textOf(given, 'location');
  if (place !== undefined) return locationOf(place, words);
  if (words === undefined)
    throw fieldError('message', 'Wajib diisi, kecuali ada url, file atau location.');
  return { type: 'text', text: { body: words } };
}

function linked(source: Source & { link: string }, options: Parameters<typeof mediaContent>[2]) {
  const { filename } = options;
  const byName = filename === undefined ? 'document' : kindOf(filename);
  return mediaContent(byName === 'document' ? kindOf(source.link) : byName, source, options);
}

/** A poll or buttons become text. @throws Refusal `input_invalid` */
function wordsOf(given: Given): string | undefined {
  const message = textOf(given, 'message');
  const choices = textOf(given, 'choices');
  const words =
    choices === undefined
      ? (message ?? buttonsText(given))
      : pollText(message ?? textOf(given, 'pollname'), choices);
  if (words !== undefined && words.length > TEXT_MAX) {
    throw fieldError('message', `Paling panjang ${TEXT_MAX} karakter.`);
  }
  return words;
}

/** @throws Refusal `input_invalid` */
function locationOf(text: string, name: string | undefined): Content {
  const [, latitude, longitude] =
    /^\s*(-?\d{1,3}(?:\.\d{1,20})?)\s*,\s*(-?\d{1,3}(?:\.\d{1,20})?)\s*$/.exec(text) ?? [];
  if (latitude === undefined || longitude === undefined) {
    throw fieldError('location', 'Harus lintang dan bujur, misalnya -7.983908,112.621391.');
  }
  return {
    type: 'location',
    location: {
      latitude: Number(latitude),
      longitude: Number(longitude),
      ...(name !== undefined && { name }),
    },
  };
}

function forTarget(content: Content, target: Target): Content {
  if (content.type === 'text') {
    return { type: 'text', text: { body: fillPlaceholders(content.text.body, target) } };
  }
  if (!('caption' in content) || content.caption === undefined) return content;
  return { ...content, caption: fillPlaceholders(content.caption, target) };
}

const LINES_MAX = 30;

function pollText(question: string | undefined, choices: string): string {
  const named = choices
    .split(',', LINES_MAX)
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const lines = named.map((one, index) => `${index + 1}. ${one}`);
  return [...(question === undefined ? [] : [question]), ...lines].join('\n');
}

/**
 * Buttons, a template or a list as text: the message, the options, the footer. Fonnte itself has not shown them
 * since 2023. Undefined without any, or for invalid JSON.
 */
function buttonsText(given: Given): string | undefined {
  for (const name of ['buttonJSON', 'templateJSON', 'listJSON']) {
    const fields = givenOf(parsed(given.get(name)));
    const message = fields?.get('message');
    if (fields && typeof message === 'string' && message !== '') {
      const labels = labelsIn(fields.get('buttons')).map((label) => `• ${label}`);
      const footer = fields.get('footer');
      return [message, ...labels, ...(typeof footer === 'string' ? [footer] : [])].join('\n');
    }
  }
  return undefined;
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function labelsIn(buttons: unknown): string[] {
  const entries = fieldsIn(buttons).flatMap((button) => {
    const list = fieldsIn(button.get('list'));
    return list.length > 0 ? list : [button];
  });
  const labels = entries.map((entry) => entry.get('message'));
  return labels.filter((label) => typeof label === 'string').slice(0, LINES_MAX);
}

const fieldsIn = (list: unknown): Given[] =>
  Array.isArray(list) ? list.slice(0, LINES_MAX).flatMap((one) => givenOf(one) ?? []) : [];

/** One target: its number before normalisation, and its placeholder values. */
type Target = { to: string; values: ReadonlyMap<string, string> | undefined };

const VALUES_MAX = 30;
const VALUE_LENGTH_MAX = 200;

/**
 * The targets of a call: numbers separated by commas, each with its placeholder values after bars
 * (`08123456789|Ani|INV-7`). A leading 0 becomes the country code.
 *
 * @throws Refusal `input_invalid` when there is none, or more than `max`.
 */
function targetsOf(given: Given, max: number): Target[] {
  const parts = listOf(given, 'target', max);
  if (parts.length === 0) throw fieldError('target', 'Wajib diisi: nomor tujuan.');
  const country = countryOf(given);
  return parts.map((part) => {
    const [phone = '', ...values] = part.split('|', VALUES_MAX + 2);
    return { to: phoneOf(phone.trim(), country), values: valuesOf(values) };
  });
}

/** @throws Refusal `input_invalid` */
function countryOf(given: Given): string {
  const code = (textOf(given, 'countryCode') ?? '62').trim().replace(/^\+/, '');
  if (!/^\d{1,4}$/.test(code))
    throw fieldError('countryCode', 'Harus kode negara, misalnya 62, atau 0.');
  return code;
}

function phoneOf(phone: string, country: string): string {
  if (isHiddenPeer(visibleText(phone))) return visibleText(phone);
  const bare = cleanNumber(phone);
  if (!/^\d+$/.test(bare)) return bare === '' ? phone : bare;
  if (bare.startsWith('00')) return `+${bare.slice(2)}`;
  if (country === '0') return `+${bare}`;
  if (bare.startsWith('0')) return `+${country}${bare.slice(1)}`;
  return bare.startsWith('8') && country === '62' ? `+62${bare}` : `+${bare}`;
}

function valuesOf(values: readonly string[]): ReadonlyMap<string, string> | undefined {
  if (values.length === 0) return undefined;
  const named = values
    .slice(0, VALUES_MAX + 1)
    .map((value, index) => [index === 0 ? 'name' : `var${index}`, value.trim()] as const);
  return new Map(named.map(([name, value]) => [name, value.slice(0, VALUE_LENGTH_MAX)]));
}

/** Replaces `{name}` and `{var1}`; unchanged for a target without values. */
function fillPlaceholders(text: string, { values }: Target): string {
  if (!values) return text;
  return text.replaceAll(/\{(name|var\d{1,2})\}/gi, (_place, name: string) => {
    return values.get(name.toLowerCase()) ?? '';
  });
}
