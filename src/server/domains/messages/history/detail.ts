import { API_LIMITS } from '#contract/rest/endpoint.ts';
import { failureSentence, retrySentence, waitSentence } from '#contract/messages/failures.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import type { Language } from '#contract/language/language.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import { type MessageDetail, type TimelineStep, Failure } from '#contract/messages.ts';
import { rupiah } from '#contract/base/money.ts';
import type { ApiMessage, ApiMessageQuery } from '#contract/rest/messages.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { findExistingFiles } from '#server/domains/media/media.ts';
import { type OfferFile, bodyForApi, filesIn } from '#server/domains/messages/content.ts';
import {
  type MessageFilter,
  hoursBefore,
  idsBefore,
  idsWhere,
  isNarrowed,
  readAsAccount,
} from './pages.ts';
import { type StoredMessage, conversationMessage, failureOf, readMessages } from './rows.ts';
import { readWithTimeline } from './timeline.ts';

export type Reader = {
  language: Language;
  /** Prefix of links that do not name their host: `https://kabari.example`. */
  origin: string;
  offerFile: OfferFile;
};

/**
 * One message with all its details. @throws Refusal `not_found` when the account has no such message.
 */
export function messageDetail(
  sql: Sql,
  { accountId, messageId }: { accountId: string; messageId: string },
  reader: Reader,
): Promise<MessageDetail> {
  return readAsAccount(sql, accountId, async (tx) => {
    const { stored, timeline, progress, existingFiles } = await readWithProgress(
      tx,
      { accountId, messageId },
      reader,
    );
    const { ref, charge_state: state, hold_seq, settle_seq, correct_seq } = stored;
    return {
      ...conversationMessage(stored, {
        accountId,
        fileLink: (...file) => reader.offerFile(...file).link,
        existingFiles,
      }),
      ref,
      timeline,
      charge:
        state === null || hold_seq === null
          ? null
          : { state, amount: rupiah(stored.price), hold_seq, settle_seq, correct_seq },
      retrying: retryOf(progress),
      by_quota: stored.plan_round !== null && state !== 'released',
      raw: { ...apiMessage(accountId, { stored, progress, existingFiles }, reader), timeline },
    };
  });
}

function retryOf(progress: Progress | undefined): MessageDetail['retrying'] {
  const retrying = retryingOf(progress, 'id');
  if (!retrying || !progress) return null;
  const { code: failure, tries, next_try_at: next_at } = retrying;
  return { failure, unanswered: progress.ended === 'unknown', tries, next_at };
}

type MessageWithProgress = {
  stored: StoredMessage;
  timeline: TimelineStep[];
  progress: Progress | undefined;
  existingFiles: ReadonlySet<string>;
};

async function readWithProgress(
  tx: Tx,
  ref: { accountId: string; messageId: string },
  { language }: Reader,
): Promise<MessageWithProgress> {
  const [read, progress] = await Promise.all([
    readWithTimeline(tx, ref, language),
    readProgress(tx, ref.accountId, [ref.messageId]),
  ]);
  const existingFiles = await findExistingFiles(tx, ref.accountId, filesIn([read.stored]));
  return { ...read, existingFiles, progress: progress.get(ref.messageId) };
}

function apiMessage(
  accountId: string,
  { stored, progress, existingFiles }: Omit<MessageWithProgress, 'timeline'>,
  reader: Reader,
): ApiMessage {
  const code = failureOf(stored);
  const { language } = reader;
  const sendAt = progress?.send_at ? new Date(progress.send_at) : null;
  const { created_at: createdAt, expires_at: expiresAt } = stored;
  return {
    id: publicId('message', stored.message_id),
    direction: stored.direction,
    token: publicId('token', stored.token_id),
    peer: shownPeer(stored.peer),
    name: stored.peer_name,
    type: stored.type,
    status: stored.status,
    price: rupiah(stored.price),
    possible_duplicate: stored.possible_duplicate,
    failure: code === null ? null : { code, detail: failureSentence(code, language) },
    retrying: retryingOf(progress, language),
    ref: stored.ref,
    content: bodyForApi(accountId, stored.body, { ...reader, existingFiles }),
    created_at: createdAt,
    send_at: sendAt,
    ttl: expiresAt === null ? null : secondsBetween(sendAt ?? createdAt, expiresAt),
    simulated: stored.channel === 'simulator',
  };
}

const secondsBetween = (from: Date, to: Date): number =>
  Math.round((to.getTime() - from.getTime()) / 1000);

export type ListQuery = ApiMessageQuery & Pick<MessageFilter, 'statuses' | 'type'>;

export type ApiQuery = { accountId: string; tokenId?: string | undefined } & ListQuery;

/** A page of `GET /v1/messages`, newest first; `next` is the cursor of the page after it. */
export type ApiPage = { messages: ApiMessage[]; next: string | null };

/** The messages before a cursor: new messages do not shift the pages. */
export function listForApi(sql: Sql, query: ApiQuery, reader: Reader): Promise<ApiPage> {
  const { accountId, tokenId, status, direction, peer, type } = query;
  const cursor = query.cursor === undefined ? undefined : uuidOf('message', query.cursor);
  const limit = query.limit ?? API_LIMITS.page;
  const filter: MessageFilter = {
    tokenId,
    direction,
    type,
    statuses: status ? [status] : query.statuses,
  };
  return readAsAccount(sql, accountId, async (tx) => {
    const pageQuery = { accountId, filter, limit: limit + 1, cursor };
    const ids =
      peer === undefined && isNarrowed(filter)
        ? idsBefore(tx, pageQuery, await hoursBefore(tx, pageQuery))
        : idsWhere(
            tx,
            { ...pageQuery, order: 'newest', offset: 0 },
            tx`${cursor === undefined ? tx`` : tx`and m.message_id < ${cursor}`}
              ${peer === undefined ? tx`` : tx`and m.peer = ${peer}`}`,
          );
    const found = await readMessages(tx, { accountId, ids, order: 'newest' });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const shownIds = shown.map(({ message_id }) => message_id);
    const progress = await readProgress(tx, accountId, shownIds);
    const existingFiles = await findExistingFiles(tx, accountId, filesIn(shown));
    return {
      messages: shown.map((stored) =>
        apiMessage(
          accountId,
          { stored, existingFiles, progress: progress.get(stored.message_id) },
          reader,
        ),
      ),
      next: found.length > limit && last ? publicId('message', last.message_id) : null,
    };
  });
}

/**
 * One message with its timeline, as `GET /v1/messages/{id}` shows it.
 *
 * @throws Refusal `not_found` when the account has no such message.
 */
export function messageForApi(
  sql: Sql,
  { accountId, messageId }: { accountId: string; messageId: string },
  reader: Reader,
): Promise<ApiMessage> {
  return readAsAccount(sql, accountId, async (tx) => {
    const message = await readWithProgress(tx, { accountId, messageId }, reader);
    return { ...apiMessage(accountId, message, reader), timeline: message.timeline };
  });
}

type Progress = {
  message_id: string;
  /** ISO 8601; null without a schedule. */
  send_at: string | null;
  /** Result of its newest try while it waits for the next one; null when none failed. */
  ended: 'retrying' | 'unknown' | null;
  reason: string | null;
  tries: number | null;
  /** Earliest time of the next try; null while a try is in flight. */
  next_at: Date | null;
};

/** The progress of some messages, by id; one that has left the queue is not retried. */
async function readProgress(
  tx: Tx,
  accountId: string,
  messageIds: readonly string[],
): Promise<ReadonlyMap<string, Progress>> {
  const found = await tx<Progress[]>`
    select i.message_id, plan.detail as send_at, last.kind as ended, last.detail as reason,
      d.attempt as tries, case when d.state <> 'sending' then d.ready_at end as next_at
    from unnest(${messageIds}::uuid[]) as i(message_id)
    left join lateral (
      select e.detail from message_events e
      where e.account_id = ${accountId} and e.message_id = i.message_id and e.kind = 'scheduled'
      order by e.n desc limit 1
    ) plan on true
    left join dispatch d on d.account_id = ${accountId} and d.message_id = i.message_id
    left join lateral (
      select e.kind, e.detail from message_events e
      where e.account_id = ${accountId} and e.message_id = d.message_id
        and e.kind in ('retrying', 'unknown')
      order by e.n desc limit 1
    ) last on true`;
  return new Map(found.map((one) => [one.message_id, one]));
}

function retryingOf(progress: Progress | undefined, language: Language): ApiMessage['retrying'] {
  if (!progress || progress.ended === null) return null;
  const reason = Failure().safeParse(progress.reason);
  const code = reason.success ? reason.data : 'no_answer';
  return {
    code,
    detail: progress.ended === 'unknown' ? waitSentence(language) : retrySentence(code, language),
    tries: progress.tries ?? 0,
    next_try_at: progress.next_at,
  };
}
