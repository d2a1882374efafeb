import { type MessageStatus, rises, statusRank } from '#contract/messages.ts';

type Bag = Readonly<Record<string, unknown>>;
const isBag = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Rows lie this deep at most: pages → page → rows → row. */
const DEPTH_MAX = 5;

/**
 * Cached data with something replaced wherever it is found: in a row of a list, in a thread, in a
 * page's summary. What did not change stays the very same object, so that nothing is drawn again.
 *
 * @param change gives the object to put in place, or `undefined` to look inside it.
 */
function replaced(data: unknown, change: (bag: Bag) => Bag | undefined, depth = 0): unknown {
  if (depth > DEPTH_MAX) return data;
  if (Array.isArray(data)) {
    let copy: unknown[] | undefined;
    for (const [index, item] of data.entries()) {
      const next = replaced(item, change, depth + 1);
      if (next !== item) (copy ??= [...data])[index] = next;
    }
    return copy ?? data;
  }
  if (!isBag(data)) return data;
  const changed = change(data);
  if (changed) return changed;
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(data)) {
    const next = replaced(value, change, depth + 1);
    if (next !== value) (copy ??= { ...data })[name] = next;
  }
  return copy ?? data;
}

type News = { id: string; status: MessageStatus };

/**
 * Cached data with a message's status risen, wherever the message stands in it. What arrived after all has
 * not failed.
 */
export const withStatus = <T>(data: T, { id, status }: News): T =>
  replaced(data, (bag) => {
    if (bag['id'] !== id || typeof bag['status'] !== 'string') return undefined;
    if (!rises(bag['status'] as MessageStatus, status)) return bag;
    const isFailed = typeof bag['failure'] === 'string' && statusRank[status] <= statusRank.failed;
    return { ...bag, status, ...('failure' in bag && !isFailed && { failure: null }) };
  }) as T;

type Figures = { available: number; held: number };

/** Cached data with the saldo's two figures replaced, wherever they stand together. */
export const withSaldo = <T>(data: T, { available, held }: Figures): T =>
  replaced(data, (bag) => {
    if (typeof bag['available'] !== 'number' || typeof bag['held'] !== 'number') return undefined;
    return bag['available'] === available && bag['held'] === held
      ? bag
      : { ...bag, available, held };
  }) as T;

type Conversation = { token_id: string; peer: string };

/** Cached data with a conversation's unread messages read, wherever it stands. */
export const withRead = <T>(data: T, { token_id, peer }: Conversation): T =>
  replaced(data, (bag) => {
    if (bag['peer'] !== peer || typeof bag['unread'] !== 'number') return undefined;
    const token = bag['token'];
    if (!isBag(token) || token['id'] !== token_id) return undefined;
    return bag['unread'] === 0 ? bag : { ...bag, unread: 0 };
  }) as T;

/** What events are about, as the first word of a query's key says it. */
export type Subject = 'messages' | 'conversations' | 'tokens' | 'saldo' | 'topups' | 'home';

/** Lists are keyed by their act: `message_list`, `saldo_mutation_list`. */
const acts: Record<Subject, string> = {
  messages: 'message_',
  conversations: 'conversation_',
  tokens: 'token_',
  saldo: 'saldo_',
  topups: 'topup_',
  home: 'home_',
};

/** Whether a query's key is about a subject. */
export function isAbout(key: readonly unknown[], subject: Subject): boolean {
  const [first] = key;
  return typeof first === 'string' && (first === subject || first.startsWith(acts[subject]));
}
