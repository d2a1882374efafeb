import { createHash } from 'node:crypto';
import type { FastifyRequest, FastifyReply } from 'fastify';
import { type Language, languageOf } from '#contract/language/language.ts';
import { Refusal, refusals } from '#contract/base/refusals.ts';
import { MessageType } from '#contract/messages.ts';
import {
  type Accepted,
  ManyMessages,
  NewMessage,
  type PlacedMessage,
} from '#contract/rest/messages.ts';
import { type KnownNumbers, readWithKnownNumbers } from '#server/http/input.ts';
import type { ApiSender } from '#server/http/access.ts';
import { readFields } from './fields.ts';
import { problemOf, phrases } from './answers.ts';
import { API_LIMITS } from '#contract/rest/endpoint.ts';
import type { AnswerOf, ApiEndpoint, BodyOf, QueryOf } from '#contract/rest.ts';

/** The results of a request's messages; for a repeated key, those of the first request. */
type Sent = {
  results: readonly (Accepted | Refusal)[];
  saldo: number;
  replayed: boolean;
  language: string;
  /** The time of the first request, in ms since 1970. */
  at: number;
};

export type SendMessages = (sending: {
  sender: ApiSender;
  messages: readonly PlacedMessage[];
  key: string | undefined;
  answer: { language: Language; shape: string };
  /** Identifies a repeat where the messages hold computed values; defaults to the messages. */
  identity?: unknown;
}) => Promise<Sent>;

type SendDeps = { send: SendMessages; knownNumbers: KnownNumbers };

type Reply = {
  status: number;
  body: object;
  replayed: boolean;
  refused: readonly Refusal[];
};

/** Answers `POST /v1/messages`: one message, or many. */
export async function sendFrom(
  deps: SendDeps,
  sender: ApiSender,
  request: FastifyRequest,
): Promise<Reply> {
  const key = idempotencyKey(request);
  const { body } = request;
  if (!isObject(body)) throw malformed(request, 'notObject');
  if ('messages' in body) return sendMany(deps, sender, request, key);
  const language = languageIn(request);
  const { read: message, byRule } = await readWithKnownNumbers(
    deps.knownNumbers,
    sender.accountId,
    () => readMessage(body, language),
  );
  if (message instanceof Refusal) throw message;
  const answer = { language, shape: 'one' };
  const { results, replayed } = await deps.send({
    sender,
    messages: [message],
    key,
    answer,
    identity: acceptable([byRule]),
  });
  const [result] = results;
  if (!result) throw new Error('sending one message returned no result');
  if (result instanceof Refusal) throw result;
  return { status: 202, body: result, replayed, refused: [] };
}

/** Up to 1,000 at once: each item is accepted or refused by itself. */
async function sendMany(
  { send, knownNumbers }: SendDeps,
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
  const { read, byRule } = await readWithKnownNumbers(knownNumbers, sender.accountId, () =>
    readIn(requestLanguage),
  );
  const messages = acceptable(read);
  const answer = { language: requestLanguage, shape: shapeOf(many.messages, read) };
  const sent =
    messages.length === 0
      ? { results: [], saldo: undefined, replayed: false, language: requestLanguage }
      : await send({ sender, messages, key, answer, identity: acceptable(byRule) });
  // A repeat uses the language of the first answer.
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
    return { status: refusals[first.code].status, body, replayed: false, refused };
  }
  const accepted = results.length - refused.length;
  const body = { data, accepted, refused: refused.length, saldo: sent.saldo };
  return { status: 202, body, replayed: sent.replayed, refused };
}

/** The valid ones of some parsed messages. */
export const acceptable = (read: readonly (NewMessage | Refusal)[]): NewMessage[] =>
  read.flatMap((one) => (one instanceof Refusal ? [] : [one]));

/** A digest of the refused items: a repeat of the request refuses the same ones. */
function shapeOf(given: readonly unknown[], read: readonly (NewMessage | Refusal)[]): string {
  const refused = given.map((one, index) => (read[index] instanceof Refusal ? one : 0));
  if (!read.some((one) => one instanceof Refusal)) return 'many';
  return `many ${createHash('sha256').update(JSON.stringify(refused)).digest('base64url')}`;
}

function itemProblem(no: Refusal, requestId: string, language: Language) {
  const { code, detail, fields, retryable } = problemOf(no, requestId, language);
  return { code, detail, retryable, ...(fields && { fields }) };
}

function readMessage(given: unknown, language: Language): NewMessage | Refusal {
  const input = isObject(given) && !('type' in given) ? typed(given) : given;
  return readFields(NewMessage(), input, { language, whole: 'message' });
}

/** Several type objects are ambiguous and refused; none means text. */
function typed(given: Record<string, unknown>): Record<string, unknown> {
  const [type = 'text', another] = MessageType().options.filter((one) => Object.hasOwn(given, one));
  return another === undefined ? { ...given, type } : given;
}

/** Stores the first answer to a key, and returns it for repeats within a day. */
export type RunIdempotent = (
  call: { tokenId: string; key: string; endpoint: string; input: string },
  work: () => Promise<string>,
) => Promise<string>;

type IdempotentCall = { tokenId: string; key: string | undefined; endpoint: string; input: string };

/**
 * The result of `work` as JSON; for a repeated key the first one, marked by a response header.
 *
 * @throws Refusal `idempotency_conflict`, `request_in_flight`, and the errors of `work`
 */
export async function answerIdempotent(
  runIdempotent: RunIdempotent,
  { key, ...asked }: IdempotentCall,
  reply: FastifyReply,
  work: () => Promise<unknown>,
): Promise<string> {
  let isFirst = false;
  const text = async () => {
    isFirst = true;
    return JSON.stringify(await work());
  };
  if (key === undefined) return text();
  const answer = await runIdempotent({ ...asked, key }, text);
  if (!isFirst) void reply.header('Idempotent-Replayed', 'true');
  return answer;
}

/** The language of an answer, and the origin of its file links. */
export type ApiReader = { language: Language; origin: string };

export type Call<Name extends ApiEndpoint> = {
  sender: ApiSender;
  reader: ApiReader;
  id: string;
  query: QueryOf<Name>;
  body: BodyOf<Name>;
  request: FastifyRequest;
  reply: FastifyReply;
};

type Handler<Name extends ApiEndpoint> = (
  call: Call<Name>,
) => Promise<AnswerOf<Name> | FastifyReply>;

export type Handlers<Name extends ApiEndpoint = ApiEndpoint> = { [N in Name]: Handler<N> };

export const languageIn = ({ headers }: FastifyRequest): Language =>
  languageOf(headers['accept-language']);

/** A refusal of an unreadable request, with the reason in the caller's language. */
export const malformed = (request: FastifyRequest, why: keyof typeof phrases): Refusal =>
  new Refusal('request_malformed', { why: phrases[why][languageIn(request)] });

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The caller's `Idempotency-Key`. @throws Refusal `input_invalid` */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const given = request.headers['idempotency-key'];
  if (given === undefined) return undefined;
  const { idempotencyKeyMax: max } = API_LIMITS;
  if (typeof given !== 'string' || given.length > max || !/^[\x21-\x7e]+$/.test(given)) {
    const sentence = phrases.idempotencyKey[languageIn(request)];
    throw new Refusal('input_invalid', { fields: { 'Idempotency-Key': sentence } });
  }
  return given;
}
