import { createHash } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { Refusal, refusals } from '#contract/refusals.ts';
import {
  API_LIMITS,
  type Accepted,
  type ApiMessage,
  ApiMessageQuery,
  MESSAGES_MAX,
  NewMessage,
} from '#contract/rest.ts';
import { troubleBehind } from './answer.ts';
import { readInput } from './input.ts';
import { type Pacer, openPacer } from './pacer.ts';
import { type Language, languageOf, problemOf, waitOf } from './problem.ts';
import { fieldsOf, inIndonesian } from './sentences.ts';

/** Whose key it is, as far as this door needs to know. */
export type ApiSender = {
  accountId: string;
  tokenId: string;
  accountStatus: 'active' | 'suspended' | 'closed';
  simulated: boolean;
};

/** What became of a request's messages; for a repeated key, what was answered first. */
type ApiSent = {
  results: readonly (Accepted | Refusal)[];
  saldo: number;
  replayed: boolean;
  language: string;
};

/** What main hands this door: it knows no domain. */
export type ApiDeps = {
  keys: {
    find: (key: string) => Promise<ApiSender | undefined>;
    touch: (sender: ApiSender) => void;
  };
  messages: {
    send: (sending: {
      sender: ApiSender;
      messages: readonly NewMessage[];
      key: string | undefined;
      answer: { language: Language; shape: string };
    }) => Promise<ApiSent>;
    list: (
      sender: ApiSender,
      query: z.output<typeof ApiMessageQuery>,
    ) => Promise<{ messages: readonly ApiMessage[]; next: string | null }>;
    one: (sender: ApiSender, id: string) => Promise<ApiMessage>;
    cancel: (sender: ApiSender, id: string) => Promise<ApiMessage>;
    balance: (sender: ApiSender) => Promise<{ available: number; held: number }>;
  };
  ratePerSecond: number;
  report: (bug: unknown, requestId: string) => void;
};

/** The public API, native dialect (`interfaces.md`, section 2). Register it under its own scope. */
export function openApi(app: FastifyInstance, deps: ApiDeps): void {
  const pacer = openPacer(deps.ratePerSecond);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: API_LIMITS.bodyBytes },
    (_request, body, done) => {
      try {
        done(null, JSON.parse(textOf(body as Buffer)));
      } catch (error) {
        const why = 'JSON tidak lengkap';
        done(error instanceof Refusal ? error : new Refusal('request_malformed', { why }));
      }
    },
  );
  app.setErrorHandler((error, request, reply) => answerNo(deps, error, request, reply));
  app.all('/v1/*', (request, reply) =>
    answerNo(deps, new Refusal('not_found', { what: 'Alamat ini' }), request, reply),
  );

  app.post('/v1/messages', async (request, reply) => {
    const sender = await admit(deps, pacer, request, reply);
    const sent = await send(deps, sender, request);
    if (sent.replayed) void reply.header('Idempotent-Replayed', 'true');
    return reply.code(sent.status).send(sent.body);
  });
  app.get('/v1/messages', async (request, reply) => {
    const sender = await admit(deps, pacer, request, reply);
    const query = readInput(ApiMessageQuery, request.query, languageFor(request));
    const { messages, next } = await deps.messages.list(sender, query);
    return { data: messages, next_cursor: next };
  });
  app.get<{ Params: { id: string } }>('/v1/messages/:id', async (request, reply) => {
    const sender = await admit(deps, pacer, request, reply);
    return deps.messages.one(sender, request.params.id);
  });
  app.post<{ Params: { id: string } }>('/v1/messages/:id/cancel', async (request, reply) => {
    const sender = await admit(deps, pacer, request, reply);
    return deps.messages.cancel(sender, request.params.id);
  });
  app.get('/v1/balance', async (request, reply) => {
    const sender = await admit(deps, pacer, request, reply);
    return deps.messages.balance(sender);
  });
}

/** Who calls, and whether they may call now. Sets the rate-limit headers of every answer. */
async function admit(
  deps: ApiDeps,
  pacer: Pacer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ApiSender> {
  const authorization = request.headers.authorization ?? '';
  const key = authorization.startsWith('Bearer ') ? authorization.slice(7).trim() : '';
  const sender = key === '' ? undefined : await deps.keys.find(key);
  if (!sender) throw new Refusal('token_invalid', {});
  if (sender.simulated) void reply.header('X-Kabari-Simulated', 'true');
  const { left, waitSeconds } = pacer.take(sender.tokenId);
  void reply.header('RateLimit-Policy', pacer.policy);
  void reply.header('RateLimit', `"api";r=${left};t=1`);
  if (waitSeconds > 0) throw new Refusal('too_many_requests', { seconds: waitSeconds });
  if (sender.accountStatus !== 'active') throw new Refusal('account_suspended', {});
  deps.keys.touch(sender);
  return sender;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws Refusal `request_malformed` for bytes that are no UTF-8: read anyway, they would become other words. */
function textOf(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new Refusal('request_malformed', { why: 'isi bukan UTF-8' });
  }
}

const languageFor = ({ headers }: FastifyRequest): Language =>
  languageOf(headers['accept-language']);

type Reply = { status: number; body: object; replayed: boolean };

async function send(deps: ApiDeps, sender: ApiSender, request: FastifyRequest): Promise<Reply> {
  const key = idempotencyKey(request.headers['idempotency-key']);
  if (!isObject(request.body))
    throw new Refusal('request_malformed', { why: 'isi harus objek JSON' });
  if ('messages' in request.body) return sendMany(deps, sender, request, key);
  const language = languageFor(request);
  const message = readInput(NewMessage, typed(request.body), language);
  const answer = { language, shape: 'one' };
  const { results, replayed } = await deps.messages.send({
    sender,
    messages: [message],
    key,
    answer,
  });
  const [result] = results;
  if (!result) throw new Error('nothing was answered for one message');
  if (result instanceof Refusal) throw result;
  return { status: 202, body: result, replayed };
}

/** Up to 1,000 at once: each item is accepted or refused by itself (`rulings.md`, 11). */
async function sendMany(
  deps: ApiDeps,
  sender: ApiSender,
  request: FastifyRequest,
  key: string | undefined,
): Promise<Reply> {
  const asked = languageFor(request);
  const given = itemsOf(request.body).map((one) => readItem(one, asked));
  const messages = given.flatMap((one) => (one instanceof Refusal ? [] : [one]));
  const answer = { language: asked, shape: shapeOf(given) };
  const sent =
    messages.length === 0
      ? { results: [], saldo: undefined, replayed: false, language: asked }
      : await deps.messages.send({ sender, messages, key, answer });
  const answers = sent.results[Symbol.iterator]();
  const results = given.map((one) =>
    one instanceof Refusal
      ? one
      : (answers.next().value ?? new Refusal('our_fault', { request: request.id })),
  );
  const refused = results.filter((result) => result instanceof Refusal);
  const language = sent.language === 'en' ? 'en' : 'id';
  const data = results.map((result) =>
    result instanceof Refusal ? { error: itemProblem(result, request.id, language) } : result,
  );
  const [first] = refused;
  if (first && refused.length === results.length) {
    const body = { ...problemOf(first, request.id, language), data };
    return { status: refusals[first.code].status, body, replayed: false };
  }
  const accepted = results.length - refused.length;
  const body = { data, accepted, refused: refused.length, saldo: sent.saldo };
  return { status: 202, body, replayed: sent.replayed };
}

const Many = z.strictObject({
  messages: z
    .array(z.unknown())
    .check(
      z.minLength(1, 'Isi paling sedikit satu pesan.'),
      z.maxLength(MESSAGES_MAX, `Paling banyak ${MESSAGES_MAX} pesan dalam satu permintaan.`),
    ),
});

/** The items of a request for many; each is looked into by itself. @throws Refusal `input_invalid` */
function itemsOf(body: unknown): readonly unknown[] {
  const read = Many.safeParse(body, { error: inIndonesian });
  if (read.success) return read.data.messages;
  throw new Refusal('input_invalid', { fields: fieldsOf(read.error.issues) });
}

function readItem(given: unknown, language: Language): NewMessage | Refusal {
  try {
    return readInput(NewMessage, typed(given), language);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** What the answer shows of items that were refused here: a repeat of the request refuses the same ones. */
function shapeOf(given: readonly (NewMessage | Refusal)[]): string {
  const refused = given.map((one) => (one instanceof Refusal ? one.facts : 0));
  if (refused.every((facts) => facts === 0)) return 'many';
  return `many ${createHash('sha256').update(JSON.stringify(refused)).digest('base64url')}`;
}

function itemProblem(no: Refusal, requestId: string, language: 'id' | 'en') {
  const { code, detail, fields, retryable } = problemOf(no, requestId, language);
  return { code, detail, retryable, ...(fields && { fields }) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A message without `type` is a text. */
const typed = (message: unknown): unknown =>
  isObject(message) && !('type' in message) ? { ...message, type: 'text' } : message;

function idempotencyKey(given: string | string[] | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(given)) {
    const sentence = 'Kunci idempotensi: 1 sampai 255 karakter ASCII tanpa spasi.';
    throw new Refusal('input_invalid', { fields: { 'Idempotency-Key': sentence } });
  }
  return given;
}

/** Every "no" of this door, as problem details; what is not a refusal is our bug, and reported. */
function answerNo(
  deps: ApiDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known: Refusal | undefined = error instanceof Refusal ? error : refusalBehind(error);
  const no = known ?? ourFault(deps, error, request);
  const wait = waitOf(no);
  if (wait !== undefined) void reply.header('Retry-After', wait);
  if (no.code === 'token_invalid') void reply.header('WWW-Authenticate', 'Bearer');
  const language = languageFor(request);
  return reply
    .code(refusals[no.code].status)
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problemOf(no, request.id, language)));
}

/** What Fastify itself refuses, in our words. */
function refusalBehind(error: unknown): Refusal | undefined {
  switch ((error as FastifyError | null)?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal('body_too_large', {});
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal('media_type_unsupported', {});
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Refusal('request_malformed', { why: 'isi kosong atau terpotong' });
    case 'FST_UNDER_PRESSURE':
      return new Refusal('busy', { seconds: 2 });
    default:
      return troubleBehind(error);
  }
}

function ourFault(deps: ApiDeps, error: unknown, request: FastifyRequest): Refusal {
  deps.report(error, request.id);
  return new Refusal('our_fault', { request: request.id });
}
