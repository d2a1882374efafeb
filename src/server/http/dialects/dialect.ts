import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '#contract/language/language.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { exactNumber } from '#contract/messages/peer.ts';
import { type Accepted, NewMessage } from '#contract/rest/messages.ts';
import type { Scope } from '#contract/tokens.ts';
import type { Access } from '#server/http/access.ts';
import { asRefusal } from '#server/http/answer.ts';
import { cutAfter, drainBody } from '#server/http/connections.ts';
import { restorePluses } from '#server/http/input.ts';
import { publicOrigin } from '#server/http/origin.ts';
import { idempotencyKey, acceptable, readFields } from '#server/http/v1/send.ts';
import type { ApiMessages } from '#server/domains/messages/messages.ts';
import type { ApiReader, KeyHolder } from '#server/infra/endpoints.ts';
import { waitOf } from '#server/http/v1/answers.ts';
import { FormError, pairsOf } from '#contract/base/form.ts';
import { declaredType, readMultipart } from '#server/http/body.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    refusesMethod?: boolean;
  }
}

export type Device = {
  id: string;
  name: string;
  phone: string | null;
  connected: boolean;
  sentToday: number;
  /** Messages that may still be sent, by the daily limit and the saldo. */
  quota: number;
};

export type DialectDeps = {
  access: Access;
  messages: ApiMessages;
  device: (sender: KeyHolder) => Promise<Device>;
  /** The address that links the sender's phone, valid for ten minutes. */
  link: (sender: KeyHolder) => Promise<string>;
  /** Unlinks the sender's phone at once; does nothing without one. */
  unlink: (sender: KeyHolder) => Promise<unknown>;
  /**
   * Stores a file in the account's library, once per key. @returns its id (`med_…`), and the message type to send it
   * as
   *
   * @throws Refusal `scope_missing`, `idempotency_conflict`, and the reasons for refusing a file
   */
  storeFile: (
    sender: KeyHolder,
    file: GivenFile,
    options: { key: string | undefined; kind?: FileKind },
  ) => Promise<{ id: string; type: FileKind }>;
  now: () => Date;
  /** The public address; undefined for a local installation, which answers under any host name. */
  publicUrl: string | undefined;
  report: (bug: unknown, requestId: string) => void;
};

export type FileKind = 'image' | 'video' | 'audio' | 'document';

export type DialectCall = {
  sender: KeyHolder;
  given: Given;
  /** As the caller wrote them; `given` has known numbers restored, which may change. */
  written: Given;
  request: FastifyRequest;
  reply: FastifyReply;
};

export type DialectRoute = {
  method: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[];
  paths: readonly string[];
  scope: Scope;
  answer: (call: DialectCall) => Promise<object>;
};

export type Dialect = {
  name: 'fonnte' | 'wablas';
  keyOf: (request: FastifyRequest) => string | undefined;
  /** The status and body of a refusal, for a request id and its address. */
  errorResponse: (
    refusal: Refusal,
    call: { id: string; path: string },
  ) => { status: number; body: object };
  bodyLimits: { words: number; files: number };
  routes: readonly DialectRoute[];
  /** The other service's addresses that are missing here get a refusal, not a page. */
  missing: Pick<DialectRoute, 'method' | 'paths'>;
};

/** Registers a dialect's endpoints. Give it a separate scope. */
export function openDialect(scope: FastifyInstance, deps: DialectDeps, dialect: Dialect): void {
  scope.decorateRequest('apiSender', undefined);
  deps.access.recordRejectedCall(scope, dialect.name, dialect.keyOf);
  readBodies(scope, dialect.bodyLimits);
  scope.addHook('onRequest', async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    await deps.access.admit(request, reply, dialect.keyOf(request));
  });
  scope.setErrorHandler((error, request, reply) =>
    sendRefusal(deps, dialect, { error, request, reply }),
  );
  for (const [url, others] of otherMethods(dialect.routes)) {
    scope.route({
      method: others,
      url,
      exposeHeadRoute: false,
      config: { refusesMethod: true },
      handler: () => {
        const allow = methods.filter((one) => !others.includes(one)).join(', ');
        throw new Refusal('method_not_allowed', { allow });
      },
    });
  }
  for (const url of dialect.missing.paths) {
    scope.route({
      method: [...dialect.missing.method],
      url,
      exposeHeadRoute: false,
      handler: missing,
    });
  }
  for (const { method, paths, scope: needed, answer } of dialect.routes) {
    for (const url of paths) {
      scope.route({
        method: [...method],
        url,
        // A HEAD request must not send a message.
        exposeHeadRoute: false,
        handler: async (request, reply) => {
          const sender = request.apiSender;
          if (!sender) throw new Error('the call has no sender');
          deps.access.allow(sender, needed);
          const written = await givenIn(request);
          const given = await withKnownNumbers(deps, sender, written);
          const call = { sender, given, written, request, reply };
          return reply.code(200).send(await answer(call));
        },
      });
    }
  }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

function otherMethods(routes: readonly DialectRoute[]): ReadonlyMap<string, Method[]> {
  const others = new Map<string, Method[]>();
  for (const { method, paths } of routes) {
    for (const path of paths) {
      const left = others.get(path) ?? [...methods];
      others.set(
        path,
        left.filter((one) => !method.some((answered) => answered === one)),
      );
    }
  }
  return others;
}

const numberFields = ['target', 'phone'] as const;
const LOOKED_UP_MAX = 10_000;

/** Adds a `+` to numbers that the account knows in exactly these digits. */
async function withKnownNumbers(
  { messages }: DialectDeps,
  { accountId }: KeyHolder,
  given: Given,
): Promise<Given> {
  const exact = new Set<string>();
  rewriteNumbers(given, (written) => {
    const digits = exactNumber(written);
    if (digits !== undefined && exact.size < LOOKED_UP_MAX) exact.add(digits);
    return written;
  });
  if (exact.size === 0) return given;
  const known = await messages.known(accountId, [...exact]);
  return rewriteNumbers(given, (written) => {
    const digits = exactNumber(written);
    return digits !== undefined && known.has(digits) ? `+${digits}` : written;
  });
}

/** Also rewrites the items of `data`. */
function rewriteNumbers(given: Given, rewrite: (written: string) => string): Given {
  const rewritten = new Map(given);
  for (const name of numberFields) {
    const value = given.get(name);
    if (Array.isArray(value)) {
      const list: unknown[] = value;
      rewritten.set(
        name,
        list.map((one) => (isWritten(one) ? ofPart(String(one), rewrite) : one)),
      );
    } else if (isWritten(value)) {
      const parts = String(value).split(',');
      rewritten.set(name, parts.map((part) => ofPart(part, rewrite)).join(','));
    }
  }
  const items = listIn(given.get('data'));
  if (items) {
    rewritten.set(
      'data',
      items.map((item) => {
        const fields = givenOf(item);
        return fields ? Object.fromEntries(rewriteNumbers(fields, rewrite)) : item;
      }),
    );
  }
  return rewritten;
}

const isWritten = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

function ofPart(part: string, rewrite: (written: string) => string): string {
  const [written = '', ...values] = part.split('|');
  return [rewrite(written), ...values].join('|');
}

/** A list, as JSON or as a text that holds it; undefined for anything else. */
function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as unknown[];
  if (typeof value !== 'string' || !value.trimStart().startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? (list as unknown[]) : undefined;
  } catch {
    return undefined;
  }
}

function missing(): never {
  throw new Refusal('path_unknown', {});
}

/** Reads the rest of the body first, so that the sender receives the refusal. */
async function sendRefusal(
  { report }: DialectDeps,
  dialect: Dialect,
  { error, request, reply }: { error: unknown; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  if (!(await drainBody(request))) cutAfter(reply);
  const no = asRefusal(error, request.id);
  // If all items were refused, the first refusal is the answer, and each is recorded.
  if (!request.apiRefusals?.includes(no)) request.apiRefusals = [no];
  if (no.code === 'our_fault') report(error, request.id);
  const wait = waitOf(no);
  if (wait !== undefined) void reply.header('retry-after', wait);
  const { status, body } = dialect.errorResponse(no, {
    id: request.id,
    path: request.routeOptions.url ?? '',
  });
  return reply.code(status).header('x-kabari-error', no.code).send(body);
}

type EachOptions = {
  read: readonly (NewMessage | Refusal)[];
  shape: string;
  /** Identifies a repeat: the messages as `byRule` reads them, without computed values. */
  identity: unknown;
};

/**
 * Reads a call twice: with the numbers that the account knows, and as the caller wrote it. A repeat with the same
 * key is compared by the second reading, as the account may have come to know a number between the two calls.
 */
export async function readBoth<T>(
  { given, written, request }: DialectCall,
  read: (given: Given) => T | Promise<T>,
): Promise<{ read: T; byRule: T }> {
  const first = await read(given);
  const isSame = given === written || idempotencyKey(request) === undefined;
  return { read: first, byRule: isSame ? first : await read(written) };
}

/** The result of each message, and the time of the first answer, in ms since 1970. */
type EachResult = { results: readonly (Accepted | Refusal)[]; at: number };

/** Sends the valid messages, and merges the results with the refusals of the invalid ones. */
export async function sendEach(
  { messages: { send }, now }: DialectDeps,
  { sender, request, reply }: Pick<DialectCall, 'sender' | 'request' | 'reply'>,
  { read, shape, identity }: EachOptions,
): Promise<EachResult> {
  const messages = acceptable(read);
  const key = idempotencyKey(request);
  if (messages.length === 0) {
    const refused = read as readonly Refusal[];
    request.apiRefusals = refused;
    return { results: refused, at: now().getTime() };
  }
  const answer = { language: 'id' as const, shape };
  const sent = await send({ sender, messages, key, answer, identity });
  if (sent.replayed) void reply.header('Idempotent-Replayed', 'true');
  const results = sent.results[Symbol.iterator]();
  const merged = read.map((one) =>
    one instanceof Refusal
      ? one
      : (results.next().value ?? new Refusal('our_fault', { request: request.id })),
  );
  request.apiRefusals = merged.filter((one) => one instanceof Refusal);
  return { results: merged, at: sent.at };
}

/** The language and file origin of a dialect's answers, which are always Indonesian. */
export const readerOf = (
  deps: Pick<DialectDeps, 'publicUrl'>,
  request: FastifyRequest,
): ApiReader => ({
  language: 'id' satisfies Language,
  origin: publicOrigin(deps, request),
});

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const JSON_TYPE = 'application/json';

/** Fields of one form, and characters of a name. */
const PAIRS_MAX = 1000;
const NAME_LENGTH_MAX = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Body size limits of a dialect in bytes, without and with files. */
type BodyLimits = { words: number; files: number };

function readBodies(scope: FastifyInstance, { words, files }: BodyLimits): void {
  scope.removeAllContentTypeParsers();
  for (const [type, bodyLimit] of [
    [FORM, words],
    [JSON_TYPE, words],
    [MULTIPART, files],
  ] as const) {
    scope.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
      done(null, body),
    );
  }
}

/**
 * The fields of a call, from its address and its body; the body wins.
 *
 * @throws Refusal `request_malformed`, `body_too_large`
 */
async function givenIn(request: FastifyRequest): Promise<Given> {
  const { body, headers, url } = request;
  const mark = url.indexOf('?');
  try {
    // Not Fastify's own query parser, which ignores invalid escapes.
    const given = new Map<string, unknown>(formOf(mark === -1 ? '' : url.slice(mark + 1)));
    if (!Buffer.isBuffer(body) || body.length === 0) return given;
    const type = headers['content-type'] ?? '';
    for (const [name, value] of await fieldsOf(type, body)) given.set(name, value);
    return given;
  } catch (error) {
    if (error instanceof FormError) throw new Refusal('request_malformed', { why: error.why });
    throw error;
  }
}

async function fieldsOf(type: string, body: Buffer): Promise<Iterable<readonly [string, unknown]>> {
  const named = type.split(';', 1)[0]?.trim().toLowerCase();
  if (named === MULTIPART) return partsOf(type, body);
  const text = bodyText(body);
  if (named === FORM) return formOf(text);
  const fields = givenOf(jsonOf(text));
  if (!fields) throw new FormError('isinya harus objek JSON');
  return fields;
}

function bodyText(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new FormError('isinya bukan UTF-8');
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FormError('JSON-nya tidak lengkap atau salah tulis');
  }
}

function formOf(text: string): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (const pair of pairsOf(text)) {
    checkName(pair[0]);
    const [name, value] = pair;
    pairs.push([name, withPluses(name, value)]);
    if (pairs.length > PAIRS_MAX) throw new FormError('terlalu banyak isian');
  }
  return pairs;
}

function withPluses(name: string, value: string): string {
  if (name === 'target' || name === 'phone') return restorePluses(value);
  if (name !== 'data') return value;
  return value.replaceAll(/(?<="(?:target|phone)"\s*:\s*")[^"]*/g, restorePluses);
}

async function partsOf(type: string, body: Buffer): Promise<[string, string | GivenFile][]> {
  const parts: [string, string | GivenFile][] = [];
  for (const [name, value] of await readMultipart(type, body)) {
    checkName(name);
    if (typeof value === 'string') parts.push([name, value]);
    else {
      const bytes = Buffer.from(await value.arrayBuffer());
      parts.push([name, { filename: value.name, type: declaredType(value.type), bytes }]);
    }
  }
  return parts;
}

function checkName(name: string): void {
  if (name.length > NAME_LENGTH_MAX) throw new FormError('nama isian terlalu panjang');
}

/** A file from a body, with its declared type; empty without one. */
export type GivenFile = { filename: string; type: string; bytes: Buffer };

/**
 * The fields of a call by name: texts of a form, values of JSON, files of a multipart body. A map, so that no name
 * reaches a prototype.
 */
export type Given = ReadonlyMap<string, unknown>;

/** The fields of a JSON object; undefined for anything else. */
export function givenOf(value: unknown): Given | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value));
}

/** A refusal of one field, with a sentence that says what it takes. */
export const fieldError = (field: string, sentence: string): Refusal =>
  new Refusal('input_invalid', { fields: { [field]: sentence } });

export const isFile = (value: unknown): value is GivenFile =>
  typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes);

/**
 * A field as text: numbers and booleans as in JSON, since forms know only text. Undefined when it is missing, null,
 * or empty.
 *
 * @throws Refusal `input_invalid` for a list, an object or a file.
 */
export function textOf(given: Given, name: string): string | undefined {
  const value = given.get(name);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw fieldError(name, 'Harus teks.');
}

/** True for `true`, `"true"`, `1`, `"1"`. */
export const isTrue = (given: Given, name: string): boolean =>
  isOneOf(given.get(name), 'true', '1');

/** True for an explicit `false`, `"false"`, `0`, `"0"`. */
export const isFalse = (given: Given, name: string): boolean =>
  isOneOf(given.get(name), 'false', '0');

const isOneOf = (value: unknown, ...words: readonly string[]): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) &&
  words.includes(JSON.stringify(value).replaceAll('"', '').toLowerCase());

/**
 * The non-empty parts of a comma-separated list, or of a JSON list of texts and numbers.
 *
 * @throws Refusal `input_invalid` when there are more than `max`, or one of them is no text.
 */
export function listOf(given: Given, name: string, max: number): string[] {
  const value = given.get(name);
  const texts = Array.isArray(value)
    ? value.map((one, index) => textOf(new Map([[`${name}.${index}`, one]]), `${name}.${index}`))
    : (textOf(given, name) ?? '').split(',', max + 1);
  const parts = texts.map((one) => (one ?? '').trim()).filter((one) => one !== '');
  if (parts.length > max) throw fieldError(name, `Paling banyak ${max} dalam satu permintaan.`);
  return parts;
}

/** A whole number up to `max`; undefined when it is missing. @throws Refusal `input_invalid` */
export function numberOf(given: Given, name: string, max: number): number | undefined {
  const text = textOf(given, name)?.trim();
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text) || Number(text) > max) {
    throw fieldError(name, `Harus bilangan bulat 0 sampai ${max}.`);
  }
  return Number(text);
}

export type Content =
  | { type: 'text'; text: { body: string } }
  | { type: 'image' | 'video'; media: Source; caption?: string }
  | { type: 'audio'; media: Source }
  | { type: 'document'; media: Source; filename?: string; caption?: string }
  | { type: 'location'; location: { latitude: number; longitude: number; name?: string } };

export type Source = { link: string } | { id: string };

type Envelope = {
  to: string;
  send_at?: string;
  reply_to?: string;
  priority?: 'normal' | 'bulk';
  metadata?: Record<string, string>;
};

/** Parsed by the schema of `/v1`, so refusals name its fields (`to`, `text.body`, `image.link`). */
export function messageFrom(content: Content, envelope: Envelope): NewMessage | Refusal {
  return readFields(NewMessage(), shapeOf(content, envelope), { language: 'id', whole: 'message' });
}

function shapeOf(content: Content, envelope: Envelope): Record<string, unknown> {
  const { type } = content;
  switch (content.type) {
    case 'text':
    case 'location':
      return { ...envelope, ...content };
    case 'audio':
      return { ...envelope, type, audio: content.media };
    case 'image':
    case 'video':
      return { ...envelope, type, [type]: content.media, ...captionOf(content) };
    case 'document': {
      const { media, filename } = content;
      const document = { ...media, ...(filename !== undefined && { filename }) };
      return { ...envelope, type, document, ...captionOf(content) };
    }
  }
}

const captionOf = ({ caption }: { caption?: string }) => (caption === undefined ? {} : { caption });

/** Audio has no caption, and only a document has a name. */
export function mediaContent(
  type: 'image' | 'video' | 'audio' | 'document',
  media: Source,
  { caption, filename }: { caption?: string | undefined; filename?: string | undefined },
): Content {
  if (type === 'audio') return { type, media };
  const words = caption === undefined ? {} : { caption };
  if (type !== 'document') return { type, media, ...words };
  return { type, media, ...(filename !== undefined && { filename }), ...words };
}

const endings = {
  image: ['jpg', 'jpeg', 'png', 'gif', 'webp'],
  video: ['mp4', 'mpeg', 'mov', '3gp', 'webm'],
  audio: ['mp3', 'ogg', 'oga', 'opus', 'm4a', 'aac', 'amr', 'wav', 'mpga'],
} as const;

/** The kind of a file by the extension of its name or address; a document when that is unknown. */
export function kindOf(name: string): 'image' | 'video' | 'audio' | 'document' {
  const path = name.split(/[?#]/, 1)[0] ?? '';
  const ending = /\.([a-z0-9]{1,5})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  for (const kind of ['image', 'video', 'audio'] as const) {
    if ((endings[kind] as readonly string[]).includes(ending)) return kind;
  }
  return 'document';
}

/** The last segment of an address's path, decoded, as a file name; undefined without one. */
export function nameIn(link: string): string | undefined {
  const last = /^https?:\/\/[^/?#]+\/(?:[^?#]*\/)?([^/?#]+)/i.exec(link)?.[1];
  if (last === undefined) return undefined;
  try {
    return decodeURIComponent(last).slice(0, 240);
  } catch {
    return last.slice(0, 240);
  }
}

/** The first plausible instant of a schedule; earlier values have another meaning. */
const TIMES_FROM_MS = Date.UTC(2000, 0, 1);
const TIMES_TO_MS = Date.UTC(9999, 0, 1);

export const isPlannable = (atMs: number): boolean => atMs >= TIMES_FROM_MS && atMs < TIMES_TO_MS;
