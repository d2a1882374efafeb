import type { SupportMessage } from '#contract/support.ts';
import { isDefinite, refusalCode } from '#web/api/errors.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import { onServerBack } from '#web/api/server.ts';
import { retryMs } from '#web/api/user.ts';
import { onStorageChange } from '#web/browser/storageNames.ts';
import { createStore, useStore } from '#web/browser/store.ts';
import {
  dropFile,
  fileOf,
  isLasting,
  keepFile,
  revertUpload,
  unsentReason,
  uploadFile,
} from '#web/api/uploads/outgoingFiles.ts';
import {
  forgetLine,
  storedLine,
  storedLines,
  storeLine,
  type OutgoingLine,
} from '#web/features/support/outbox/outgoingLine.ts';
import { LINE_NAMES, supportWaiting } from '#web/features/support/outbox/waiting.ts';
import type { SupportDraft } from '#web/features/support/port.ts';

export type LineSender = {
  thread: string;
  send: (draft: SupportDraft) => Promise<SupportMessage>;
  onSent: (message: SupportMessage) => void;
};

const lines = createStore<readonly OutgoingLine[]>(storedLines, ({ set }) =>
  onStorageChange(LINE_NAMES, () => set(storedLines())),
);
const senders = new Map<string, LineSender>();
const working = new Set<string>();
/** Consecutive attempts without a response, by thread. */
const failures = new Map<string, number>();
const resting = new Map<string, ReturnType<typeof setTimeout>>();

export const useOutgoingLines = (thread: string): readonly OutgoingLine[] =>
  useStore(lines).filter((line) => line.thread === thread);

export const waitingThreads = (): readonly string[] => [
  ...new Set(storedLines().flatMap(({ thread, failed }) => (failed ? [] : thread))),
];

export type NewLine = Omit<OutgoingLine, 'id' | 'at' | 'file'> & { file?: File | undefined };

/** Queues a message; it waits while offline, also over a reload. */
export function addOutgoing({ file, ...rest }: NewLine): void {
  const newest = Math.max(0, ...storedLines().map(({ at }) => at));
  const line: OutgoingLine = {
    ...rest,
    id: newIdempotencyKey(),
    at: Math.max(Date.now(), newest + 1),
    ...(file && { file: { name: file.name, type: file.type, size: file.size } }),
  };
  if (file) keepFile(line.id, file);
  store(line);
  void work(line.thread);
}

export function retryLine({ id, thread }: OutgoingLine): void {
  change(id, { why: undefined, failed: undefined });
  wake(thread);
}

export function dropLine({ id }: OutgoingLine): void {
  revertUpload(storedLine(id)?.upload);
  remove(id);
}

/**
 * Sends the messages of a thread one after the other, from now on and on every page, so that they arrive in order.
 * Resumes after a reload, and when the browser is online or the server back again.
 *
 * @returns a function that stops it, for a thread that is only shown no longer.
 */
export function followOutbox(sender: LineSender): () => void {
  const { thread } = sender;
  if (senders.size === 0) {
    const wakeAll = () => [...senders.keys()].forEach(wake);
    window.addEventListener('online', wakeAll);
    onServerBack(wakeAll);
    // Another tab may have added some, and be closed before it has sent them.
    lines.subscribe(() => [...senders.keys()].forEach((name) => void work(name)));
  }
  senders.set(thread, sender);
  wake(thread);
  return () => {
    if (senders.get(thread) === sender) senders.delete(thread);
  };
}

function wake(thread: string): void {
  clearTimeout(resting.get(thread));
  resting.delete(thread);
  void work(thread);
}

function store(line: OutgoingLine): void {
  storeLine(line);
  update();
}

function change(id: string, to: Partial<OutgoingLine>): void {
  const line = storedLine(id);
  // It may have been discarded meanwhile, here or in another tab.
  if (line) store({ ...line, ...to });
}

function remove(id: string): void {
  dropFile(id);
  forgetLine(id);
  update();
}

function update(): void {
  lines.set(storedLines());
  supportWaiting.set(lines.get().filter(({ failed }) => !failed).length);
}

const nextOf = (thread: string): OutgoingLine | undefined =>
  storedLines().find((line) => line.thread === thread && !line.failed);

/** One tab at a time works on a thread; when a tab is closed, the next one takes over. */
async function work(thread: string): Promise<void> {
  if (working.has(thread) || resting.has(thread) || !nextOf(thread)) return;
  working.add(thread);
  const { locks } = navigator as { locks?: LockManager };
  // Free at once: a message added from here on must start a new run.
  const run = () => pass(thread).finally(() => working.delete(thread));
  try {
    await (locks ? locks.request(`kabari-support ${thread}`, run) : run());
  } finally {
    working.delete(thread);
  }
}

async function pass(thread: string): Promise<void> {
  for (let line = nextOf(thread); line && navigator.onLine; line = nextOf(thread)) {
    const sender = senders.get(thread);
    if (!sender || !(await sent(line, sender))) return;
  }
}

/** Tries to send one message. @returns false when later ones have to wait too. */
async function sent(line: OutgoingLine, sender: LineSender): Promise<boolean> {
  const { id, thread } = line;
  try {
    const message = await deliver(line, sender);
    remove(id);
    sender.onSent(message);
    failures.delete(thread);
    return true;
  } catch (error) {
    // Discarded while it was being sent.
    if (!storedLine(id)) return true;
    if (!isRefused(error)) return waitFor(line, error);
    change(id, { why: unsentReason(error), failed: true });
    return true;
  }
}

async function deliver(line: OutgoingLine, { send }: LineSender): Promise<SupportMessage> {
  const upload = line.file && (line.upload ?? (await uploadFile(line.id, 'chat')));
  if (upload !== line.upload) change(line.id, { upload });
  const draft = { ...draftOf(line), upload };
  try {
    return await send(draft);
  } catch (error) {
    if (refusalCode(error) !== 'upload_gone' || !(await fileOf(line.id))) throw error;
    // Its upload has expired on the server.
    change(line.id, { upload: undefined });
    return send({ ...draft, upload: await uploadFile(line.id, 'chat') });
  }
}

const draftOf = ({ id, text, contact, card, internal }: OutgoingLine): SupportDraft => ({
  message_id: id,
  text,
  contact,
  about: card && { type: card.type, id: card.id },
  internal,
});

/** Whether a message is refused for good; otherwise it only has to wait. */
function isRefused(error: unknown): boolean {
  if (isLasting(error)) return true;
  const code = refusalCode(error);
  return code !== 'too_many_requests' && code !== 'not_signed_in' && isDefinite(error);
}

/** No response: the message stays first, and is retried automatically. */
function waitFor({ id, thread }: OutgoingLine, error: unknown): false {
  const tries = (failures.get(thread) ?? 0) + 1;
  failures.set(thread, tries);
  change(id, { why: unsentReason(error) });
  resting.set(thread, setTimeout(wake, retryMs(tries), thread));
  return false;
}
