/** Calls of the API, with the key of the environment. */
import { setTimeout as pause } from 'node:timers/promises';
import { EXIT, Stop, printable } from './terminal.mjs';

const HOME = 'http://localhost:3000';
/** Attempts per call, and the wait after the first; it doubles each time. */
const TRIES = 4;
const FIRST_WAIT_MS = 300;
const WAIT_MS_MAX = 60_000;
const ANSWER_MS_MAX = 30_000;
/** The time limit of an upload, as long as the service waits for one. */
const UPLOAD_MS_MAX = 600_000;

/** Statuses after which the same request may succeed. */
const passing = new Set([429, 502, 503, 504]);

/**
 * The API at `KABARI_URL` with `KABARI_KEY`.
 *
 * @param {Record<string, string | undefined>} env
 * @param {{ warn: (line: string) => void, signal: AbortSignal }} options
 * @throws {Stop} without a key, or with an invalid address.
 */
export function openApi(env, { warn, signal }) {
  const key = (env.KABARI_KEY ?? '').trim();
  if (key === '') {
    throw new Stop(
      'There is no key. Make one on the page Nomor, then: export KABARI_KEY=kbr_…',
      EXIT.usage,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new Stop(
      'KABARI_KEY holds something that is no key: spaces or other characters.',
      EXIT.usage,
    );
  }
  const home = homeOf(env.KABARI_URL || HOME);
  if (home.protocol === 'http:' && !isLoopback(home.hostname)) {
    warn(`The key travels unencrypted to ${home.host}: use https.`);
  }
  const language = /^id/i.test(env.LC_ALL || env.LC_MESSAGES || env.LANG || '') ? 'id' : 'en';
  const call = callerAt({ home, key, language, warn, signal });
  return {
    home,
    signal,
    /** @param {string} path @param {Record<string, string | number | undefined>} query */
    get: (path, query = {}) => call('GET', withQuery(path, query)),
    /** A call that is safe to repeat: it carries an idempotency key. */
    post: (path, body, idempotencyKey) =>
      call('POST', path, {
        body: JSON.stringify(body ?? {}),
        headers: {
          'content-type': 'application/json',
          ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        },
      }),
    /** A file, as a form; a repeat under its key returns the first result. */
    upload: (path, form, idempotencyKey) =>
      call('POST', path, {
        body: form,
        headers: { 'idempotency-key': idempotencyKey },
        answerMs: UPLOAD_MS_MAX,
      }),
  };
}

function homeOf(given) {
  let url;
  try {
    url = new URL(given);
  } catch {
    throw new Stop(`KABARI_URL is no address: ${printable(given)}`, EXIT.usage);
  }
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new Stop('KABARI_URL is to be http(s)://host, without a name or password.', EXIT.usage);
  }
  return url;
}

export const isLoopback = (host) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

function withQuery(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

const callerAt =
  ({ home, key, language, warn, signal }) =>
  async (method, path, { body, headers, answerMs = ANSWER_MS_MAX } = {}) => {
    const url = new URL(home.pathname.replace(/\/$/, '') + path, home);
    for (let tried = 1; ; tried++) {
      const answer = await oneTry(url, {
        method,
        body,
        headers: { ...headers, authorization: `Bearer ${key}`, 'accept-language': language },
        // A redirect would send the key elsewhere, or turn a POST into a GET.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      });
      if (signal.aborted) throw interrupted();
      if (answer.json !== undefined && answer.status < 400) return answer.json;
      if (tried === TRIES || !isPassing(answer)) throw reasonOf(answer, home);
      const wait = Math.min(WAIT_MS_MAX, answer.waitMs ?? FIRST_WAIT_MS * 2 ** (tried - 1));
      if (wait >= 2_000)
        warn(`${sentenceOf(answer, home)} Next try in ${Math.ceil(wait / 1000)} s.`);
      await pause(wait, undefined, { signal }).catch(() => {
        throw interrupted();
      });
    }
  };

async function oneTry(url, options) {
  try {
    const response = await fetch(url, options);
    const text = await response.text();
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const waitMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
    return { status: response.status, json: jsonIn(response, text), waitMs };
  } catch (error) {
    return { status: 0, trouble: troubleOf(error) };
  }
}

function jsonIn({ headers }, text) {
  if (!/json/.test(headers.get('content-type') ?? '')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function troubleOf(error) {
  if (error?.name === 'TimeoutError') return 'no answer in time';
  return error?.cause?.code ?? error?.cause?.message ?? error?.message ?? 'unknown';
}

/** Whether the same request may succeed later; not with a refused key or an invalid request. */
const isPassing = ({ status, json }) =>
  status === 0 || passing.has(status) || (status >= 400 && json?.retryable === true);

function reasonOf(answer, home) {
  const isOut = answer.status === 0 || passing.has(answer.status) || answer.json === undefined;
  return new Stop(sentenceOf(answer, home), isOut ? EXIT.unreachable : EXIT.refused);
}

/** Problem details as a sentence; other responses are described by their status. */
function sentenceOf({ status, json, trouble }, home) {
  if (trouble !== undefined) {
    const hint =
      trouble === 'ECONNREFUSED'
        ? ' Nothing answers there: KABARI_URL says where Kabari runs.'
        : '';
    return `${home.origin} cannot be reached (${printable(trouble)}).${hint}`;
  }
  if (typeof json?.detail !== 'string') {
    return `${home.origin} answered ${status}, and not as Kabari answers. Is KABARI_URL right?`;
  }
  const fields = Object.entries(json.fields ?? {}).map(
    ([name, sentence]) => `\n  ${printable(name)}: ${printable(sentence)}`,
  );
  const request = json.request_id ? ` [${printable(json.request_id)}]` : '';
  return `${printable(json.detail)} (${status} ${printable(json.code)})${request}${fields.join('')}`;
}

export const interrupted = () => new Stop('', EXIT.interrupted);
