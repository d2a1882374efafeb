import { useMemo } from 'react';
import type { UploadPurpose } from '#contract/uploads.ts';
import { isDefinite, refusalCode } from '#web/api/errors.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import { onServerBack } from '#web/api/server.ts';
import {
  findUnsent,
  forgetUnsent,
  readUnsent,
  storeUnsent,
  unsent,
  type Unsent,
  type UnsentKind,
} from '#web/api/unsent.ts';
import {
  dropFile,
  fileOf,
  isLasting,
  keepFile,
  revertUpload,
  unsentReason,
  uploadFile,
} from '#web/api/uploads/outgoingFiles.ts';
import { retryMs } from '#web/api/user.ts';
import { inTurn } from '#web/browser/push/records.ts';
import { useStore } from '#web/browser/store.ts';

/** Sends the unsent messages of a kind. */
export type Sender<Body = unknown> = {
  kind: UnsentKind;
  purpose: UploadPurpose;
  /** The age from which messages are not sent automatically: the server may have forgotten their keys. */
  expiresMs?: number;
  /**
   * Sends a message, once.
   *
   * @param attempt its key, replaced by the one of the last call.
   * @returns a function that shows the sent message.
   */
  send: (
    message: Unsent<Body>,
    attempt: { key: string; upload: string | undefined },
  ) => Promise<() => void>;
};

type Thread = Pick<Unsent, 'kind' | 'thread'>;

const senders = new Map<UnsentKind, Sender>();
const working = new Set<string>();
/** Consecutive attempts without a response, by thread. */
const failures = new Map<string, number>();
const resting = new Map<string, ReturnType<typeof setTimeout>>();

const nameOf = ({ kind, thread }: Thread): string => `${kind} ${thread}`;

/** The unsent messages of a thread, oldest first. A kind has one type of body. */
export function useUnsent<Body>(kind: UnsentKind, thread: string): readonly Unsent<Body>[] {
  const all = useStore(unsent);
  return useMemo(
    () => all.filter((one) => one.kind === kind && one.thread === thread) as Unsent<Body>[],
    [all, kind, thread],
  );
}

export type NewUnsent<Body> = Thread & { body: Body; file?: File | undefined };

/** Queues a message; it waits while offline, also over a reload. */
export function addUnsent<Body>({ file, ...rest }: NewUnsent<Body>): void {
  const newest = Math.max(0, ...readUnsent().map(({ at }) => at));
  const id = newIdempotencyKey();
  if (file) keepFile(id, file);
  storeUnsent({
    ...rest,
    id,
    key: newIdempotencyKey(),
    at: Math.max(Date.now(), newest + 1),
    ...(file && { file: { name: file.name, type: file.type, size: file.size } }),
  });
}

export function resend(message: Unsent): void {
  const resentAt = Date.now();
  change(message.id, { why: undefined, failed: undefined, code: undefined, resentAt });
  wake(message);
}

export function dropUnsent({ id }: Unsent): void {
  revertUpload(findUnsent(id)?.upload);
  remove(id);
}

/**
 * Sends the messages of each thread one after the other, from now on and on every page, so that they arrive in order.
 * Resumes after a reload, and when the browser is online or the server back again.
 *
 * @returns the stop function
 */
export function startOutbox<Body>(sender: Sender<Body>): () => void {
  const { kind } = sender;
  const waiting = () => readUnsent().filter((one) => one.kind === kind);
  const wakeAll = () => waiting().forEach(wake);
  senders.set(kind, sender as Sender);
  wakeAll();
  // Another tab may have added some, and be closed before it has sent them.
  const stopStore = unsent.subscribe(() => waiting().forEach((one) => void work(one)));
  const stopBack = onServerBack(wakeAll);
  window.addEventListener('online', wakeAll);
  return () => {
    stopStore();
    stopBack();
    window.removeEventListener('online', wakeAll);
    senders.delete(kind);
  };
}

function wake(thread: Thread): void {
  const name = nameOf(thread);
  clearTimeout(resting.get(name));
  resting.delete(name);
  void work(thread);
}

function change(id: string, to: Partial<Unsent>): void {
  const message = findUnsent(id);
  // It may have been discarded meanwhile, here or in another tab.
  if (message) storeUnsent({ ...message, ...to });
}

function remove(id: string): void {
  dropFile(id);
  forgetUnsent(id);
}

const nextOf = (name: string): Unsent | undefined =>
  readUnsent().find((one) => nameOf(one) === name && !one.failed);

/** One tab at a time works on a thread; when a tab is closed, the next one takes over. */
async function work(thread: Thread): Promise<void> {
  const name = nameOf(thread);
  if (working.has(name) || resting.has(name) || !nextOf(name)) return;
  working.add(name);
  // Free at once: a message added from here on must start a new run.
  const run = () => pass(name).finally(() => working.delete(name));
  try {
    await inTurn(run, `outbox ${name}`);
  } finally {
    working.delete(name);
  }
}

async function pass(name: string): Promise<void> {
  for (let next = nextOf(name); next && navigator.onLine; next = nextOf(name)) {
    const sender = senders.get(next.kind);
    if (!sender || !(await isDone(next, sender))) return;
  }
}

/** Tries to send one message. @returns false when later ones have to wait too. */
async function isDone(message: Unsent, sender: Sender): Promise<boolean> {
  const { id, at, resentAt = at } = message;
  if (Date.now() - resentAt > (sender.expiresMs ?? Infinity)) {
    change(id, { why: 'Belum sempat terkirim.', failed: true });
    return true;
  }
  try {
    const show = await deliver(message, sender);
    remove(id);
    failures.delete(nameOf(message));
    show();
  } catch (error) {
    // Discarded while it was being sent.
    if (!findUnsent(id)) return true;
    if (!isRefused(error)) return waitFor(message, error);
    const code = isDefinite(error) ? refusalCode(error) : undefined;
    // The same key would be refused again.
    const renewed = code && { code, key: newIdempotencyKey() };
    change(id, { why: unsentReason(error), failed: true, ...renewed });
  }
  return true;
}

async function deliver(message: Unsent, sender: Sender): Promise<() => void> {
  const { id, file, key } = message;
  const upload = file && (message.upload ?? (await uploadFile(id, sender.purpose)));
  if (upload !== message.upload) change(id, { upload });
  const attempt = { key, upload };
  try {
    return await sender.send(message, attempt);
  } catch (error) {
    if (refusalCode(error) !== 'upload_gone' || !(await fileOf(id))) throw error;
    // Its upload has expired on the server.
    attempt.key = newIdempotencyKey();
    change(id, { upload: undefined, key: attempt.key });
    attempt.upload = await uploadFile(id, sender.purpose);
    return await sender.send(message, attempt);
  } finally {
    if (attempt.key !== key) change(id, { key: attempt.key });
  }
}

/** Whether a message is refused for good; otherwise it only has to wait. */
const isRefused = (error: unknown): boolean =>
  isLasting(error) || (isDefinite(error) && refusalCode(error) !== 'not_signed_in');

/** No response: the message stays first, and is retried automatically. */
function waitFor(message: Unsent, error: unknown): false {
  const name = nameOf(message);
  const tries = (failures.get(name) ?? 0) + 1;
  failures.set(name, tries);
  change(message.id, { why: unsentReason(error) });
  resting.set(name, setTimeout(wake, retryMs(tries), message));
  return false;
}
