import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#contract/base/refusals.ts';
import { type Language, languageOf } from '#contract/language/language.ts';
import { API_LIMITS } from '#contract/rest/endpoint.ts';
import type { AnswerOf, ApiEndpoint, BodyOf, QueryOf } from '#contract/rest.ts';
import type { ApiSender } from '#server/http/access.ts';
import { phrases } from './answers.ts';

/** For whom an answer is written: in which language, and where the files in it are found. */
export type ApiReader = { language: Language; origin: string };

/** One call of an endpoint, read and allowed. */
export type Call<Name extends ApiEndpoint> = {
  sender: ApiSender;
  reader: ApiReader;
  /** The id in the address; empty where the address has none. */
  id: string;
  query: QueryOf<Name>;
  body: BodyOf<Name>;
  request: FastifyRequest;
  reply: FastifyReply;
};

/** Answers an endpoint's calls: with what the registry declares, or with a reply of its own. */
type Handler<Name extends ApiEndpoint> = (
  call: Call<Name>,
) => Promise<AnswerOf<Name> | FastifyReply>;

export type Handlers<Name extends ApiEndpoint = ApiEndpoint> = { [N in Name]: Handler<N> };

/** The language that a caller asked for. */
export const languageIn = ({ headers }: FastifyRequest): Language =>
  languageOf(headers['accept-language']);

/** A request that cannot be read, and why, in the caller's language. */
export const malformed = (request: FastifyRequest, why: keyof typeof phrases): Refusal =>
  new Refusal('request_malformed', { why: phrases[why][languageIn(request)] });

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The caller's `Idempotency-Key`.
 *
 * @throws Refusal `input_invalid`
 */
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
