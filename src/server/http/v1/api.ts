import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Language, languageOf } from '#contract/language/language.ts';
import { Refusal, refusals } from '#contract/base/refusals.ts';
import {
  API_LIMITS,
  API_PREFIX,
  type Accepted,
  type ApiEndpoint,
  type ApiMessage,
  ApiMessageQuery,
  ManyMessages,
  NewMessage,
  apiEndpoints,
} from '#contract/rest.ts';
import { PROBLEM_TYPE, answerNo, answerOther, phrases } from './answers.ts';
import { readFields } from './fields.ts';
import { type RateLimiter, createRateLimiter } from '#server/http/rate-limiter.ts';
import { problemOf } from './problem.ts';

/** The owner of an API key, as far as these endpoints need to know. */
export type ApiSender = {
  accountId: string;
  tokenId: string;
  accountStatus: 'active' | 'suspended' | 'closed';
  simulated: boolean;
};

/** For whom an answer is written: in which language, and where the files in it are found. */
export type ApiReader = { language: Language; origin: string };

/** What became of a request's messages; for a repeated key, what was answered first. */
type ApiSent = {
  results: readonly (Accepted | Refusal)[];
  saldo: number;
  replayed: boolean;
  language: string;
};

/** What the application hands to these endpoints: they know no domain. */
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
      query: ApiMessageQuery,
      reader: ApiReader,
    ) => Promise<{ messages: readonly ApiMessage[]; next: string | null }>;
    one: (sender: ApiSender, id: string, reader: ApiReader) => Promise<ApiMessage>;
    cancel: (sender: ApiSender, id: string, reader: ApiReader) => Promise<ApiMessage>;
    balance: (sender: ApiSender) => Promise<{ available: number; held: number }>;
  };
  ratePerSecond: number;
  /** The address people use; undefined for a local installation, which answers under any name. */
  publicUrl: string | undefined;
  report: (bug: unknown, requestId: string) => void;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls the API, once their key is known. */
    apiSender: ApiSender | undefined;
  }
}

type Call = { sender: ApiSender; request: FastifyRequest; reply: FastifyReply };

/**
 * The public API, native dialect. Register it in a scope of its own under `API_PREFIX`: what lies there
 * and is no endpoint is answered here too, as problem details like every "no".
 */
export function openApi(app: FastifyInstance, deps: ApiDeps): void {
  const rateLimiter = createRateLimiter(deps.ratePerSecond);
  app.decorateRequest('apiSender', undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: API_LIMITS.bodyBytes },
    (request, body, done) => {
      if (body.length === 0) return done(null);
      const text = textOf(body as Buffer);
      if (text === undefined) return done(malformed(request, 'notUtf8'));
      try {
        done(null, JSON.parse(text));
      } catch {
        done(malformed(request, 'json'));
      }
    },
  );
  app.addHook('onRequest', async (request, reply) => {
    // Whatever is said, and to whom: an answer of the API is nobody else's, and true only now.
    void reply.header('cache-control', 'no-store');
    if (request.is404) return answerOther(request, reply);
    request.apiSender = await admit(deps, rateLimiter, request, reply);
    return undefined;
  });
  app.setErrorHandler((error, request, reply) => answerNo(deps.report, error, request, reply));
  app.setNotFoundHandler((request, reply) => answerOther(request, reply));
  openEndpoints(app, deps);
}

function openEndpoints(app: FastifyInstance, deps: ApiDeps): void {
  const handlers: Record<ApiEndpoint, (call: Call) => Promise<unknown>> = {
    send: async ({ sender, request, reply }) => {
      const sent = await send(deps, sender, request);
      if (sent.replayed) void reply.header('Idempotent-Replayed', 'true');
      if (sent.status >= 400) void reply.type(PROBLEM_TYPE);
      return reply.code(sent.status).send(sent.body);
    },
    list: async ({ sender, request }) => {
      const query = readQuery(request);
      const { messages, next } = await deps.messages.list(sender, query, readerOf(deps, request));
      return { data: messages, next_cursor: next };
    },
    one: ({ sender, request }) => deps.messages.one(sender, idIn(request), readerOf(deps, request)),
    cancel: ({ sender, request }) =>
      deps.messages.cancel(sender, idIn(request), readerOf(deps, request)),
    balance: ({ sender }) => deps.messages.balance(sender),
  };
  for (const [name, { method, path }] of Object.entries(apiEndpoints)) {
    const handler = handlers[name as ApiEndpoint];
    app.route({
      method,
      url: path.slice(API_PREFIX.length),
      handler: (request, reply) => {
        const sender = request.apiSender;
        if (!sender) throw new Error('a call without its sender');
        return handler({ sender, request, reply });
      },
    });
  }
}

const idIn = ({ params }: FastifyRequest): string => String((params as { id?: unknown }).id);

const readerOf = ({ publicUrl }: ApiDeps, request: FastifyRequest): ApiReader => ({
  language: languageIn(request),
  origin: publicUrl ?? `${request.protocol}://${request.host}`,
});

const languageIn = ({ headers }: FastifyRequest): Language =>
  languageOf(headers['accept-language']);

const malformed = (request: FastifyRequest, why: keyof typeof phrases): Refusal =>
  new Refusal('request_malformed', { why: phrases[why][languageIn(request)] });

/** Who calls, and whether they may call now. Sets the rate-limit headers of every answer. */
async function admit(
  deps: ApiDeps,
  rateLimiter: RateLimiter,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ApiSender> {
  const [, key = ''] = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
  if (key === '') throw new Refusal('token_missing', {});
  const sender = await deps.keys.find(key);
  if (!sender) throw new Refusal('token_invalid', {});
  if (sender.simulated) void reply.header('X-Kabari-Simulated', 'true');
  const { left, waitSeconds } = rateLimiter.take(sender.tokenId);
  void reply.header('RateLimit-Policy', rateLimiter.policy);
  void reply.header('RateLimit', `"api";r=${left};t=1`);
  if (waitSeconds > 0) throw new Refusal('too_many_requests', { seconds: waitSeconds });
  if (sender.accountStatus !== 'active') throw new Refusal('account_suspended', {});
  deps.keys.touch(sender);
  return sender;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body; nothing for bytes that are no UTF-8: read anyway, they would become other words. */
function textOf(body: Buffer): string | undefined {
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}

type Reply = { status: number; body: object; replayed: boolean };

async function send(deps: ApiDeps, sender: ApiSender, request: FastifyRequest): Promise<Reply> {
  const key = idempotencyKey(request);
  const { body } = request;
  if (!isObject(body)) throw malformed(request, 'notObject');
  if ('messages' in body) return sendMany(deps, sender, request, key);
  const language = languageIn(request);
  const message = readMessage(body, language);
  if (message instanceof Refusal) throw message;
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

/** Up to 1,000 at once: each item is accepted or refused by itself. */
async function sendMany(
  deps: ApiDeps,
  sender: ApiSender,
  request: FastifyRequest,
  key: string | undefined,
): Promise<Reply> {
  const requestLanguage = languageIn(request);
  const many = readFields(ManyMessages(), request.body, {
    language: requestLanguage,
    itemByItem: true,
  });
  if (many instanceof Refusal) throw many;
  const readIn = (language: Language) => many.messages.map((one) => readMessage(one, language));
  const read = readIn(requestLanguage);
  const messages = read.flatMap((one) => (one instanceof Refusal ? [] : [one]));
  const answer = { language: requestLanguage, shape: shapeOf(many.messages, read) };
  const sent =
    messages.length === 0
      ? { results: [], saldo: undefined, replayed: false, language: requestLanguage }
      : await deps.messages.send({ sender, messages, key, answer });
  // A repeat speaks the language of the first answer.
  const language = sent.language === 'en' ? 'en' : 'id';
  const answers = sent.results[Symbol.iterator]();
  const results = (language === requestLanguage ? read : readIn(language)).map((one) =>
    one instanceof Refusal
      ? one
      : (answers.next().value ?? new Refusal('our_fault', { request: request.id })),
  );
  const refused = results.filter((result) => result instanceof Refusal);
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

/** Which items were refused here, as they came: a repeat of the request refuses the same ones. */
function shapeOf(given: readonly unknown[], read: readonly (NewMessage | Refusal)[]): string {
  const refused = given.map((one, index) => (read[index] instanceof Refusal ? one : 0));
  if (!read.some((one) => one instanceof Refusal)) return 'many';
  return `many ${createHash('sha256').update(JSON.stringify(refused)).digest('base64url')}`;
}

function itemProblem(no: Refusal, requestId: string, language: Language) {
  const { code, detail, fields, retryable } = problemOf(no, requestId, language);
  return { code, detail, retryable, ...(fields && { fields }) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One message as it was sent, or why it cannot be read. Without `type` it is a text. */
function readMessage(given: unknown, language: Language): NewMessage | Refusal {
  const input = isObject(given) && !('type' in given) ? { ...given, type: 'text' } : given;
  return readFields(NewMessage(), input, { language, whole: 'message' });
}

function readQuery(request: FastifyRequest): ApiMessageQuery {
  const options = { language: languageIn(request), fromAddress: true };
  const query = readFields(ApiMessageQuery(), request.query, options);
  if (query instanceof Refusal) throw query;
  return query;
}

function idempotencyKey(request: FastifyRequest): string | undefined {
  const given = request.headers['idempotency-key'];
  if (given === undefined) return undefined;
  const { idempotencyKeyMax: max } = API_LIMITS;
  if (typeof given !== 'string' || given.length > max || !/^[\x21-\x7e]+$/.test(given)) {
    const sentence = phrases.idempotencyKey[languageIn(request)];
    throw new Refusal('input_invalid', { fields: { 'Idempotency-Key': sentence } });
  }
  return given;
}
