import { setTimeout as pause } from 'node:timers/promises';
import { uuidOf } from '#contract/base/ids.ts';
import type { Post } from '#tests/chaos/webhooks/receiver.ts';
import { type SendRequest, type RequestedMessage, bodyOf, isSafe } from './requests.ts';

export type HttpAnswer = { status: number; replayed: boolean; body: unknown };

export type Transport = {
  post: (
    path: string,
    options: { bearer: string; key?: string; body: object },
  ) => Promise<HttpAnswer>;
};

export type Journal = {
  requests: SendRequest[];
  complaints: string[];
  /** Answers by status and code; `0 none` if none came. */
  answers: Map<string, number>;
  replays: number;
  posts: readonly Post[];
};

export const openJournal = (posts: readonly Post[]): Journal => ({
  requests: [],
  complaints: [],
  answers: new Map(),
  replays: 0,
  posts,
});

type Item = { id?: string; error?: { code: string } };
type Body = { code?: string; retryable?: boolean; data?: Item[]; id?: string };

const expected = new Set(['saldo_short', 'token_limit_reached', 'recipient_opted_out']);

/** Repeats a request until answered, or sends it once if unsafe. Stops when aborted. */
export async function sendUntilAnswered(
  transport: Transport,
  journal: Journal,
  request: SendRequest,
  stop: AbortSignal,
): Promise<void> {
  while (!(await sendOnce(transport, journal, request))) {
    if (!isSafe(request) || stop.aborted) return;
    await pause(30);
  }
  if (!request.cancel || request.messages[0]?.outcome !== 'accepted') return;
  while (!(await cancelOnce(transport, journal, request))) {
    if (stop.aborted) return;
    await pause(30);
  }
}

/** Sends the same request twice at the same moment, as an impatient client does. */
export async function sendTwiceAtOnce(
  transport: Transport,
  journal: Journal,
  request: SendRequest,
  stop: AbortSignal,
): Promise<void> {
  request.raced = true;
  await Promise.all([1, 2].map(() => sendUntilAnswered(transport, journal, request, stop)));
}

/** @returns true if the answer was definite. */
export async function sendOnce(
  transport: Transport,
  journal: Journal,
  request: SendRequest,
): Promise<boolean> {
  const { sender, key } = request;
  const options = { bearer: sender.key, ...(key !== undefined && { key }), body: bodyOf(request) };
  const answer = await postAndCount(transport, journal, '/v1/messages', options);
  if (answer === undefined || answer.status === 500 || answer.status === 504) {
    request.unsure += 1;
    return false;
  }
  const body = answer.body as Body;
  if (answer.status !== 202 && body.retryable) return false;
  if (answer.replayed) journal.replays += 1;
  note(journal, request, answer.status, body);
  return true;
}

async function cancelOnce(
  transport: Transport,
  journal: Journal,
  request: SendRequest,
): Promise<boolean> {
  const id = request.first === undefined ? undefined : (JSON.parse(request.first) as string[])[0];
  const path = `/v1/messages/${id}/cancel`;
  const answer = await postAndCount(transport, journal, path, {
    bearer: request.sender.key,
    body: {},
  });
  if (answer === undefined) return false;
  const { retryable, code } = answer.body as Body;
  if (answer.status !== 200 && retryable) return false;
  if (answer.status === 200) request.cancelled = true;
  else journal.complaints.push(`${request.name} could not be cancelled: ${answer.status} ${code}`);
  return true;
}

async function postAndCount(
  transport: Transport,
  journal: Journal,
  path: string,
  options: Parameters<Transport['post']>[1],
): Promise<HttpAnswer | undefined> {
  const answer = await transport.post(path, options).catch(() => undefined);
  const code = (answer?.body as Body | undefined)?.code;
  const words = answer === undefined ? '0 none' : `${answer.status} ${code ?? ''}`.trim();
  journal.answers.set(words, (journal.answers.get(words) ?? 0) + 1);
  return answer;
}

function note(journal: Journal, request: SendRequest, status: number, body: Body): void {
  const items = itemsOf(request, status, body);
  const words = JSON.stringify(items.map((item) => item.id ?? item.error?.code));
  if (items.length !== request.messages.length) {
    journal.complaints.push(
      `${request.name} has ${request.messages.length} messages, answered ${words}`,
    );
    return;
  }
  if (request.key !== undefined && status === 202) {
    request.first ??= words;
    if (request.first !== words)
      journal.complaints.push(`${request.name} was answered ${request.first}, then ${words}`);
  }
  request.messages.forEach((message, n) => noteMessage(journal, request, message, items[n] ?? {}));
}

/** One result per message, also if one answer covers all. */
function itemsOf(request: SendRequest, status: number, body: Body): readonly Item[] {
  if (request.many && body.data) return body.data;
  if (status === 202) return [body];
  return request.messages.map(() => ({ error: { code: body.code ?? String(status) } }));
}

function noteMessage(
  journal: Journal,
  request: SendRequest,
  message: RequestedMessage,
  item: Item,
): void {
  if (item.id === undefined) {
    const code = item.error?.code ?? 'nothing';
    if (!expected.has(code)) journal.complaints.push(`${message.text} was refused: ${code}`);
    if (message.outcome === 'accepted' && request.key === undefined && !request.raced)
      journal.complaints.push(`${message.text} was accepted, then refused: ${code}`);
    if (message.outcome === 'open') Object.assign(message, { outcome: 'refused', code });
    return;
  }
  const id = uuidOf('message', item.id);
  if (message.id !== undefined && message.id !== id)
    journal.complaints.push(`${message.text} was accepted as ${message.id}, then as ${id}`);
  Object.assign(message, { outcome: 'accepted', id });
}
