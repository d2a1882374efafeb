import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type Bilingual, type Language, languageOf } from '#contract/language/language.ts';
import { Refusal, refusals, type FactsOf } from '#contract/base/refusals.ts';
import { FILE_NAME_MAX } from '#contract/uploads.ts';
import { API_LIMITS, API_PREFIX, type Endpoint, type Problem } from '#contract/rest/endpoint.ts';
import { apiEndpoints } from '#contract/rest.ts';
import { databaseRefusal } from '#server/http/answer.ts';
import { cutAfter, drainBody } from '#server/http/connections.ts';
import { englishFor } from '#contract/language/english.ts';
import { developerSentenceFor } from '#contract/language/indonesian.ts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export const phrases = {
  json: { id: 'JSON-nya tidak lengkap atau salah tulis', en: 'its JSON is incomplete or misspelt' },
  notUtf8: { id: 'isinya bukan UTF-8', en: 'its body is not UTF-8' },
  notObject: {
    id: 'isinya harus objek JSON, misalnya {"to": "0812-3456-7890", "text": {"body": "…"}}',
    en: 'its body must be a JSON object, such as {"to": "0812-3456-7890", "text": {"body": "…"}}',
  },
  notOneMessage: {
    id: 'isinya harus satu pesan JSON-RPC; beberapa sekaligus (batch) tidak diterima',
    en: 'its body must be one JSON-RPC message; several at once (a batch) are not taken',
  },
  cut: { id: 'isinya kosong atau terpotong', en: 'its body is empty or was cut off' },
  form: {
    id: 'formulirnya (multipart/form-data) rusak atau terpotong',
    en: 'its form (multipart/form-data) is broken or was cut off',
  },
  manyFiles: { id: 'hanya satu berkas dalam satu permintaan', en: 'one request takes one file' },
  notAFile: {
    id: 'Harus berkas, dengan `filename`.',
    en: 'Expected a file, with a `filename`.',
  },
  unknownPart: {
    id: 'Isian ini tidak dikenal. Yang dikenal di sini: file, name.',
    en: 'This field is not known. Known here: file, name.',
  },
  fileName: {
    id: `Harus teks 1 sampai ${FILE_NAME_MAX} karakter.`,
    en: `Expected a string of 1 to ${FILE_NAME_MAX} characters.`,
  },
  host: {
    id: 'nama servernya (header Host) tidak dikenali',
    en: 'its host (the header Host) is not one',
  },
  address: { id: 'alamatnya salah tulis', en: 'its address is misspelt' },
  idempotencyKey: {
    id: `Harus 1 sampai ${API_LIMITS.idempotencyKeyMax} karakter ASCII tanpa spasi.`,
    en: `Expected 1 to ${API_LIMITS.idempotencyKeyMax} ASCII characters without spaces.`,
  },
} as const satisfies Record<string, Bilingual>;

const addresses = addressesOf([
  ...Object.values<Endpoint>(apiEndpoints),
  { method: 'GET', path: `${API_PREFIX}/openapi.json` },
]);

function addressesOf(endpoints: readonly { method: string; path: string }[]) {
  return [...new Set(endpoints.map(({ path }) => path))].map((path) => {
    const methods = endpoints.filter((one) => one.path === path).map(({ method }) => method);
    const also = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
    return {
      path,
      pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
      allow: [...methods, ...also].toSorted().join(', '),
    };
  });
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

/** A literal path precedes a pattern with an id. */
function allowedAt(url: string): string | undefined {
  const requestedPath = pathOf(url);
  const found =
    addresses.find(({ path }) => path === requestedPath) ??
    addresses.find(({ pattern }) => pattern.test(requestedPath));
  return found?.allow;
}

/** The route with an id also matches literal addresses, which may not support the method. */
export const takesMethod = ({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): boolean =>
  allowedAt(url)?.split(', ').includes(method) ?? false;

/** True for addresses of the API, known or unknown. */
export const isOfApi = (url: string): boolean =>
  pathOf(url) === API_PREFIX || url.startsWith(`${API_PREFIX}/`);

/**
 * Answers unknown endpoints: the methods of an address (`OPTIONS`, without CORS), an unsupported method, or an
 * unknown address.
 *
 * @throws Refusal `method_not_allowed`, `path_unknown`
 */
export function answerOther({ method, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const allow = allowedAt(url);
  if (allow === undefined) throw new Refusal('path_unknown', {});
  if (method !== 'OPTIONS') throw new Refusal('method_not_allowed', { allow });
  return reply.code(204).header('allow', allow).send();
}

/** Answers every refusal as problem details; any other error is a bug, and is reported. */
export async function sendError(
  report: (bug: unknown, requestId: string) => void,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const no = await refusalOfCall(report, error, request, reply);
  const language = languageOf(request.headers['accept-language']);
  return sendProblem(
    refusalForPath(no, request.url, reply),
    { language, requestId: request.id },
    reply,
  );
}

/**
 * The refusal for an error of a call with a key, in every dialect, after setting its headers; any error that is not
 * a refusal is a bug, and is reported. The rest of the body is read first, so that its sender receives the response.
 */
export async function refusalOfCall(
  report: (bug: unknown, requestId: string) => void,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Refusal> {
  if (!(await drainBody(request))) cutAfter(reply);
  const language = languageOf(request.headers['accept-language']);
  const known = error instanceof Refusal ? error : refusalOfError(error, language);
  if (!known) report(error, request.id);
  const no = known ?? new Refusal('our_fault', { request: request.id });
  request.apiRefusals = [no];
  const wait = waitOf(no);
  if (wait !== undefined) void reply.header('retry-after', wait);
  if (no.code === 'token_missing') void reply.header('www-authenticate', 'Bearer realm="Kabari"');
  if (no.code === 'token_invalid') {
    void reply.header('www-authenticate', 'Bearer realm="Kabari", error="invalid_token"');
  }
  if ('allow' in no.facts) void reply.header('allow', no.facts.allow);
  return no;
}

/** Sends problem details, also where no route was found. */
export function sendProblem(
  no: Refusal,
  { language, requestId }: { language: Language; requestId: string },
  reply: FastifyReply,
): FastifyReply {
  return reply
    .code(refusals[no.code].status)
    .header('cache-control', 'no-store')
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problemOf(no, requestId, language)));
}

/** Fastify refuses an unknown method before it looks at the address, which is checked here. */
function refusalForPath(no: Refusal, url: string, reply: FastifyReply): Refusal {
  if (no.code !== 'method_not_allowed') return no;
  const allow = allowedAt(url);
  if (allow === undefined) {
    void reply.removeHeader('allow');
    return new Refusal('path_unknown', {});
  }
  void reply.header('allow', allow);
  return new Refusal('method_not_allowed', { allow });
}

/** A Fastify error or database trouble as a refusal; undefined for other errors. */
export function refusalOfError(error: unknown, language: Language): Refusal | undefined {
  switch ((error as FastifyError | null)?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal('body_too_large', {});
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal('media_type_unsupported', {});
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Refusal('request_malformed', { why: phrases.cut[language] });
    case 'FST_UNDER_PRESSURE':
      return new Refusal('busy', { seconds: 2 });
    default:
      return databaseRefusal(error);
  }
}

const titles: Record<Language, (status: number) => string> = {
  id: (status) => (status >= 500 ? 'Gangguan layanan' : 'Permintaan ditolak'),
  en: (status) => (status >= 500 ? 'Service trouble' : 'Request refused'),
};

/** A refusal as RFC 9457 problem details (docs/api.md#errors). */
export function problemOf(no: Refusal, requestId: string, language: Language): Problem {
  const entry: { status: number; retryable?: true } = refusals[no.code];
  const fields =
    no.code === 'input_invalid' ? (no.facts as FactsOf<'input_invalid'>).fields : undefined;
  return {
    type: `urn:kabari:error:${no.code}`,
    title: titles[language](entry.status),
    status: entry.status,
    detail: language === 'en' ? englishFor(no) : developerSentenceFor(no),
    code: no.code,
    request_id: requestId,
    retryable: entry.retryable ?? false,
    ...(fields && { fields }),
  };
}

/** The seconds to wait, where the refusal has them. */
export function waitOf({ facts }: Refusal): number | undefined {
  return 'seconds' in facts ? Math.max(1, facts.seconds) : undefined;
}
