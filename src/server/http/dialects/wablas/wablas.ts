import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal, type FactsOf, type RefusalCode, refusals } from '#contract/base/refusals.ts';
import {
  type DialectCall,
  type DialectDeps,
  type DialectRoute,
  openDialect,
  readBoth,
  readerOf,
  sendEach,
  type Device,
  type Given,
  type GivenFile,
  listOf,
  fieldError,
  numberOf,
  textOf,
} from '#server/http/dialects/dialect.ts';
import { idempotencyKey, acceptable } from '#server/http/v1/send.ts';
import {
  type Piece,
  readMany,
  readOne,
  readPlan,
  readPlans,
  type Day,
  dayAt,
  dayOf,
  inWib,
} from './read.ts';
import { idFloor, publicId, uuidOf } from '#contract/base/ids.ts';
import { MessageStatus, MessageType } from '#contract/messages.ts';
import type { ApiMessage, Accepted } from '#contract/rest/messages.ts';
import { normalizePeer, shownPeer } from '#contract/messages/peer.ts';
import { refuseUnstorable } from '#server/http/input.ts';

/** An image of 2 MB is sent as base64 in a form, where half of its characters are escaped. */
const BODY_LIMITS = { words: 4_194_304, files: 5_242_880 };
const CANCEL_MAX = 100;

const media = ['image', 'document', 'video', 'audio'] as const;

/** The Wablas dialect (docs/dialects.md#wablas), under `/api/` of the base address. */
export function openWablas(scope: FastifyInstance, deps: DialectDeps): void {
  openDialect(scope, deps, {
    name: 'wablas',
    keyOf,
    errorResponse: (refusal) => ({ status: statusOf(refusal), body: errorBody(refusal) }),
    bodyLimits: BODY_LIMITS,
    routes: [...sendRoutes(deps), ...otherRoutes(deps)],
    missing: { method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], paths: ['/api/*'] },
  });
}

/** The bare header, or `token` in the address; `.secret_key` after the key is ignored. */
function keyOf({ headers, query }: FastifyRequest): string | undefined {
  const given = headers.authorization ?? (query as { token?: unknown }).token;
  if (typeof given !== 'string') return undefined;
  const [key = ''] = given
    .replace(/^bearer +/i, '')
    .trim()
    .split('.', 1);
  return key === '' ? undefined : key;
}

function sendRoutes(deps: DialectDeps): DialectRoute[] {
  const post = (path: string, answer: DialectRoute['answer']): DialectRoute => ({
    method: ['POST'],
    paths: [path],
    scope: 'messages.send',
    answer,
  });
  const sent = async (call: DialectCall, read: Read) =>
    sendAnswer(await send(deps, call, read), await deps.device(call.sender));
  return [
    {
      method: ['GET', 'POST'],
      paths: ['/api/send-message'],
      scope: 'messages.send',
      answer: (call) => sent(call, (given) => readOne(given, 'message')),
    },
    post('/api/v2/send-message', (call) => sent(call, (given) => readMany(given, 'message'))),
    ...media.flatMap((kind) => [
      post(`/api/send-${kind}`, (call) => sent(call, (given) => readOne(given, kind))),
      post(`/api/v2/send-${kind}`, (call) => sent(call, (given) => readMany(given, kind))),
      post(`/api/send-${kind}-from-local`, (call) => {
        const key = idempotencyKey(call.request);
        const store = (file: GivenFile) => deps.storeFile(call.sender, file, { key, kind });
        return sent(call, (given) => readOne(given, kind, store));
      }),
    ]),
    post('/api/schedule', async (call) => {
      const outcomes = await send(deps, call, readPlan);
      return planAnswer(outcomes, listOf(call.given, 'phone', outcomes.length));
    }),
    post('/api/v2/schedule', async (call) => plansAnswer(await send(deps, call, readPlans))),
  ];
}

const otherRoutes = (deps: DialectDeps): DialectRoute[] => [
  {
    method: ['GET', 'POST'],
    paths: ['/api/cancel-message'],
    scope: 'messages.send',
    answer: (call) => cancelMany(deps, call),
  },
  {
    method: ['PUT'],
    paths: ['/api/schedule-cancel/:id'],
    scope: 'messages.send',
    answer: (call) => cancelPlan(deps, call, 'schedule canceled successfully'),
  },
  {
    method: ['DELETE'],
    paths: ['/api/schedule/:id'],
    scope: 'messages.send',
    answer: (call) => cancelPlan(deps, call, 'schedule deleted successfully'),
  },
  {
    method: ['GET'],
    paths: ['/api/report/message'],
    scope: 'messages.read',
    answer: (call) => reportOf(deps, call),
  },
  {
    method: ['GET'],
    paths: ['/api/report-realtime'],
    scope: 'messages.read',
    answer: (call) => reportToday(deps, call),
  },
  {
    method: ['GET'],
    paths: ['/api/device/info'],
    scope: 'account.read',
    answer: async ({ sender }) => deviceAnswer(await deps.device(sender)),
  },
];

type Read = (given: Given) => Piece[] | Promise<Piece[]>;

/** If no message is accepted, the call is refused for the first reason. */
async function send(deps: DialectDeps, call: DialectCall, readPieces: Read): Promise<Outcome[]> {
  const { read: pieces, byRule } = await readBoth(call, readPieces);
  if (call.sender.status === 'disconnected') throw new Refusal('token_not_linked', {});
  const read = pieces.map(({ message }) => message);
  const identity = acceptable(byRule.map(({ message }) => message));
  const { results } = await sendEach(deps, call, { read, shape: 'wablas', identity });
  const [first] = results;
  if (first instanceof Refusal && results.every((one) => one instanceof Refusal)) throw first;
  return pieces.map((piece, index) => ({
    piece,
    result: results[index] ?? new Refusal('our_fault', { request: call.request.id }),
  }));
}

async function cancelMany(deps: DialectDeps, call: DialectCall): Promise<object> {
  const ids = listOf(call.given, 'id', CANCEL_MAX);
  if (ids.length === 0) throw fieldError('id', 'Wajib diisi: id pesan.');
  const messages: object[] = [];
  for (const id of ids) messages.push(await cancelOne(deps, call, id));
  return {
    status: true,
    message: 'Message is canceled and waiting to be processed',
    data: { messages },
  };
}

async function cancelOne(
  deps: DialectDeps,
  { sender, request }: DialectCall,
  id: string,
): Promise<object> {
  try {
    return cancelledRow(await deps.messages.cancel(sender, messageId(id), readerOf(deps, request)));
  } catch (error) {
    if (error instanceof Refusal) return uncancelledRow(error);
    throw error;
  }
}

async function cancelPlan(
  deps: DialectDeps,
  { sender, request }: DialectCall,
  message: string,
): Promise<object> {
  const { id = '' } = request.params as { id?: string };
  await deps.messages.cancel(sender, messageId(id), readerOf(deps, request));
  return { status: true, message };
}

/** Messages per report, at most: the newest of its day. */
const MESSAGES_MAX = 1000;
const PAGE_MESSAGES = 100;
const PER_PAGE = 50;
const PAGES_MAX = 1_000_000;
const IDS_MAX = 100;

/** `/api/report/message`: sent messages of a day, or the newest, in pages. @throws Refusal */
export async function reportOf(deps: DialectDeps, call: DialectCall): Promise<object> {
  const { given } = call;
  const date = textOf(given, 'date')?.trim();
  const day = date === undefined ? undefined : dayOf(date);
  if (date !== undefined && !day) throw fieldError('date', 'Harus tanggal seperti 2026-11-23.');
  const size = numberOf(given, 'perPage', MESSAGES_MAX) || PER_PAGE;
  const { rows, page, pages, total } = await pageOf(deps, call, { day, size });
  const message = rows.map(({ file, ...row }) => ({ ...row, URL_file: file }));
  return {
    status: true,
    totalData: total,
    perPage: String(size),
    page: String(page),
    totalPage: pages,
    message,
  };
}

/** `/api/report-realtime`: the messages sent today, in pages. @throws Refusal */
export async function reportToday(deps: DialectDeps, call: DialectCall): Promise<object> {
  const size = numberOf(call.given, 'limit', MESSAGES_MAX) || PER_PAGE;
  const found = await pageOf(deps, call, { day: dayAt(deps.now()), size });
  const message = found.rows.map(({ text, ...row }) => ({ ...row, message: text }));
  return {
    status: true,
    message: message.length === 0 ? [] : message,
    device_id: found.deviceId,
    page: String(found.page),
    totalPage: found.pages,
    totalData: found.total,
  };
}

async function pageOf(
  deps: DialectDeps,
  call: DialectCall,
  { day, size }: { day: Day | undefined; size: number },
) {
  const page = numberOf(call.given, 'page', PAGES_MAX) || 1;
  const query = reportQueryOf(call.given, day);
  const ids = listOf(call.given, 'message_id', IDS_MAX);
  const [device, all] = await Promise.all([
    deps.device(call.sender),
    ids.length > 0
      ? findByIds(deps, call, { ids, query })
      : findNewest(deps, call, { day, query, enough: page * size + 1 }),
  ]);
  return {
    rows: all.slice((page - 1) * size, page * size).map((one) => reportRow(one, device.phone)),
    page,
    pages: Math.max(1, Math.ceil(all.length / size)),
    total: all.length,
    deviceId: device.id,
  };
}

async function findByIds(
  { messages, ...deps }: DialectDeps,
  { sender, request }: DialectCall,
  { ids, query }: { ids: readonly string[]; query: ReportQuery },
): Promise<ApiMessage[]> {
  const found: ApiMessage[] = [];
  for (const id of new Set(ids.map((one) => messageId(one)))) {
    try {
      found.push(await messages.one(sender, id, readerOf(deps, request)));
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'not_found')) throw error;
    }
  }
  return found
    .filter((one) => one.direction === 'out' && query.has(one))
    .toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

/**
 * The sender's newest messages that match the filter, of a day or of all time. Reads until `enough` are found, and
 * at most `MESSAGES_MAX` messages.
 */
async function findNewest(
  deps: DialectDeps,
  { sender, request }: DialectCall,
  { day, query, enough }: { day: Day | undefined; query: ReportQuery; enough: number },
): Promise<ApiMessage[]> {
  const { phone, statuses, type } = query;
  if (statuses?.length === 0 || type === null) return [];
  const reader = readerOf(deps, request);
  const found: ApiMessage[] = [];
  let cursor = day && firstIdAt(day.to);
  for (let read = 0; read < MESSAGES_MAX && found.length < enough; read += PAGE_MESSAGES) {
    const { messages, next } = await deps.messages.list(
      sender,
      {
        direction: 'out',
        limit: PAGE_MESSAGES,
        statuses,
        type,
        ...(cursor !== undefined && { cursor }),
        ...(phone !== undefined && { peer: phone }),
      },
      reader,
    );
    const within = messages.filter((one) => !day || new Date(one.created_at) >= day.from);
    found.push(...within.filter(query.has));
    if (next === null || within.length < messages.length) break;
    cursor = next;
  }
  return found;
}

/** Refuses an invalid phone as sending does. @throws Refusal `input_invalid` */
function phoneIn(given: Given): string | undefined {
  const phone = textOf(given, 'phone');
  const no = refuseUnstorable(phone, 'id', 'to');
  if (no) throw no;
  return phone === undefined ? undefined : normalizePeer(phone);
}

/** The lowest possible message id of an instant: ids begin with the time. */
const firstIdAt = (at: Date): string => publicId('message', idFloor(at.getTime()));

type ReportQuery = {
  phone: string | undefined;
  statuses: readonly MessageStatus[] | undefined;
  type: MessageType | null | undefined;
  has: (message: ApiMessage) => boolean;
};

/** @throws Refusal `input_invalid` */
function reportQueryOf(given: Given, day: Day | undefined): ReportQuery {
  const [status, kind] = [textOf(given, 'status'), textOf(given, 'type')];
  const [refId, words] = [textOf(given, 'ref_id'), textOf(given, 'text')?.toLowerCase()];
  const phone = phoneIn(given);
  const statuses =
    status === undefined
      ? undefined
      : MessageStatus().options.filter((one) => statusWord(one) === status);
  const type =
    kind === undefined ? undefined : (MessageType().options.find((one) => one === kind) ?? null);
  const has = (message: ApiMessage) => {
    const row = reportRow(message, null);
    const at = new Date(message.created_at);
    return (
      (day === undefined || (at >= day.from && at < day.to)) &&
      (phone === undefined || message.peer === shownPeer(phone)) &&
      (statuses === undefined || statuses.includes(message.status)) &&
      (type === undefined || message.type === type) &&
      (refId === undefined || row.ref_id === refId) &&
      (words === undefined || (row.text ?? '').toLowerCase().includes(words))
    );
  };
  return { phone, statuses, type, has };
}

const PENDING = 'Message is pending and waiting to be processed';
const SAVED = 'Scheduled Messages is succesfully saved and waiting to be processed';

type Outcome = { piece: Piece; result: Accepted | Refusal };

const errorBody = (no: Refusal): object => ({ status: false, message: messageOf(no) });

/** A row per phone, in order, also for refused ones. */
const sendAnswer = (outcomes: readonly Outcome[], device: Device): object => ({
  status: true,
  message: PENDING,
  data: {
    device_id: device.id,
    quota: device.quota,
    messages: outcomes.map(({ piece, result }) =>
      result instanceof Refusal
        ? refusedRow(piece, result)
        : {
            id: dialectId(result.id),
            phone: piece.phone,
            ...piece.shown,
            status: 'pending',
            ref_id: piece.refId ?? null,
          },
    ),
  },
});

const refusedRow = ({ phone }: Piece, no: Refusal) => ({
  id: null,
  phone,
  message: messageOf(no),
  status: false,
});

const planAnswer = (outcomes: readonly Outcome[], phones: readonly string[]): object => ({
  status: true,
  category: 'text',
  message: SAVED,
  'phones list': phones,
  messages: outcomes.map(({ piece, result }) =>
    result instanceof Refusal
      ? refusedRow(piece, result)
      : {
          id: dialectId(result.id),
          phone: piece.phone,
          message: piece.shown['message'] ?? null,
          status: true,
          timezone: piece.planned?.timezone,
          schedule_at: piece.planned?.schedule_at,
        },
  ),
});

const plansAnswer = (outcomes: readonly Outcome[]): object => ({
  status: true,
  message: PENDING,
  data: {
    messages: outcomes.map(({ piece, result }) => {
      if (result instanceof Refusal) return refusedRow(piece, result);
      const { message, caption, image, document, video, audio } = piece.shown;
      return {
        id: dialectId(result.id),
        phone: piece.phone,
        messages: message ?? caption ?? null,
        file: image ?? document ?? video ?? audio ?? null,
        timezone: piece.planned?.timezone,
        schedule_at: piece.planned?.schedule_at,
      };
    }),
  },
});

const cancelledRow = (message: ApiMessage): object => ({
  id: dialectId(message.id),
  phone: message.peer,
  message: wordsOf(message),
  status: 'cancel',
});

const uncancelledRow = (no: Refusal): object => ({ message: messageOf(no), status: false });

const deviceAnswer = ({ id, name, phone, connected, quota }: Device): object => ({
  status: true,
  data: {
    name,
    serial: id,
    sender: shownPeer(phone ?? ''),
    quota,
    expired_date: null,
    active: true,
    status: connected ? 'connected' : 'disconnected',
  },
});

function statusWord(status: ApiMessage['status']): string {
  switch (status) {
    case 'scheduled':
    case 'accepted':
    case 'queued':
    case 'sending':
      return 'pending';
    case 'delivered':
    case 'received':
      return 'received';
    case 'sent':
    case 'read':
      return status;
    case 'cancelled':
      return 'cancel';
    case 'failed':
    case 'expired':
      return 'reject';
  }
}

function wordsOf({ content }: Pick<ApiMessage, 'content'>): string | null {
  for (const name of ['text', 'body', 'caption']) {
    const value = content[name];
    if (typeof value === 'string') return value;
  }
  return null;
}

function reportRow(message: ApiMessage, from: string | null) {
  const { content, created_at: at, id, peer, status, type } = message;
  const link = content['link'];
  const refId = refIdOf(content);
  return {
    id: dialectId(id),
    phone: { from: shownPeer(from ?? ''), to: peer },
    category: type,
    text: wordsOf(message),
    file: typeof link === 'string' ? link : null,
    status: statusWord(status),
    type: 'agent',
    ref_id: refId,
    date: { created_at: inWib(at), updated_at: inWib(at) },
  };
}

function refIdOf(content: ApiMessage['content']): string | null {
  const metadata = content['metadata'];
  if (typeof metadata !== 'object' || metadata === null) return null;
  const refId = (metadata as Record<string, unknown>)['ref_id'];
  return typeof refId === 'string' ? refId : null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A message's id in this dialect: the UUID behind `msg_…`. */
export const dialectId = (id: string): string => uuidOf('message', id) ?? id;

/** Our id for one of the dialect; `msg_…` is unchanged. */
export const messageId = (id: string): string =>
  UUID.test(id) ? publicId('message', id.toLowerCase()) : id;

/** The dialect's own refusal texts; the true reason is in `X-Kabari-Error`. */
const TOKEN = 'token invalid';
const QUOTA = 'insufficient quota';
const TOO_LARGE = 'file size is too large';
const FORMAT = 'file format is not supported';
const URL_INVALID = 'url file invalid';

const byCode: Partial<Record<RefusalCode, string>> = {
  token_missing: TOKEN,
  token_invalid: TOKEN,
  account_suspended: TOKEN,
  token_not_linked: 'device disconnected, need to scan qr code again',
  saldo_short: QUOTA,
  bonus_only: QUOTA,
  wallet_frozen: QUOTA,
  token_limit_reached: QUOTA,
  queue_full: QUOTA,
  recipient_opted_out: 'phone is on blacklist',
  recipient_without_number: 'format phone invalid',
  request_malformed: 'payload invalid',
  body_too_large: TOO_LARGE,
  upload_too_large: TOO_LARGE,
  upload_empty: 'file invalid',
  upload_kind_refused: FORMAT,
  upload_contradicts: FORMAT,
  upload_unsafe: FORMAT,
  upload_infected: FORMAT,
  media_unfit: FORMAT,
  storage_full: QUOTA,
  not_found: 'Id Invalid or message is not pending anymore',
  message_final: 'Id Invalid or message is not pending anymore',
  message_in_flight: 'Id Invalid or message is not pending anymore',
};

const byField: Readonly<Record<string, string>> = {
  to: 'format phone invalid',
  phone: 'phone is required',
  isGroup: 'group is not supported',
  scheduled_at: 'schedule time invalid',
};

export function messageOf(no: Refusal): string {
  if (no.code === 'input_invalid') {
    const [field = 'payload'] = Object.keys((no.facts as FactsOf<'input_invalid'>).fields);
    if (Object.hasOwn(byField, field)) return byField[field] ?? '';
    return field.endsWith('.link') ? URL_INVALID : `${wordOf(field)} invalid`;
  }
  const { status } = refusals[no.code];
  return byCode[no.code] ?? (status === 401 || status === 403 ? TOKEN : 'request invalid');
}

/** The dialect's name of a field; names that are not plain words are not repeated. */
function wordOf(field: string): string {
  if (field === 'text.body') return 'message';
  return /^[a-z_]{1,20}$/.test(field) ? field : 'payload';
}

/** The status of a refusal: 200, except internal errors and rate limits. */
function statusOf(no: Refusal): number {
  const { status } = refusals[no.code];
  return status >= 500 || no.code === 'too_many_requests' ? status : 200;
}
