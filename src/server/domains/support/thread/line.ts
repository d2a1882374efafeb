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
import { contentOf, excerptOf } from '#server/domains/messages/messages.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { answeringOperators } from '#server/domains/accounts/accounts.ts';
import { supportHours } from '#server/domains/support/hours.ts';
import type { Thread } from './row.ts';

/** What a line brings: as messages have it, for the same renderer. */
export type Content = {
  type: MessageType;
  body: Readonly<Record<string, unknown>>;
  size_bytes: number | null;
  card: SupportCard | null;
};

/** A row of `support_messages`. */
export type Line = Content & {
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

const lineColumns = (sql: Sql | Tx): Fragment => sql`
  seq, message_id, side, user_id, author, internal, type, body, size_bytes, card, event,
  answer_seconds, at`;

/** The line that the browser has sent under this id before. */
export async function lineOf(
  tx: Tx,
  accountId: string,
  messageId: string,
): Promise<Line | undefined> {
  const [line] = await tx<Line[]>`
    select ${lineColumns(tx)} from support_messages
    where account_id = ${accountId} and message_id = ${messageId}`;
  return line;
}

/** The line that an upload went into: an upload is one line, under any id. */
export async function lineOfUpload(
  tx: Tx,
  accountId: string,
  { upload, userId }: { upload: string | undefined; userId: string },
): Promise<Line | undefined> {
  if (upload === undefined) return undefined;
  const [line] = await tx<Line[]>`
    select ${lineColumns(tx)} from support_messages
    where account_id = ${accountId} and user_id = ${userId} and body ->> 'upload' = ${upload}`;
  return line;
}

/** Some lines of a thread, in their order or the newest first. Notes are left out for customers. */
export function linesOf(
  sql: Sql | Tx,
  accountId: string,
  query: { side: Viewer['side']; order: 'newest' | 'oldest'; offset: number; limit: number },
): PromiseLike<Line[]> {
  const { side, order, offset, limit } = query;
  return sql<Line[]>`
    select ${lineColumns(sql)} from support_messages
    where account_id = ${accountId} ${side === 'customer' ? sql`and not internal` : sql``}
    order by seq ${order === 'newest' ? sql`desc` : sql`asc`} offset ${offset} limit ${limit}`;
}

/**
 * Writes a line.
 *
 * @throws Refusal `idempotency_conflict` when its id is that of a line which the writer does not see, a note.
 */
export async function writeLine(tx: Tx, accountId: string, line: Line): Promise<void> {
  // Without naming the constraint: a customer's connection may write the system's notes, and not see them.
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

/** A file of a note stays the installation's: what a customer takes along has no notes. */
export const fileOwner = (
  { systemAccountId }: Pick<SupportDeps, 'systemAccountId'>,
  accountId: string,
  { internal }: Pick<Line, 'internal'>,
): string => (internal ? systemAccountId : accountId);

/** A line as one side sees it. */
export function messageOf(
  deps: Pick<SupportDeps, 'fileLink' | 'systemAccountId'>,
  line: Line,
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
    content: contentOf({ accountId: owner, type, body }, deps.fileLink),
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

/** A line in a few words, for a list or a notice. */
export function previewOf({ type, body, card }: Content): string {
  const named = type === 'audio' || type === 'image' || type === 'video';
  const words = named && !body['caption'] ? '' : excerptOf(type, body);
  return words || wordless[type] || card?.title || '';
}

/** The status as customers see it: that an operator has put a thread off is nobody else's matter. */
export const shownStatus = ({ status }: Pick<Thread, 'status'>): SupportStatus =>
  status === 'snoozed' ? 'open' : status;

/** The status at an instant: what was put off until then is open, also before the job has said so. */
export const statusAt = (
  { status, snoozed_until }: Pick<Thread, 'status' | 'snoozed_until'>,
  at: Date,
): SupportStatus =>
  status === 'snoozed' && snoozed_until !== null && snoozed_until <= at ? 'open' : status;

/** How a thread stands for one side. */
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
    // Nobody is said to look after it who has left, or does something else now.
    operator: answering.find(({ user_id }) => user_id === assignee)?.name ?? null,
    usual_answer_seconds: usual,
    hours: supportHours(deps.hours(), now),
    rating: {
      due: thread.status === 'closed' && thread.asks_rating && thread.score === null,
      score: thread.score,
    },
  };
}
