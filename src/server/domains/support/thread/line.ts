import type { MessageType } from '#contract/messages.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { SupportSide, SupportStatus } from '#contract/events.ts';
import type {
  SupportCard,
  SupportEvent,
  SupportMessage,
  SupportThread,
} from '#contract/support.ts';
import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import { chatContentOf, excerptOf } from '#server/domains/messages/messages.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { answeringOperators } from '#server/domains/accounts/accounts.ts';
import { supportHours } from '#server/domains/support/hours.ts';

/** The content of a message, in the format of messages for the same renderer. */
export type Content = {
  type: MessageType;
  body: Readonly<Record<string, unknown>>;
  size_bytes: number | null;
  card: SupportCard | null;
};

export type ThreadMessage = Content & {
  seq: number;
  message_id: string;
  side: SupportSide;
  user_id: string | null;
  author: string | null;
  internal: boolean;
  event: SupportEvent | null;
  answer_seconds: number | null;
  at: Date;
};

const messageColumns = (sql: Sql | Tx): Fragment => sql`
  seq, message_id, side, user_id, author, internal, type, body, size_bytes, card, event,
  answer_seconds, at`;

export async function findMessage(
  tx: Tx,
  accountId: string,
  messageId: string,
): Promise<ThreadMessage | undefined> {
  const [line] = await tx<ThreadMessage[]>`
    select ${messageColumns(tx)} from support_messages
    where account_id = ${accountId} and message_id = ${messageId}`;
  return line;
}

/** The message of an upload: an upload is sent in one message, under any id. */
export async function findUploadMessage(
  tx: Tx,
  accountId: string,
  { upload, userId }: { upload: string | undefined; userId: string },
): Promise<ThreadMessage | undefined> {
  if (upload === undefined) return undefined;
  const [line] = await tx<ThreadMessage[]>`
    select ${messageColumns(tx)} from support_messages
    where account_id = ${accountId} and user_id = ${userId} and body ->> 'upload' = ${upload}`;
  return line;
}

export function readThreadMessages(
  sql: Sql | Tx,
  accountId: string,
  query: { side: Viewer['side']; order: 'newest' | 'oldest'; offset: number; limit: number },
): PromiseLike<ThreadMessage[]> {
  const { side, order, offset, limit } = query;
  return sql<ThreadMessage[]>`
    select ${messageColumns(sql)} from support_messages
    where account_id = ${accountId} ${side === 'customer' ? sql`and not internal` : sql``}
    order by seq ${order === 'newest' ? sql`desc` : sql`asc`} offset ${offset} limit ${limit}`;
}

/** @throws Refusal `idempotency_conflict` if its id belongs to a message that the author cannot see, a note. */
export async function writeMessage(tx: Tx, accountId: string, line: ThreadMessage): Promise<void> {
  // Without naming the constraint: a customer's connection may write the system's notes, but not read them.
  const { count } = await tx`
    insert into support_messages (
      account_id, seq, message_id, side, user_id, author, internal, type, body, size_bytes, card,
      event, answer_seconds, at
    ) values (
      ${accountId}, ${line.seq}, ${line.message_id}, ${line.side}, ${line.user_id}, ${line.author},
      ${line.internal}, ${line.type}, ${json(line.body)}, ${line.size_bytes},
      ${line.card && json(line.card)}, ${line.event}, ${line.answer_seconds}, ${line.at}
    ) on conflict do nothing`;
  if (count === 0) throw new Refusal('idempotency_conflict', {});
}

/** Files of notes belong to the installation, because a customer's archive has no notes. */
export const fileOwner = (
  { systemAccountId }: Pick<SupportDeps, 'systemAccountId'>,
  accountId: string,
  { internal }: Pick<ThreadMessage, 'internal'>,
): string => (internal ? systemAccountId : accountId);

export function viewMessage(
  deps: Pick<SupportDeps, 'fileLink' | 'systemAccountId'>,
  line: ThreadMessage,
  { accountId, viewer }: { accountId: string; viewer: Viewer },
): SupportMessage {
  const { type, body } = line;
  const owner = fileOwner(deps, accountId, line);
  return {
    id: publicId('support', line.message_id),
    seq: line.seq,
    side: line.side,
    author: line.author,
    mine: line.user_id === viewer.userId,
    internal: line.internal,
    content: chatContentOf({ accountId: owner, type, body }, deps.fileLink),
    size: line.size_bytes,
    card: line.card,
    event: line.event,
    at: line.at,
  };
}

const wordless: Partial<Record<MessageType, string>> = {
  image: 'Foto',
  audio: 'Pesan suara',
  video: 'Video',
  document: 'Berkas',
  contact: 'Kontak',
};

export function previewOf({ type, body, card }: Content): string {
  const named = type === 'audio' || type === 'image' || type === 'video';
  const words = named && !body['caption'] ? '' : excerptOf(type, body);
  return words || wordless[type] || card?.title || '';
}

/** The status for customers, who do not see snoozing. */
export const shownStatus = ({ status }: Pick<Thread, 'status'>): SupportStatus =>
  status === 'snoozed' ? 'open' : status;

/** The status at an instant: a snooze that is over counts as open before the job records it. */
export const statusAt = (
  { status, snoozed_until }: Pick<Thread, 'status' | 'snoozed_until'>,
  at: Date,
): SupportStatus =>
  status === 'snoozed' && snoozed_until !== null && snoozed_until <= at ? 'open' : status;

export async function viewThread(
  deps: SupportDeps,
  thread: Thread,
  side: Viewer['side'],
): Promise<SupportThread> {
  const now = deps.now();
  const { assignee } = thread;
  const [usual, answering] = await Promise.all([
    deps.usualAnswer(),
    assignee === null ? [] : answeringOperators(deps.allAccountsSql),
  ]);
  const seen =
    side === 'customer'
      ? {
          status: shownStatus(thread),
          last_seq: thread.shown_seq,
          operator_read: Math.min(thread.operator_read, thread.shown_seq),
          unread: thread.customer_unread,
        }
      : {
          status: statusAt(thread, now),
          last_seq: thread.last_seq,
          operator_read: thread.operator_read,
          unread: thread.operator_unread,
        };
  return {
    ...seen,
    customer_read: thread.customer_read,
    // A former operator, or one with another role, is not shown as the assignee.
    operator: answering.find(({ user_id }) => user_id === assignee)?.name ?? null,
    usual_answer_seconds: usual,
    hours: supportHours(deps.hours(), now),
    rating: {
      due: thread.status === 'closed' && thread.asks_rating && thread.score === null,
      score: thread.score,
    },
  };
}

export type Thread = {
  account_id: string;
  status: SupportStatus;
  assignee: string | null;
  snoozed_until: Date | null;
  last_seq: number;
  shown_seq: number;
  customer_read: number;
  operator_read: number;
  customer_unread: number;
  operator_unread: number;
  waiting_since: Date | null;
  answered_seq: number;
  closed_seq: number;
  asks_rating: boolean;
  score: number | null;
  last_at: Date;
  last_side: SupportSide;
  last_preview: string;
};

export const threadColumns = (sql: Sql | Tx): Fragment => sql`
  t.account_id, t.status, t.assignee, t.snoozed_until, t.last_seq, t.shown_seq, t.customer_read,
  t.operator_read, t.customer_unread, t.operator_unread, t.waiting_since, t.answered_seq, t.closed_seq,
  t.asks_rating, t.score, t.last_at, t.last_side, t.last_preview`;

export const emptyThread = (accountId: string, at: Date): Thread => ({
  account_id: accountId,
  status: 'closed',
  assignee: null,
  snoozed_until: null,
  last_seq: 0,
  shown_seq: 0,
  customer_read: 0,
  operator_read: 0,
  customer_unread: 0,
  operator_unread: 0,
  waiting_since: null,
  answered_seq: 0,
  closed_seq: 0,
  asks_rating: false,
  score: null,
  last_at: at,
  last_side: 'system',
  last_preview: '',
});

export async function readThread(sql: Sql | Tx, accountId: string): Promise<Thread | undefined> {
  const [row] = await sql<Thread[]>`
    select ${threadColumns(sql)} from support_threads t where t.account_id = ${accountId}`;
  return row;
}

/** Locks the thread until the transaction ends, so that messages are written one at a time. */
async function lockThread(tx: Tx, accountId: string): Promise<Thread | undefined> {
  const [row] = await tx<Thread[]>`
    select ${threadColumns(tx)} from support_threads t where t.account_id = ${accountId} for update`;
  return row;
}

/** Locks the thread, and creates it before its first message. */
export async function openThread(tx: Tx, accountId: string, at: Date): Promise<Thread> {
  const known = await lockThread(tx, accountId);
  if (known) return known;
  await tx`
    insert into support_threads (account_id, status, last_at, last_side, last_preview)
    values (${accountId}, 'closed', ${at}, 'system', '') on conflict do nothing`;
  // Of two that create it at once, the second finds it here.
  return existingThread(tx, accountId);
}

/** Locks an existing thread. @throws Refusal `not_found`. */
export async function existingThread(tx: Tx, accountId: string): Promise<Thread> {
  const thread = await lockThread(tx, accountId);
  if (!thread) throw new Refusal('not_found', { what: 'Percakapan' });
  return thread;
}

export async function writeThread(tx: Tx, thread: Thread): Promise<void> {
  await tx`
    update support_threads set status = ${thread.status}, assignee = ${thread.assignee},
      snoozed_until = ${thread.snoozed_until}, last_seq = ${thread.last_seq},
      shown_seq = ${thread.shown_seq}, customer_read = ${thread.customer_read},
      operator_read = ${thread.operator_read}, customer_unread = ${thread.customer_unread},
      operator_unread = ${thread.operator_unread}, waiting_since = ${thread.waiting_since},
      answered_seq = ${thread.answered_seq}, closed_seq = ${thread.closed_seq},
      asks_rating = ${thread.asks_rating}, score = ${thread.score}, last_at = ${thread.last_at},
      last_side = ${thread.last_side}, last_preview = ${thread.last_preview}
    where account_id = ${thread.account_id}`;
}
