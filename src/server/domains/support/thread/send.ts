import { Refusal } from '#contract/base/refusals.ts';
import type { SupportMessage, SupportSubject, SupportEvent } from '#contract/support.ts';
import { operatorNames, accountNames } from '#server/domains/accounts/accounts.ts';
import { findCustomer } from '#server/domains/support/inbox/list.ts';
import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import { hit } from '#server/infra/acts.ts';
import { type Tx, type Sql, asAccount } from '#server/infra/postgres/database.ts';
import {
  findMessage,
  findUploadMessage,
  viewMessage,
  type Content,
  openThread,
  type ThreadMessage,
  previewOf,
  type Thread,
  writeMessage,
  shownStatus,
  writeThread,
} from './line.ts';
import { inAccountIn } from '#server/infra/postgres/distribution/scope.ts';
import type { MessageType } from '#contract/messages.ts';
import { uuidOf } from '#contract/base/ids.ts';
import { TypedPhone, formatPhone } from '#contract/base/phone.ts';
import { claimUpload, describeFile, moveFile } from '#server/domains/media/media.ts';
import { readCard } from '#server/domains/support/cards.ts';
import { newId } from '#server/infra/ids.ts';
import { type OpeningHours, workingSeconds } from '#server/domains/support/hours.ts';
import { announceChange, announceMessages, notifyOtherSide } from './notify.ts';

const MESSAGES_PER_MINUTE = 20;

type Sending = { accountId: string; viewer: Viewer; internal?: boolean };

/**
 * Sends a message once: a repeat of the id or upload by the same user returns the first message, even with another
 * text.
 *
 * @throws Refusal `support_empty`, `upload_gone`, `not_found`; for customers `support_too_many`, for operators
 * `account_ended`; `idempotency_conflict` for the id of another author's message, or of a note instead of an answer.
 */
export async function sendThreadMessage(
  deps: SupportDeps,
  given: MessageInput,
  { accountId, viewer, internal = false }: Sending,
): Promise<SupportMessage> {
  checkGiven(given);
  const { side, userId } = viewer;
  const line = await transactionOf(deps, { side, accountId }, async (tx) => {
    if (side === 'operator') await refuseEnded(tx, accountId);
    const at = deps.now();
    const before = await openThread(tx, accountId, at);
    const first =
      (await findMessage(tx, accountId, given.message_id)) ??
      (await findUploadMessage(tx, accountId, { upload: given.upload, userId }));
    if (first) {
      // A colleague's message or a note must not pass for the caller's answer.
      if (first.user_id === userId && first.internal === internal) return first;
      throw new Refusal('idempotency_conflict', {});
    }
    if (side === 'customer') await countMessage(tx, accountId);
    const content = await readContent(tx, deps, given, { accountId, viewer, internal });
    const author =
      side === 'operator' ? ((await operatorNames(tx, [userId])).get(userId) ?? '') : null;
    const unwritten = { thread: before, lines: [] };
    const hours = deps.hours();
    const open = internal ? unwritten : reopened(unwritten, at, hours);
    const written = withMessage(
      open,
      {
        ...content,
        message_id: given.message_id,
        side,
        user_id: userId,
        author,
        internal,
        event: null,
        at,
      },
      hours,
    );
    await writeAll(tx, deps, { before, written });
    return written.lines.at(-1);
  });
  if (!line) throw new Error('a line was not written');
  deps.onNews();
  return viewMessage(deps, line, { accountId, viewer });
}

/** @throws Refusal `support_too_many`; then nothing was counted. */
async function countMessage(tx: Tx, accountId: string): Promise<void> {
  const limit = {
    scope: 'support',
    subject: accountId,
    max: MESSAGES_PER_MINUTE,
    windowSeconds: 60,
  };
  const full = await hit(tx, [limit]);
  if (full) throw new Refusal('support_too_many', { seconds: full.seconds });
}

/** @throws Refusal `not_found`, `account_ended`. */
async function refuseEnded(tx: Tx, accountId: string): Promise<void> {
  const { status } = await findCustomer(tx, accountId);
  if (status === 'closed') throw new Refusal('account_ended', {});
}

type MessageInput = {
  message_id: string;
  text?: string | undefined;
  upload?: string | undefined;
  contact_name?: string | undefined;
  contact_phone?: string | undefined;
  about_type?: SupportSubject | undefined;
  about_id?: string | undefined;
};

type Author = { accountId: string; viewer: Viewer; internal: boolean };

/** @throws Refusal `support_empty`, and `input_invalid` for contents that cannot be combined. */
function checkGiven(given: MessageInput): void {
  const { text = '', upload, contact_name, contact_phone, about_type, about_id } = given;
  const hasContact = Boolean(contact_name || contact_phone);
  if (!text.trim() && !upload && !hasContact && !about_id) throw new Refusal('support_empty', {});
  const fields = {
    ...(hasContact && upload && { upload: 'Kirim kontak dan berkas sebagai dua pesan.' }),
    ...(hasContact && text.trim() && { text: 'Kirim kontak dan teks sebagai dua pesan.' }),
    ...(hasContact &&
      !TypedPhone().safeParse(contact_phone).success && {
        contact_phone: 'Tulis nomor kontaknya, misalnya 0812-3456-7890.',
      }),
    ...((about_type === undefined) !== (about_id === undefined) && {
      about_id: 'Sebutkan jenis dan id dari yang ditanyakan.',
    }),
  };
  if (Object.keys(fields).length > 0) throw new Refusal('input_invalid', { fields });
}

/**
 * Reads the content in the transaction that writes the message: claims the upload, and records the card's present
 * facts.
 *
 * @throws Refusal `upload_gone`; `not_found` for a record of another account.
 */
async function readContent(
  tx: Tx,
  deps: SupportDeps,
  given: MessageInput,
  writer: Author,
): Promise<Content> {
  const { about_type: type, about_id: id } = given;
  const { side } = writer.viewer;
  const card =
    type === undefined || id === undefined
      ? null
      : await readCard(tx, { accountId: writer.accountId, type, id, now: deps.now(), by: side });
  if (given.upload !== undefined) return { ...(await readFile(tx, deps, given, writer)), card };
  if (given.contact_phone) {
    const phone = TypedPhone().parse(given.contact_phone);
    const body = { name: given.contact_name || formatPhone(phone), phone };
    return { type: 'contact', body, size_bytes: null, card };
  }
  return { type: 'text', body: { text: given.text ?? '' }, size_bytes: null, card };
}

/** A finished upload of the author; an operator's for a customer becomes a file of the customer's account. */
async function readFile(
  tx: Tx,
  { allAccountsSql: sql, systemAccountId }: SupportDeps,
  { upload = '', text = '' }: MessageInput,
  { accountId, viewer: { side, userId }, internal }: Author,
): Promise<Omit<Content, 'card'>> {
  const uploadId = uuidOf('upload', upload);
  if (uploadId === undefined) throw new Refusal('upload_gone', {});
  const from = side === 'customer' ? accountId : systemAccountId;
  const purpose = 'chat';
  const claim = async (own: Tx) => {
    const fileId = await claimUpload(own, { accountId: from, userId, uploadId, purpose });
    return { fileId, ...(await describeFile(own, { accountId: from, fileId })) };
  };
  const claimed = side === 'customer' ? claim(tx) : inAccountIn({ sql, tx }, from, claim);
  const { fileId, name, mime, sizeBytes } = await claimed;
  if (side === 'operator' && !internal) {
    await moveFile({ sql, tx }, { from, to: accountId, fileId });
  }
  const type = typeOf(mime);
  const caption = text.trim() && { caption: text };
  const body = { file: fileId, mime, filename: name, upload, ...caption };
  return { type, body, size_bytes: sizeBytes };
}

function typeOf(mime: string): MessageType {
  const family = mime.split('/')[0];
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

/** A message to write: its position and response time are derived from the thread. */
export type NewThreadMessage = Omit<ThreadMessage, 'seq' | 'answer_seconds'>;

export type Written = { thread: Thread; lines: readonly ThreadMessage[] };

export const eventMessage = (
  event: SupportEvent,
  words: string,
  { at, internal = false }: { at: Date; internal?: boolean },
): NewThreadMessage => ({
  message_id: newId(),
  side: 'system',
  user_id: null,
  author: null,
  internal,
  type: 'text',
  body: { text: words },
  size_bytes: null,
  card: null,
  event,
  at,
});

export function withMessage(
  { thread, lines }: Written,
  given: NewThreadMessage,
  hours: OpeningHours,
): Written {
  const seq = thread.last_seq + 1;
  const isAnswer = given.side === 'operator' && !given.internal;
  const answer_seconds =
    isAnswer && thread.waiting_since !== null
      ? workingSeconds(hours, thread.waiting_since, given.at)
      : null;
  const line: ThreadMessage = { ...given, seq, answer_seconds };
  const next: Thread = {
    ...thread,
    last_seq: seq,
    ...(!given.internal && {
      shown_seq: seq,
      last_at: given.at,
      last_side: given.side,
      last_preview: previewOf(given),
    }),
    ...readBy(thread, given, seq),
    ...(given.side === 'customer' && { waiting_since: thread.waiting_since ?? given.at }),
    ...(isAnswer && { waiting_since: null, answered_seq: seq }),
  };
  return { thread: next, lines: [...lines, line] };
}

/** The author has read the messages above; the other side has one more to read. */
function readBy(
  thread: Thread,
  { side, internal }: NewThreadMessage,
  seq: number,
): Partial<Thread> {
  switch (side) {
    case 'customer':
      return {
        customer_read: seq,
        customer_unread: 0,
        operator_unread: thread.operator_unread + 1,
      };
    case 'operator':
      return {
        operator_read: seq,
        operator_unread: 0,
        ...(!internal && { customer_unread: thread.customer_unread + 1 }),
      };
    default:
      return {};
  }
}

/**
 * Reopens the thread unless it is open: adds an event, which customers do not see if the thread was only snoozed or is
 * new.
 */
export function reopened(written: Written, at: Date, hours: OpeningHours): Written {
  const { thread } = written;
  if (thread.status === 'open') return written;
  const open = { ...written, thread: { ...thread, status: 'open' as const, snoozed_until: null } };
  if (thread.last_seq === 0) return open;
  const internal = thread.status === 'snoozed';
  return withMessage(
    open,
    eventMessage('reopened', 'Percakapan dibuka lagi', { at, internal }),
    hours,
  );
}

export function closed(
  written: Written,
  {
    at,
    words,
    hours,
    byItself,
  }: { at: Date; words: string; hours: OpeningHours; byItself: boolean },
): Written {
  const { thread } = written;
  if (thread.status === 'closed') return written;
  const after = withMessage(written, eventMessage('closed', words, { at }), hours);
  const isAnswered = thread.answered_seq > thread.closed_seq;
  return {
    ...after,
    thread: {
      ...after.thread,
      status: 'closed',
      snoozed_until: null,
      waiting_since: null,
      closed_seq: after.thread.last_seq,
      // No rating is requested without an answer, nor long after the last message.
      asks_rating: isAnswered && !byItself,
      score: null,
    },
  };
}

/** A transaction with the access of the side: a customer's own account, or all. */
export const transactionOf = <T>(
  { sql, allAccountsSql }: Pick<SupportDeps, 'sql' | 'allAccountsSql'>,
  { side, accountId }: { side: Viewer['side']; accountId: string },
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  side === 'customer' ? asAccount(sql, accountId, work) : allAccountsSql.begin(work);

/**
 * Writes the changed thread with its messages, events and notices atomically, in the transaction that has locked it.
 */
export async function writeAll(
  tx: Tx,
  deps: Pick<SupportDeps, 'systemAccountId'>,
  { before, written }: { before: Thread; written: Written },
): Promise<void> {
  const { thread, lines } = written;
  const accountId = thread.account_id;
  const name = await nameOf(tx, accountId);
  await writeThread(tx, thread);
  for (const line of lines) await writeMessage(tx, accountId, line);
  await announceMessages(tx, { accountId, name }, lines);
  if (isChanged(before, thread)) await announceChange(tx, thread, isShown(before, thread));
  for (const line of lines) {
    if (line.side === 'system' || line.internal) continue;
    await notifyOtherSide(tx, deps, { accountId, name, line });
  }
}

export async function nameOf(sql: Sql | Tx, accountId: string): Promise<string> {
  return (await accountNames(sql, [accountId])).get(accountId) ?? '';
}

/** Whether something changed that tabs cannot derive from the announced messages. */
const isChanged = (before: Thread, after: Thread): boolean =>
  before.status !== after.status ||
  before.assignee !== after.assignee ||
  before.score !== after.score ||
  before.customer_read !== after.customer_read ||
  before.operator_read !== after.operator_read ||
  before.snoozed_until?.getTime() !== after.snoozed_until?.getTime();

/** Whether something changed that customers can see, unlike read marks and notes of operators. */
export const isShown = (before: Thread, after: Thread): boolean =>
  shownStatus(before) !== shownStatus(after) ||
  before.assignee !== after.assignee ||
  before.score !== after.score ||
  before.customer_read !== after.customer_read ||
  Math.min(before.operator_read, before.shown_seq) !==
    Math.min(after.operator_read, after.shown_seq);
