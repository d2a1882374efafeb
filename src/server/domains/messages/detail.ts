import { publicId, uuidOf } from '#contract/ids.ts';
import {
  type Failure,
  type MessageDetail,
  type TimelineStep,
  TimelineStep as Step,
  failures,
} from '#contract/messages.ts';
import { rupiah } from '#contract/money.ts';
import { Refusal } from '#contract/refusals.ts';
import { formatDateTime } from '#contract/time.ts';
import type { ApiMessage, ApiMessageQuery } from '#contract/rest.ts';
import type * as z from 'zod/mini';
import type { Sql, Tx } from '#server/platform/database.ts';
import { type FileLink, openBody } from './content.ts';
import {
  type MessageFilter,
  hoursBefore,
  idsBefore,
  idsWhere,
  mayBeRare,
  reading,
} from './pages.ts';
import { type StoredMessage, conversationMessage, failureOf, readMessages } from './rows.ts';

/**
 * One message with everything that is known of it.
 *
 * @throws Refusal `not_found` when the account has no such message.
 */
export function messageDetail(
  sql: Sql,
  accountId: string,
  messageId: string,
  fileLink: FileLink,
): Promise<MessageDetail> {
  return reading(sql, accountId, async (tx) => {
    const [stored, timeline] = await Promise.all([
      readOne(tx, accountId, messageId),
      timelineOf(tx, accountId, messageId),
    ]);
    if (!stored) throw new Refusal('not_found', { what: 'Pesan' });
    const whole = wholeTimeline(stored, timeline);
    const { ref, charge_state: state, hold_seq, settle_seq } = stored;
    return {
      ...conversationMessage(accountId, stored, fileLink),
      ref,
      timeline: whole,
      // What cost nothing reserved nothing.
      charge: state === null || hold_seq === null ? null : { state, hold_seq, settle_seq },
      raw: { ...apiMessage(accountId, stored, fileLink), timeline: whole },
    };
  });
}

async function readOne(
  tx: Tx,
  accountId: string,
  messageId: string,
): Promise<StoredMessage | undefined> {
  const ids = tx`select ${messageId}::uuid as message_id`;
  const [stored] = await readMessages(tx, { accountId, ids, order: 'newest' });
  return stored;
}

type StoredStep = { kind: string; at: Date; detail: string | null };

const timelineOf = (tx: Tx, accountId: string, messageId: string): Promise<StoredStep[]> =>
  tx<StoredStep[]>`
    select kind, at, detail from message_events
    where account_id = ${accountId} and message_id = ${messageId} order by at, n`;

/**
 * The steps from the first to the last. What every message does at once is not stored: it is accepted
 * when its id is made, and queued in the same statement unless it is scheduled.
 */
function wholeTimeline(stored: StoredMessage, later: readonly StoredStep[]): TimelineStep[] {
  const { direction, status, created_at: at } = stored;
  const known = later.flatMap((step) => {
    const kind = Step.shape.kind.safeParse(step.kind);
    return kind.success ? [{ kind: kind.data, at: step.at, detail: detailOf(step) }] : [];
  });
  if (direction === 'in') {
    return known.some(({ kind }) => kind === 'received')
      ? known
      : [{ kind: 'received', at, detail: null }, ...known];
  }
  const first: TimelineStep[] = [{ kind: 'accepted', at, detail: null }];
  const told = new Set(known.map(({ kind }) => kind));
  if (status === 'scheduled' && !told.has('scheduled')) {
    first.push({ kind: 'scheduled', at, detail: null });
  } else if (status !== 'accepted' && !told.has('scheduled') && !told.has('queued')) {
    first.push({ kind: 'queued', at, detail: null });
  }
  return [...first, ...sentFirst(known.filter(({ kind }) => kind !== 'accepted'))];
}

/** A receipt may be told before our own call returned: still, a message was sent before it arrived. */
function sentFirst(steps: readonly TimelineStep[]): TimelineStep[] {
  const sent = steps.findIndex(({ kind }) => kind === 'sent');
  const arrived = steps.findIndex(({ kind }) => kind === 'delivered' || kind === 'read');
  const [step] = steps.slice(sent, sent + 1);
  if (arrived === -1 || sent < arrived || !step) return [...steps];
  return steps.toSpliced(sent, 1).toSpliced(arrived, 0, step);
}

/** A failure's code as the sentence that says what to do, a plan as its time; others as they are. */
function detailOf({ kind, detail }: StoredStep): string | null {
  if (detail === null) return null;
  if (kind === 'scheduled') return `Untuk ${formatDateTime(detail)} WIB`;
  return Object.hasOwn(failures, detail) ? failures[detail as Failure] : detail;
}

/** A message as `GET /v1/messages` shows it. */
function apiMessage(accountId: string, stored: StoredMessage, fileLink: FileLink): ApiMessage {
  const code = failureOf(stored);
  return {
    id: publicId('message', stored.message_id),
    direction: stored.direction,
    token: publicId('token', stored.token_id),
    peer: stored.peer,
    type: stored.type,
    status: stored.status,
    price: rupiah(stored.price),
    possible_duplicate: stored.possible_duplicate,
    failure: code === null ? null : { code, detail: failures[code] },
    ref: stored.ref,
    content: { ...openBody(accountId, stored.body, fileLink) },
    created_at: stored.created_at,
    simulated: stored.channel === 'simulator',
  };
}

const API_PAGE_SIZE = 50;

/** Whose messages are asked for: with `tokenId`, those of one token only. */
export type ApiAsk = { accountId: string; tokenId?: string | undefined } & z.output<
  typeof ApiMessageQuery
>;

/** A page of `GET /v1/messages`, newest first; `next` is the cursor of the page after it. */
export type ApiPage = { messages: ApiMessage[]; next: string | null };

/** The messages before a cursor: what comes in meanwhile moves nothing. */
export function listForApi(sql: Sql, ask: ApiAsk, fileLink: FileLink): Promise<ApiPage> {
  const { accountId, tokenId, status, direction, peer } = ask;
  const cursor = ask.cursor === undefined ? undefined : uuidOf('message', ask.cursor);
  const limit = ask.limit ?? API_PAGE_SIZE;
  const filter: MessageFilter = { tokenId, direction, statuses: status && [status] };
  return reading(sql, accountId, async (tx) => {
    // One more than a page shows whether there is a next one.
    const wanted = { accountId, filter, limit: limit + 1, cursor };
    const ids =
      peer === undefined && mayBeRare(filter)
        ? idsBefore(tx, wanted, await hoursBefore(tx, wanted))
        : idsWhere(
            tx,
            { ...wanted, order: 'newest', offset: 0 },
            tx`${cursor === undefined ? tx`` : tx`and m.message_id < ${cursor}`}
              ${peer === undefined ? tx`` : tx`and m.peer = ${peer}`}`,
          );
    const found = await readMessages(tx, { accountId, ids, order: 'newest' });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    return {
      messages: shown.map((stored) => apiMessage(accountId, stored, fileLink)),
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
  fileLink: FileLink,
): Promise<ApiMessage> {
  return reading(sql, accountId, async (tx) => {
    const [stored, timeline] = await Promise.all([
      readOne(tx, accountId, messageId),
      timelineOf(tx, accountId, messageId),
    ]);
    if (!stored) throw new Refusal('not_found', { what: 'Pesan' });
    return {
      ...apiMessage(accountId, stored, fileLink),
      timeline: wholeTimeline(stored, timeline),
    };
  });
}
