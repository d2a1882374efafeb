import { setTimeout as pause } from 'node:timers/promises';
import { uuidOf } from '#contract/base/ids.ts';
import { type Ask, type Wish, bodyOf, isSafe } from './requests.ts';

/** What came back over HTTP. */
export type Heard = { status: number; replayed: boolean; body: unknown };

/** Somewhere to send requests; rejects when no answer came. */
export type Door = {
  post: (path: string, request: { bearer: string; key?: string; body: object }) => Promise<Heard>;
};

/** All that was asked and answered, and what was wrong with the answers. */
export type Journal = {
  asks: Ask[];
  complaints: string[];
  /** Answers by status and code; `0 none` where none came. */
  heard: Map<string, number>;
  /** First answers that came again when asked again. */
  replays: number;
};

export const openJournal = (): Journal => ({
  asks: [],
  complaints: [],
  heard: new Map(),
  replays: 0,
});

type Item = { id?: string; error?: { code: string } };
type Body = { code?: string; retryable?: boolean; data?: Item[]; id?: string };

/** Noes that a sender of these requests must expect. */
const expected = new Set(['saldo_short', 'token_limit_reached', 'recipient_opted_out']);

/** Sends a request until it is answered; one that may not be repeated, once. Stops when told to. */
export async function askUntilAnswered(
  door: Door,
  journal: Journal,
  ask: Ask,
  stop: AbortSignal,
): Promise<void> {
  while (!(await askOnce(door, journal, ask))) {
    if (!isSafe(ask) || stop.aborted) return;
    await pause(30);
  }
  if (!ask.cancel || ask.wishes[0]?.fate !== 'accepted') return;
  while (!(await cancelOnce(door, journal, ask))) {
    if (stop.aborted) return;
    await pause(30);
  }
}

/** The same request twice at the same moment, as an impatient client sends it. */
export async function askTwiceAtOnce(
  door: Door,
  journal: Journal,
  ask: Ask,
  stop: AbortSignal,
): Promise<void> {
  ask.raced = true;
  await Promise.all([1, 2].map(() => askUntilAnswered(door, journal, ask, stop)));
}

/** @returns true when it was answered for good. */
export async function askOnce(door: Door, journal: Journal, ask: Ask): Promise<boolean> {
  const { sender, key } = ask;
  const request = { bearer: sender.key, ...(key !== undefined && { key }), body: bodyOf(ask) };
  const heard = await hear(door, journal, '/v1/messages', request);
  if (heard === undefined || heard.status === 500 || heard.status === 504) {
    ask.unsure += 1;
    return false;
  }
  const body = heard.body as Body;
  if (heard.status !== 202 && body.retryable) return false;
  if (heard.replayed) journal.replays += 1;
  note(journal, ask, heard.status, body);
  return true;
}

async function cancelOnce(door: Door, journal: Journal, ask: Ask): Promise<boolean> {
  const id = ask.first === undefined ? undefined : (JSON.parse(ask.first) as string[])[0];
  const path = `/v1/messages/${id}/cancel`;
  const heard = await hear(door, journal, path, { bearer: ask.sender.key, body: {} });
  if (heard === undefined) return false;
  const { retryable, code } = heard.body as Body;
  if (heard.status !== 200 && retryable) return false;
  if (heard.status === 200) ask.cancelled = true;
  else journal.complaints.push(`${ask.name} could not be cancelled: ${heard.status} ${code}`);
  return true;
}

async function hear(
  door: Door,
  journal: Journal,
  path: string,
  request: Parameters<Door['post']>[1],
): Promise<Heard | undefined> {
  const heard = await door.post(path, request).catch(() => undefined);
  const code = (heard?.body as Body | undefined)?.code;
  const words = heard === undefined ? '0 none' : `${heard.status} ${code ?? ''}`.trim();
  journal.heard.set(words, (journal.heard.get(words) ?? 0) + 1);
  return heard;
}

function note(journal: Journal, ask: Ask, status: number, body: Body): void {
  const items = itemsOf(ask, status, body);
  const words = JSON.stringify(items.map((item) => item.id ?? item.error?.code));
  if (items.length !== ask.wishes.length) {
    journal.complaints.push(`${ask.name} has ${ask.wishes.length} messages, answered ${words}`);
    return;
  }
  if (ask.key !== undefined && status === 202) {
    ask.first ??= words;
    if (ask.first !== words)
      journal.complaints.push(`${ask.name} was answered ${ask.first}, then ${words}`);
  }
  ask.wishes.forEach((wish, n) => noteWish(journal, ask, wish, items[n] ?? {}));
}

/** A result per message, also where one answer speaks for all. */
function itemsOf(ask: Ask, status: number, body: Body): readonly Item[] {
  if (ask.many && body.data) return body.data;
  if (status === 202) return [body];
  return ask.wishes.map(() => ({ error: { code: body.code ?? String(status) } }));
}

function noteWish(journal: Journal, ask: Ask, wish: Wish, item: Item): void {
  if (item.id === undefined) {
    const code = item.error?.code ?? 'nothing';
    if (!expected.has(code)) journal.complaints.push(`${wish.text} was refused: ${code}`);
    if (wish.fate === 'accepted' && ask.key === undefined && !ask.raced)
      journal.complaints.push(`${wish.text} was accepted, then refused: ${code}`);
    if (wish.fate === 'open') Object.assign(wish, { fate: 'refused', code });
    return;
  }
  const id = uuidOf('message', item.id);
  if (wish.id !== undefined && wish.id !== id)
    journal.complaints.push(`${wish.text} was accepted as ${wish.id}, then as ${id}`);
  Object.assign(wish, { fate: 'accepted', id });
}
