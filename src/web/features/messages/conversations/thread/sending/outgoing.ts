import type { QueryClient } from '@tanstack/react-query';
import { type ConversationMessage, type Quoted, sendMessage } from '#contract/messages.ts';
import { isDefinite, refusalCode } from '#web/api/errors.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import { isServerAway, onServerBack } from '#web/api/server.ts';
import {
  dropFile,
  isLasting,
  keepFile,
  revertUpload,
  unsentReason,
  uploadFile,
} from '#web/api/uploads/outgoingFiles.ts';
import type { WaitingFile } from '#web/ui/chat/attachments/waitingFile.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { createStore, useStore } from '#web/browser/store.ts';
import {
  addToThread,
  showReaction,
  type Which,
} from '#web/features/messages/conversations/queries.ts';
import type { Content } from '#web/features/messages/conversations/thread/sending/content.ts';
import {
  OUTGOING,
  waitingOf,
  waitingTexts,
} from '#web/features/messages/conversations/thread/sending/waitingTexts.ts';
import { sendFile } from '#contract/messages/sending.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { performWithReauth } from '#web/api/act.ts';

export type QuotedMessage = Quoted & { id: string };

type Answering = { replyTo?: QuotedMessage | undefined };

export type Outgoing = Which & {
  id: string;
  text: string;
  content?: Content | undefined;
  /** The attached file; `outgoingFiles` stores its bytes under the same id. */
  file?: WaitingFile | undefined;
  upload?: string | undefined;
  replyTo?: QuotedMessage | undefined;
  /** When it was written, in milliseconds. */
  at: number;
  /** The idempotency key: the same for every attempt, so that it is sent once. */
  key: string;
  /** Why it was not sent; `undefined` while it is being sent. */
  why?: string | undefined;
  /** A refusal that needs another step first. */
  code?: string | undefined;
};

/** The server forgets a key after a day: older messages are not resent automatically. */
const OWN_MS = 12 * 3_600_000;
const SECOND_TRY_MS = 1_000;

const all = createStore<readonly Outgoing[]>(() => stored(Date.now()));
const working = new Set<string>();

function setAll(next: readonly Outgoing[]): void {
  // A reload must not lose unsent messages.
  storageSet('tab', OUTGOING, next.length === 0 ? undefined : JSON.stringify(next));
  all.set(next);
  waitingTexts.set(waitingOf(next));
}

const change = (id: string, to: Partial<Outgoing>): void =>
  setAll(all.get().map((one) => (one.id === id ? { ...one, ...to } : one)));

function remove(id: string): void {
  if (all.get().find((one) => one.id === id)?.file) dropFile(id);
  setAll(all.get().filter((one) => one.id !== id));
}

export const useOutgoing = (): readonly Outgoing[] => useStore(all);

/** Queues a text; it waits while offline. */
export function sendText(
  client: QueryClient,
  which: Which,
  text: string,
  replyTo?: QuotedMessage,
): void {
  const keys = { id: newIdempotencyKey(), key: newIdempotencyKey() };
  const one = { ...which, ...keys, text, at: Date.now(), ...(replyTo && { replyTo }) };
  setAll([...all.get(), one]);
  void work(client, which);
}

type FileToSend = { file: File; caption: string };

/** Whether a file takes no caption: the text follows as a message of its own. */
export const isWordless = (file: File): boolean => file.type.startsWith('audio/');

export function sendFiles(
  client: QueryClient,
  which: Which,
  { files, replyTo }: { files: readonly FileToSend[] } & Answering,
): void {
  const newOutgoing = () => ({
    ...which,
    id: newIdempotencyKey(),
    key: newIdempotencyKey(),
    at: Date.now(),
  });
  const added = files.flatMap(({ file, caption }, index): Outgoing[] => {
    const { name, type, size } = file;
    const text = caption.trim();
    const apart = isWordless(file) && text !== '';
    const one = {
      ...newOutgoing(),
      text: apart ? '' : text,
      file: { name, type, size },
      ...(index === 0 && replyTo && { replyTo }),
    };
    keepFile(one.id, file);
    return apart ? [one, { ...newOutgoing(), text }] : [one];
  });
  setAll([...all.get(), ...added]);
  void work(client, which);
}

/** Queues a location, a contact card or a template; `file` is the header of a template. */
export function sendContent(
  client: QueryClient,
  which: Which,
  { content, file, replyTo }: { content: Content; file?: File | undefined } & Answering,
): void {
  const id = newIdempotencyKey();
  if (file) keepFile(id, file);
  const one: Outgoing = {
    ...which,
    id,
    key: newIdempotencyKey(),
    text: '',
    content,
    at: Date.now(),
    ...(file && { file: { name: file.name, type: file.type, size: file.size } }),
    ...(replyTo && { replyTo }),
  };
  setAll([...all.get(), one]);
  void work(client, which);
}

/** Queues a reaction, in place of a failed one to the same message. */
export function sendReaction(
  client: QueryClient,
  which: Which,
  { messageId, emoji }: { messageId: string; emoji: string },
): void {
  setAll(all.get().filter((one) => !(one.why !== undefined && reactsTo(one) === messageId)));
  sendContent(client, which, { content: { type: 'reaction', messageId, emoji } });
}

/** The message that a reaction refers to; undefined for other content. */
export const reactsTo = ({ content }: Outgoing): string | undefined =>
  content?.type === 'reaction' ? content.messageId : undefined;

export function resend(client: QueryClient, one: Outgoing): void {
  // After a definite refusal the same key would be refused again; otherwise the message may have arrived.
  change(one.id, {
    why: undefined,
    code: undefined,
    ...(one.code && { key: newIdempotencyKey() }),
  });
  void work(client, one);
}

export function dropText({ id, upload }: Outgoing): void {
  revertUpload(upload);
  remove(id);
}

/**
 * Resumes sending after a reload, and whenever the browser is online or the server back again.
 *
 * @returns a function that stops it
 */
export function startOutgoing(client: QueryClient): () => void {
  const workAll = () => {
    for (const one of all.get()) void work(client, one);
  };
  workAll();
  window.addEventListener('online', workAll);
  const stopBack = onServerBack(workAll);
  return () => {
    stopBack();
    window.removeEventListener('online', workAll);
  };
}

function stored(at: number): readonly Outgoing[] {
  try {
    const read = JSON.parse(storageGet('tab', OUTGOING) ?? '[]') as readonly Outgoing[];
    return read.map((one) =>
      at - one.at > OWN_MS && !one.why ? { ...one, why: 'Belum sempat terkirim.' } : one,
    );
  } catch {
    return [];
  }
}

/** Sends a conversation's messages one after the other, so that they arrive in order. */
async function work(client: QueryClient, which: Which): Promise<void> {
  const { tokenId, peer } = which;
  const name = `${tokenId} ${peer}`;
  if (working.has(name)) return;
  working.add(name);
  const next = () =>
    all.get().find((one) => one.tokenId === tokenId && one.peer === peer && one.why === undefined);
  for (let one = next(); one && navigator.onLine; one = next()) {
    const trying = one;
    const sent = await tryOnce(trying).catch((error: unknown) =>
      isFinal(error) ? refusedBy(trying, error) : retryOnce(trying.id),
    );
    if (sent === 'waits') break;
    if (sent === undefined) continue;
    remove(one.id);
    const { content } = one;
    if (content?.type === 'reaction') showReaction(client, which, content);
    else addToThread(client, sent);
  }
  working.delete(name);
}

/** After a password prompt, its retry uses the key that this attempt had from then on. */
async function tryOnce(one: Outgoing): Promise<ConversationMessage> {
  const { id, key, file } = one;
  const upload = file && (one.upload ?? (await uploadFile(id, 'media')));
  if (upload !== one.upload) change(id, { upload });
  const request = { key };
  try {
    return await post(one, upload, request);
  } finally {
    if (request.key !== key) change(id, { key: request.key });
  }
}

const isFinal = (error: unknown): boolean => isDefinite(error) || isLasting(error);

/**
 * The one retry, as for every change; the same key makes it safe. It waits while offline, and while the server is away.
 */
async function retryOnce(id: string): Promise<ConversationMessage | 'waits' | undefined> {
  await new Promise((resolve) => setTimeout(resolve, SECOND_TRY_MS));
  const one = all.get().find((waiting) => waiting.id === id);
  if (!one) return undefined;
  try {
    return await tryOnce(one);
  } catch (error) {
    if (!navigator.onLine || isServerAway()) return 'waits';
    return refusedBy(one, error);
  }
}

function refusedBy(one: Outgoing, error: unknown): undefined {
  const code = isDefinite(error) ? refusalCode(error) : undefined;
  const forgotten = code === 'upload_gone' && { upload: undefined };
  change(one.id, { why: unsentReason(error), code, ...forgotten });
}

type Posted = Which & {
  text: string;
  content?: Content | undefined;
  replyTo?: { id: string } | undefined;
};

type Place = { token_id: string; to: string; reply_to: string | undefined };

/**
 * Sends a queued message to the server, once.
 *
 * @param keyed its key; after a password prompt, the retry uses the key that this attempt had from then on.
 */
function post(
  { tokenId, peer, replyTo, content, text }: Posted,
  upload: string | undefined,
  keyed: { key: string },
): Promise<ConversationMessage> {
  const place = { token_id: tokenId, to: writtenPeer(peer), reply_to: replyTo?.id };
  if (content) return postContent({ place, content, upload }, keyed);
  return upload === undefined
    ? performWithReauth(sendMessage, Object.assign(keyed, { input: { ...place, text } }))
    : performWithReauth(
        sendFile,
        Object.assign(keyed, { input: { ...place, upload, caption: text || undefined } }),
      );
}

type ContentPost = { place: Place; content: Content; upload: string | undefined };

/** These acts are loaded when the first of them is sent: most messages are texts. */
async function postContent(
  { place, content, upload }: ContentPost,
  keyed: { key: string },
): Promise<ConversationMessage> {
  const acts = await import('#contract/messages/sending.ts');
  const asking = <Input extends object>(input: Input) => Object.assign(keyed, { input });
  switch (content.type) {
    case 'location':
      return performWithReauth(acts.sendLocation, asking({ ...place, ...content.place }));
    case 'contact': {
      const { phone, ...card } = content.card;
      return performWithReauth(acts.sendContact, asking({ ...place, ...card, phone: `+${phone}` }));
    }
    case 'template': {
      const { shown: _, variables, buttons, ...template } = content.template;
      const lists = { variables: variables && [...variables], buttons: buttons && [...buttons] };
      return performWithReauth(
        acts.sendTemplate,
        asking({ ...place, ...template, ...lists, upload }),
      );
    }
    case 'reaction': {
      const { reply_to: _, ...to } = place;
      const { messageId, emoji } = content;
      return performWithReauth(acts.sendReaction, asking({ ...to, message_id: messageId, emoji }));
    }
  }
}
