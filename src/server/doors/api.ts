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
import { type Pacer, openPacer } from './pacer.ts';
import { languageOf, problemOf, waitOf } from './problem.ts';
import { fieldsOf, inIndonesian } from './sentences.ts';

/** Whose key it is, as far as this door needs to know. */
export type ApiSender = {
  accountId: string;
  tokenId: string;
  accountStatus: 'active' | 'suspended' | 'closed';
  simulated: boolean;
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
    }) => Promise<{ results: readonly (Accepted | Refusal)[]; saldo: number; replayed: boolean }>;
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
    { parseAs: 'string', bodyLimit: API_LIMITS.bodyBytes },
    (_request, body, done) => {
      try {
        done(null, JSON.parse(String(body)));
      } catch {
        done(new Refusal('request_malformed', { why: 'JSON tidak lengkap' }));
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
    const query = read(ApiMessageQuery, request.query);
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

type Reply = { status: number; body: object; replayed: boolean };

async function send(deps: ApiDeps, sender: ApiSender, request: FastifyRequest): Promise<Reply> {
  const key = idempotencyKey(request.headers['idempotency-key']);
  if (!isObject(request.body))
    throw new Refusal('request_malformed', { why: 'isi harus objek JSON' });
  if (!('messages' in request.body)) {
    const message = read(NewMessage, typed(request.body));
    const { results, replayed } = await deps.messages.send({ sender, messages: [message], key });
    const [result] = results;
    if (!result) throw new Error('nothing was answered for one message');
    if (result instanceof Refusal) throw result;
    return { status: 202, body: result, replayed };
  }
  return sendMany(deps, sender, request, key);
}

/** Up to 1,000 at once: each item is accepted or refused by itself (`rulings.md`, 11). */
async function sendMany(
  deps: ApiDeps,
  sender: ApiSender,
  request: FastifyRequest,
  key: string | undefined,
): Promise<Reply> {
  const { messages: given } = read(Many, request.body);
  const read1 = given.map((one) => NewMessage.safeParse(typed(one), { error: inIndonesian }));
  const good = read1.flatMap((one) => (one.success ? [one.data] : []));
  const sent =
    good.length === 0
      ? { results: [], saldo: undefined, replayed: false }
      : await deps.messages.send({ sender, messages: good, key });
  const answers = sent.results[Symbol.iterator]();
  const results = read1.map((one) =>
    one.success
      ? (answers.next().value ?? new Refusal('our_fault', { request: request.id }))
      : new Refusal('input_invalid', { fields: fieldsOf(one.error.issues) }),
  );
  const refused = results.filter((result) => result instanceof Refusal);
  const language = languageOf(request.headers['accept-language']);
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

function read<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const found = schema.safeParse(value, { error: inIndonesian });
  if (found.success) return found.data;
  throw new Refusal('input_invalid', { fields: fieldsOf(found.error.issues) });
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
  const language = languageOf(request.headers['accept-language']);
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
