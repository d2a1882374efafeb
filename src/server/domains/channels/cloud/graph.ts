import { storableJson } from '#contract/base/text.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { bytesOf, wasNeverSent } from '#server/infra/net/answers.ts';
import { OutboundError } from '#server/infra/net/outbound.ts';
import type { GraphError } from './codes.ts';
import { asJson, at, listAt, textAt } from '#server/infra/net/json-values.ts';

/** A number's access token. Never logged. */
export type Caller = { accessToken: string };

export type GraphCall = Caller & {
  method?: 'GET' | 'POST' | 'DELETE';
  /** Path after the version, without a leading slash: `106540352242922/messages`. */
  path: string;
  body?: object | FormData;
  signal?: AbortSignal;
};

export type GraphAnswer =
  | { ok: true; json: unknown }
  | { ok: false; status: number; error: GraphError; retryAfterMs: number };

export type Graph = {
  /**
   * @throws OutboundError `refused` if no connection was made and nothing was sent; `unreachable` or `late` if it broke
   *   or took too long: the request may have been carried out
   */
  ask(call: GraphCall): Promise<GraphAnswer>;
  /**
   * Downloads from Meta's address; undefined if the file is gone. @throws OutboundError, as `ask`
   */
  download(file: Caller & { url: string; bytesMax: number }): Promise<Buffer | undefined>;
};

const ANSWER_BYTES_MAX = 1_048_576;
const TRUSTED_HOSTS = /(^|\.)(facebook\.com|fbsbx\.com|fbcdn\.net|whatsapp\.net)$/;

/**
 * Calls Meta at the operator's setting, without redirects. Files come only from Meta's own hosts over https, or from
 * the setting's origin, because the access token is sent along.
 */
export function openGraph({
  config,
}: {
  config: { CLOUD_URL: string; CLOUD_TIMEOUT_MS: number };
}): Graph {
  const exchange = async <T>(
    url: string,
    given: RequestInit & { signal?: AbortSignal | null },
    read: (response: Response) => Promise<T>,
  ): Promise<T> => {
    const timeout = AbortSignal.timeout(config.CLOUD_TIMEOUT_MS);
    const signal = given.signal ? AbortSignal.any([timeout, given.signal]) : timeout;
    try {
      return await read(await fetch(url, { ...given, redirect: 'manual', signal }));
    } catch (error) {
      throw trouble(error);
    }
  };
  return {
    ask: ({ accessToken, method = 'GET', path, body, signal }) =>
      exchange(
        `${config.CLOUD_URL}/${path}`,
        {
          method,
          headers: {
            accept: 'application/json',
            authorization: `Bearer ${accessToken}`,
            ...(body !== undefined &&
              !(body instanceof FormData) && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && {
            body: body instanceof FormData ? body : JSON.stringify(body),
          }),
          ...(signal && { signal }),
        },
        answerFrom,
      ),
    download: ({ accessToken, url, bytesMax }) => {
      if (!mayFetch(url, config.CLOUD_URL)) {
        throw new OutboundError('refused', 'the file lies at an address that is not of Meta');
      }
      return exchange(
        url,
        { headers: { authorization: `Bearer ${accessToken}` } },
        async (response) => {
          if (response.ok) return readBytes(response, bytesMax);
          if (response.status === 404 || response.status === 410) return undefined;
          throw new OutboundError('unreachable', `a file is refused: HTTP ${response.status}`);
        },
      );
    },
  };
}

function mayFetch(text: string, own: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.origin === new URL(own).origin) return true;
  return url.protocol === 'https:' && url.port === '' && TRUSTED_HOSTS.test(url.hostname);
}

function trouble(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const options = { cause: error };
  if (wasNeverSent(code)) return new OutboundError('refused', `not reached: ${code}`, options);
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const isEnded = error instanceof Error && error.name === 'AbortError';
  const reason = isLate ? 'late' : isEnded ? 'ended' : 'unreachable';
  return new OutboundError(reason, `the Cloud API did not answer: ${code || reason}`, options);
}

async function answerFrom(response: Response): Promise<GraphAnswer> {
  const json = asJson((await readBytes(response, ANSWER_BYTES_MAX)).toString('utf8'));
  const error = at(json, 'error');
  if (response.ok && error === undefined && json !== undefined) return { ok: true, json };
  const code = at(error, 'code');
  if (typeof code !== 'number') {
    // Something between us and Meta answered: Meta may have received the request.
    if (response.status !== 429) {
      throw new OutboundError('unreachable', `no answer of Meta's: HTTP ${response.status}`);
    }
    return refusedWith(response, { code: 130429, isTransient: true });
  }
  const subcode = at(error, 'error_subcode');
  const isTransient = at(error, 'is_transient');
  return refusedWith(response, {
    code,
    subcode: typeof subcode === 'number' ? subcode : undefined,
    isTransient: isTransient === true,
  });
}

const refusedWith = (response: Response, error: GraphError): GraphAnswer => ({
  ok: false,
  status: response.status,
  error,
  retryAfterMs: retryAfterMs(response.headers.get('retry-after')),
});

const retryAfterMs = (header: string | null): number =>
  header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : 0;

async function readBytes(response: Response, bytesMax: number): Promise<Buffer> {
  const bytes = await bytesOf(response, bytesMax);
  if (!bytes) throw new OutboundError('unreachable', 'the answer is too large');
  return bytes;
}

export const wordAt = (answer: GraphAnswer, ...path: string[]): string | undefined =>
  answer.ok ? textAt(answer.json, ...path) : undefined;

/**
 * Calls Meta for a person who waits; anything but success is a refusal.
 *
 * @throws Refusal `cloud_refused`, `cloud_unreachable`
 */
export async function askOrRefuse(graph: Graph, call: GraphCall): Promise<GraphAnswer> {
  const answer = await graph.ask(call).catch((error: unknown) => {
    if (error instanceof OutboundError) throw new Refusal('cloud_unreachable', {});
    throw error;
  });
  if (answer.ok) return answer;
  const isBusy = answer.error.isTransient === true || answer.status >= 500;
  if (isBusy || answer.status === 429) throw new Refusal('cloud_unreachable', {});
  throw new Refusal('cloud_refused', { code: answer.error.code });
}

const PAGES_MAX = 100;

/** A list at Meta, page by page. @param path with a query @throws Refusal, as `askOrRefuse` does */
export async function* pagesOf(
  graph: Graph,
  { accessToken, path }: Pick<GraphCall, 'accessToken' | 'path'>,
): AsyncGenerator<readonly unknown[]> {
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const more = after === undefined ? '' : `&after=${encodeURIComponent(after)}`;
    const answer = await askOrRefuse(graph, { accessToken, path: `${path}${more}` });
    const json = answer.ok ? storableJson(answer.json) : undefined;
    yield listAt(json, 'data');
    const next = wordAt(answer, 'paging', 'cursors', 'after');
    if (next === undefined || next === after || at(json, 'paging', 'next') === undefined) return;
    after = next;
  }
}
