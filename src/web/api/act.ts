import type { Act, InputFor } from '#contract/base/act.ts';
import { toPairs } from '#contract/base/form.ts';
import { readAnswer, type AnswerOf } from '#web/api/answer.ts';
import { refusalCode, TransportError } from '#web/api/errors.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import { nextTask } from '#web/browser/scheduling/nextTask.ts';
import { canRequireReauth, notGiven, questionOf, requireReauth } from '#web/api/reauth.ts';
import { apiUrl, noteResponse, serverFailed } from '#web/api/server.ts';
import { pushToken } from '#web/browser/push/pushToken.ts';
import { savePasswordGiven, sessionToken } from '#web/browser/session.ts';

const TIMEOUT_MS = 20_000;

/**
 * Longest body, in characters, that is sent with `keepalive`, so that the request survives closing or reloading the
 * page. Browsers allow 64 KiB of keepalive bodies in total and reject more.
 */
const KEPT_MAX = 4_000;

type Options = {
  signal?: AbortSignal | undefined;
  /** The idempotency key of a change: the same for a retry. Generated if omitted. */
  key?: string | undefined;
};

/**
 * Performs an act and returns its answer, validated against the act's schema. Input with a FormData or File is sent as
 * multipart, everything else urlencoded.
 *
 * @throws Refusal for a refusal of the catalogue; AnswerError for any other refusal; TransportError without a readable
 *   answer; an AbortError when `signal` aborts.
 */
export async function perform<A extends Act>(
  act: A,
  input: InputFor<A> | FormData,
  { signal, key }: Options = {},
): Promise<AnswerOf<A>> {
  const body = bodyFor(act, input, key);
  const { text, status } = await send(body, signal, act.changes && isSmall(body));
  return readAnswer(act, parsed(text), status);
}

/**
 * Like `perform`, for a change by a person. If the act's own dialog asks for the password, it is sent first; if the
 * server requires it, the dialog shows its field and the call ends. Without such a dialog a small one asks, and the act
 * is performed again with a new key, which is written to `request` for later retries.
 *
 * @throws what `perform` throws; an AbortError when the password is not given.
 */
export async function performWithReauth<A extends Act>(
  act: A,
  request: { input: InputFor<A> | FormData; key: string },
): Promise<AnswerOf<A>> {
  const question = questionOf(act.name);
  await question?.give();
  try {
    return await perform(act, request.input, { key: request.key });
  } catch (no) {
    if (refusalCode(no) !== 'reauth_needed') throw no;
    savePasswordGiven(false);
    if (question) {
      question.show();
      throw notGiven();
    }
    if (!canRequireReauth()) throw no;
    await requireReauth();
    request.key = newIdempotencyKey();
    return perform(act, request.input, { key: request.key });
  }
}

/** Performs an act whose reply is a stream; returns the response with its body unread. */
export async function performStream<A extends Act>(
  act: A,
  input: InputFor<A>,
  signal: AbortSignal,
): Promise<Response> {
  const body = bodyFor(act, input, undefined);
  const response = await fetch(apiUrl(), { method: 'POST', body, signal }).catch(failed);
  noteResponse(response);
  if (!response.ok) readAnswer(act, parsed(await response.text()), response.status);
  return response;
}

export function bodyFor<A extends Act>(
  act: A,
  input: InputFor<A> | FormData,
  key: string | undefined,
): URLSearchParams | FormData {
  const envelope: [string, string][] = [
    ['act', act.name],
    ['token', sessionToken()],
    ['fcm', pushToken()],
  ];
  if (act.changes) envelope.push(['key', key ?? newIdempotencyKey()]);
  if (input instanceof FormData) {
    for (const [name, value] of envelope) input.set(name, value);
    return input;
  }
  const fields = input as Readonly<Record<string, unknown>>;
  const files = Object.entries(fields).filter(([, value]) => value instanceof Blob);
  if (files.length === 0) return new URLSearchParams([...envelope, ...toPairs(fields)]);
  const form = new FormData();
  const rest = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !(value instanceof Blob)),
  );
  for (const [name, value] of [...envelope, ...toPairs(rest)]) form.append(name, value);
  for (const [name, file] of files) form.append(name, file as Blob);
  return form;
}

type Reply = { text: string; status: number };

const isSmall = (body: URLSearchParams | FormData): boolean =>
  body instanceof URLSearchParams && body.toString().length <= KEPT_MAX;

async function send(
  body: BodyInit,
  signal: AbortSignal | undefined,
  keepalive: boolean,
): Promise<Reply> {
  signal?.throwIfAborted();
  const timer = new AbortController();
  const giveUp = () => timer.abort(signal?.reason);
  signal?.addEventListener('abort', giveUp, { once: true });
  const late = setTimeout(() => timer.abort(new TransportError('timeout')), TIMEOUT_MS);
  try {
    // A page starts about ten calls at once, and each costs a phone some 10 ms to send.
    await nextTask();
    timer.signal.throwIfAborted();
    const init = { method: 'POST', body, keepalive, signal: timer.signal };
    const response = await fetch(apiUrl(), init);
    // The timeout includes reading the body.
    const text = await response.text();
    noteResponse(response);
    return { text, status: response.status };
  } catch (error) {
    return failed(error);
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', giveUp);
  }
}

function failed(error: unknown): never {
  if (error instanceof DOMException) throw error;
  serverFailed();
  throw error instanceof TransportError ? error : new TransportError('network');
}

function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
