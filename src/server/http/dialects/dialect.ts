import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '#contract/language/language.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { exactNumber } from '#contract/messages/peer.ts';
import type { MessageStatus, MessageType } from '#contract/messages.ts';
import type { Accepted, ApiMessage, ApiMessageQuery, NewMessage } from '#contract/rest/messages.ts';
import type { Scope } from '#contract/tokens.ts';
import type { Access, ApiSender } from '#server/http/access.ts';
import { asRefusal } from '#server/http/answer.ts';
import { cutAfter, drained } from '#server/http/body-timeout.ts';
import { type KnownNumbers, restorePluses } from '#server/http/input.ts';
import { publicOrigin } from '#server/http/public-origin.ts';
import { type ApiReader, idempotencyKey } from '#server/http/v1/call.ts';
import { acceptable } from '#server/http/v1/send.ts';
import type { MessageCalls } from '#server/http/v1/endpoints.ts';
import { waitOf } from '#server/http/v1/problem.ts';
import { type Given, type GivenFile, givenOf } from './given.ts';
import { FormError, pairsOf } from '#contract/base/form.ts';
import { declaredType, readMultipart } from '#server/http/body.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** This route answers requests with a wrong method. */
    refusesMethod?: boolean;
  }
}

/** What is known of the sender behind a key. */
export type Device = {
  id: string;
  name: string;
  /** The linked number; null while none is. */
  phone: string | null;
  connected: boolean;
  /** Messages accepted today. */
  sentToday: number;
  /** Messages that may still be sent: today, and from the saldo. */
  quota: number;
};

/** What the application hands to these dialects: they know no domain. */
export type DialectDeps = {
  access: Access;
  messages: Omit<MessageCalls, 'list'> & {
    /** As of the API, where one of several statuses, and a type, can be asked for too. */
    list: (
      sender: ApiSender,
      query: ApiMessageQuery & {
        statuses?: readonly MessageStatus[] | undefined;
        type?: MessageType | undefined;
      },
      reader: ApiReader,
    ) => Promise<{ messages: readonly ApiMessage[]; next: string | null }>;
    /** Gives a planned message another time. @throws Refusal `message_in_flight`, `message_final` */
    reschedule: (
      sender: ApiSender,
      id: string,
      at: Date,
      reader: ApiReader,
    ) => Promise<{ id: string }>;
  };
  knownNumbers: KnownNumbers;
  /** The sender behind a key, as it is now. */
  device: (sender: ApiSender) => Promise<Device>;
  /** The address where the sender's phone is linked, good for ten minutes. */
  link: (sender: ApiSender) => Promise<string>;
  /** Parts the sender from its phone, at once; one without a phone stays as it is. */
  unlink: (sender: ApiSender) => Promise<unknown>;
  /**
   * Takes a file into the account's own, once for each key: its id (`med_…`), and as what it may be sent.
   *
   * @throws Refusal `scope_missing`, `idempotency_conflict`, and what a file is refused for
   */
  storeFile: (
    sender: ApiSender,
    file: GivenFile,
    options: { key: string | undefined; kind?: FileKind },
  ) => Promise<{ id: string; type: FileKind }>;
  now: () => Date;
  /** The address people use; undefined for a local installation, which answers under any name. */
  publicUrl: string | undefined;
  report: (bug: unknown, requestId: string) => void;
};

/** As what a file is sent. */
export type FileKind = 'image' | 'video' | 'audio' | 'document';

/** One call, its fields read. */
export type DialectCall = {
  sender: ApiSender;
  given: Given;
  /** As the caller wrote it: what `given` adds by what the account knows differs between two calls. */
  written: Given;
  request: FastifyRequest;
  reply: FastifyReply;
};

/** An endpoint of a dialect. */
export type DialectRoute = {
  method: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[];
  paths: readonly string[];
  scope: Scope;
  answer: (call: DialectCall) => Promise<object>;
};

/** How a dialect differs from the others in all its endpoints. */
export type Dialect = {
  /** As the calls that it refused are kept under. */
  name: 'fonnte' | 'wablas';
  /** The key of a call. */
  keyOf: (request: FastifyRequest) => string | undefined;
  /** The status and the body of a "no" to a call: its id, and the address it was for. */
  no: (refusal: Refusal, call: { id: string; path: string }) => { status: number; body: object };
  bodyLimits: { words: number; files: number };
  routes: readonly DialectRoute[];
  /** Addresses of the other service that do not exist here: a "no" in the dialect's shape, not a page. */
  missing: Pick<DialectRoute, 'method' | 'paths'>;
};

/** Registers a dialect's endpoints. Give it a scope of its own. */
export function openDialect(scope: FastifyInstance, deps: DialectDeps, dialect: Dialect): void {
  scope.decorateRequest('apiSender', undefined);
  deps.access.recordRejectedCall(scope, dialect.name, dialect.keyOf);
  readBodies(scope, dialect.bodyLimits);
  scope.addHook('onRequest', async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    await deps.access.admit(request, reply, dialect.keyOf(request));
  });
  scope.setErrorHandler((error, request, reply) => sayNo(deps, dialect, { error, request, reply }));
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
        // A question about headers must not send a message.
        exposeHeadRoute: false,
        handler: async (request, reply) => {
          const sender = request.apiSender;
          if (!sender) throw new Error('a call without its sender');
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

/** Of each address the methods that no route answers. */
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

/** The fields that name numbers: of Fonnte, and of Wablas. */
const numberFields = ['target', 'phone'] as const;
/** Numbers of one call that are looked up. */
const LOOKED_UP_MAX = 10_000;

/**
 * The fields of a call, in which a number without a `+` that the account knows exactly so has one: it wins over the
 * normalisation.
 */
async function withKnownNumbers(
  { knownNumbers }: DialectDeps,
  { accountId }: ApiSender,
  given: Given,
): Promise<Given> {
  const exact = new Set<string>();
  rewriteNumbers(given, (written) => {
    const digits = exactNumber(written);
    if (digits !== undefined && exact.size < LOOKED_UP_MAX) exact.add(digits);
    return written;
  });
  if (exact.size === 0) return given;
  const known = await knownNumbers(accountId, [...exact]);
  return rewriteNumbers(given, (written) => {
    const digits = exactNumber(written);
    return digits !== undefined && known.has(digits) ? `+${digits}` : written;
  });
}

/** The fields with each written number as `rewrite` has it, also in the items of `data`. */
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

/** A part of a list: its number is what stands before a bar. */
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

/** A "no" in the dialect's shape. A body that is still coming is read to its end first, so that its sender receives it. */
async function sayNo(
  { report }: DialectDeps,
  dialect: Dialect,
  { error, request, reply }: { error: unknown; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  if (!(await drained(request))) cutAfter(reply);
  const no = asRefusal(error, request.id);
  // Of a call whose items were all refused the first one is answered, and each is kept.
  if (!request.apiRefusals?.includes(no)) request.apiRefusals = [no];
  if (no.code === 'our_fault') report(error, request.id);
  const wait = waitOf(no);
  if (wait !== undefined) void reply.header('retry-after', wait);
  const { status, body } = dialect.no(no, {
    id: request.id,
    path: request.routeOptions.url ?? '',
  });
  return reply.code(status).header('x-kabari-error', no.code).send(body);
}

/** Messages that were read one by one. */
type EachOptions = {
  read: readonly (NewMessage | Refusal)[];
  shape: string;
  /** By what a repeat is known: the messages as `byRule` has them, without what was computed for them. */
  identity: unknown;
};

/**
 * Reads a call twice: with the numbers that the account knows, and as the caller wrote it. A repeat with the same key is
 * compared by the second reading, as the account may have come to know a number between the two calls.
 */
export async function readBoth<T>(
  { given, written, request }: DialectCall,
  read: (given: Given) => T | Promise<T>,
): Promise<{ read: T; byRule: T }> {
  const first = await read(given);
  const isSame = given === written || idempotencyKey(request) === undefined;
  return { read: first, byRule: isSame ? first : await read(written) };
}

/** What became of each, and when it was answered first, in ms since 1970. */
type EachResult = { results: readonly (Accepted | Refusal)[]; at: number };

/** What became of messages that were read one by one: the refusals of reading, and what sending said of the rest. */
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
  const became = read.map((one) =>
    one instanceof Refusal
      ? one
      : (results.next().value ?? new Refusal('our_fault', { request: request.id })),
  );
  request.apiRefusals = became.filter((one) => one instanceof Refusal);
  return { results: became, at: sent.at };
}

/** For whom messages are read: these dialects speak one language, which is ours for people. */
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

/** How large the bodies of a dialect may be, in bytes: words, and what carries a file. */
type BodyLimits = { words: number; files: number };

/** Teaches a scope the three body types of these dialects, and no other. */
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
 * What a call gave: in its address and in its body, which counts where both name a field.
 *
 * @throws Refusal `request_malformed`, `body_too_large`
 */
async function givenIn(request: FastifyRequest): Promise<Given> {
  const { body, headers, url } = request;
  const mark = url.indexOf('?');
  try {
    // Not the server's own reading, which leaves a wrong escape as it stands.
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
  const text = textOf(body);
  if (named === FORM) return formOf(text);
  const fields = givenOf(jsonOf(text));
  if (!fields) throw new FormError('isinya harus objek JSON');
  return fields;
}

function textOf(body: Buffer): string {
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

/** A field of a form whose numbers have the `+` that was written without `%2B`; `data` has them in its items. */
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
