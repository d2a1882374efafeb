import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import { readJson } from '#web/browser/json.ts';
import { storageGet, storageSet } from '#web/browser/storage.ts';
import { onStorageChange, storageNames } from '#web/browser/storageNames.ts';
import { createStore } from '#web/browser/store.ts';

/** To a conversation, to customer service, or from customer service to a customer. */
export type UnsentKind = 'conversation' | 'support' | 'inbox';

export type UnsentFile = { name: string; type: string; size: number };

/** A message that is not sent yet. */
export type Unsent<Body = unknown> = {
  /** The same for every attempt; its file is stored under the same id. */
  id: string;
  /** The idempotency key: the same for every attempt until the server refuses the message. */
  key: string;
  kind: UnsentKind;
  /** Messages of a thread are sent in order. */
  thread: string;
  /** When it was written, in milliseconds; increasing. */
  at: number;
  body: Body;
  file?: UnsentFile | undefined;
  upload?: string | undefined;
  /** Why the last attempt failed. */
  why?: string | undefined;
  /** It is not retried automatically. */
  failed?: boolean | undefined;
  /** The server's refusal. */
  code?: string | undefined;
  /** When the person last had it resent, in milliseconds. */
  resentAt?: number | undefined;
};

const PREFIX = 'unsent ';

/**
 * All unsent messages of this browser, oldest first; each has its own storage entry, so that no tab overwrites
 * another's.
 */
export const readUnsent = (): readonly Unsent[] =>
  storageNames('browser', PREFIX)
    .map((name) => readJson(storageGet('browser', name)))
    .filter(isUnsent)
    .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));

/** The same, followed by components. */
export const unsent = createStore<readonly Unsent[]>(
  () => {
    takeOver();
    return readUnsent();
  },
  ({ set }) => onStorageChange(PREFIX, () => set(readUnsent())),
);

export function findUnsent(id: string): Unsent | undefined {
  const message = readJson(storageGet('browser', PREFIX + id));
  return isUnsent(message) ? message : undefined;
}

/** Stores a message until it is sent, discarded, or the person signs out. */
export const storeUnsent = (message: Unsent): void => write(message.id, JSON.stringify(message));

export const forgetUnsent = (id: string): void => write(id, undefined);

function write(id: string, value: string | undefined): void {
  storageSet('browser', PREFIX + id, value);
  unsent.set(readUnsent());
}

const isDated = (value: unknown): value is { id: string; at: number } =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  'at' in value &&
  typeof value.at === 'number';

const isUnsent = (value: unknown): value is Unsent =>
  isDated(value) && ['key', 'kind', 'thread', 'body'].every((name) => name in value);

type Former = Omit<Unsent, 'key' | 'kind' | 'body' | 'thread'> & {
  /** Of customer service: `own`, or the account that the operator wrote to. */
  thread?: string;
  /** Of conversations. */
  key?: string;
  tokenId?: string;
  peer?: string;
};

const FORMER_LINE = 'support-line ';
const FORMER_TEXTS = 'outgoing';

/** Takes over messages that version 1.0.0 left unsent: of conversations in this tab, of customer service in this browser. */
function takeOver(): void {
  const lines = storageNames('browser', FORMER_LINE);
  const texts = readJson(storageGet('tab', FORMER_TEXTS));
  const former = [...lines.map((name) => readJson(storageGet('browser', name))), texts].flat();
  for (const one of former) if (isFormer(one)) storageSet('browser', PREFIX + one.id, moved(one));
  for (const name of lines) storageSet('browser', name, undefined);
  storageSet('tab', FORMER_TEXTS, undefined);
}

function moved(former: Former): string {
  const {
    failed,
    thread,
    key = newIdempotencyKey(),
    id,
    at,
    file,
    upload,
    why,
    code,
    ...body
  } = former;
  const same = { id, key, at, file, upload, why, code, body };
  const message: Unsent =
    thread === undefined
      ? {
          ...same,
          kind: 'conversation',
          thread: `${body.tokenId} ${body.peer}`,
          failed: why !== undefined,
        }
      : { ...same, kind: thread === 'own' ? 'support' : 'inbox', thread, failed };
  return JSON.stringify(message);
}

const isFormer = (value: unknown): value is Former =>
  isDated(value) && ('thread' in value || ('tokenId' in value && 'peer' in value));
