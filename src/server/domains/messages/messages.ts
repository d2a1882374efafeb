import type { Channels, Inbound, Sinks } from '#server/domains/channels/channels.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import { openIntake, openMinuteCounts } from './submit/accept.ts';
import { type ApiMessages, messageEndpoints, openApiMessages } from './api.ts';
import { cancelMessageHandler, withdrawMessages } from './dispatch/withdraw.ts';
import type { FileLink, OfferFile } from './content.ts';
import { contactActs } from './contacts.ts';
import { conversationActs, joinHidden } from './conversations.ts';
import { historyActs } from './history/history.ts';
import { type HomeDeps, homeActs } from './history/home.ts';
import { usageHandler } from './history/figures.ts';
import { type Lanes, startLanes } from './dispatch/lanes.ts';
import { applyReceipts, retryParked, openSettle, wakeAwaiting } from './dispatch/settle.ts';
import { type OnReceived, completeInbound, receiveInbound } from './dispatch/inbound.ts';
import { withFileFacts, type MessageMedia, loadImageHandler } from './media.ts';
import { openClaimMessages } from './dispatch/lane.ts';
import type { Library } from '#server/domains/media/media.ts';
import { type FindMedia, findNoMedia } from './submit/place.ts';
import {
  templateActs,
  type TemplateReview,
  noReview,
  syncTemplates,
  templateEndpoints,
} from './templates.ts';
import { type AsSystem, openAsSystem } from './submit/as-system.ts';
import { optoutActs, optoutEndpoints } from './optouts.ts';
import { resendActs } from './resend.ts';
import { sendHandlers } from './submit/send.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type Sql, asAccount, type Tx } from '#server/infra/postgres/database.ts';
import { inAccount, withEachAccount } from '#server/infra/postgres/distribution/scope.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import { untilNone } from '#server/infra/account-data.ts';
import { PINS_MAX, pinConversation } from '#contract/messages/conversations.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import {
  type QuickReply,
  REPLY_MAX,
  deleteQuickReply,
  listQuickReplies,
  saveQuickReply,
} from '#contract/messages/sending.ts';
import type { MessageRow, MessageStatus } from '#contract/messages.ts';
import { publicId } from '#contract/base/ids.ts';
import { failureOf } from '#server/domains/messages/history/rows.ts';
import type { InputOf } from '#contract/base/act.ts';
import {
  type MessageView,
  VIEWS_MAX,
  ViewFilters,
  deleteView,
  listViews,
  saveView,
} from '#contract/messages/history.ts';
import { newId } from '#server/infra/ids.ts';
import { requireToken } from '#server/domains/tokens/tokens.ts';
import { json } from '#server/infra/postgres/sql.ts';

const BULK = 2;

type TokenRef = { accountId: string; tokenId: string };

/** Number of bulk messages in a token's queue, counted to `max`. */
export async function countQueuedBulk(
  sql: Sql | Tx,
  { accountId, tokenId }: TokenRef,
  max: number,
): Promise<number> {
  const [counted] = await sql<{ n: number }[]>`
    select count(*)::int as n from (
      select from dispatch
      where account_id = ${accountId} and token_id = ${tokenId} and priority = ${BULK} limit ${max}
    ) queued`;
  return counted?.n ?? 0;
}

type MessageWithRef = { id: string; ref: string };

/** Bulk messages in a token's queue whose references begin with `prefix`. */
export const queuedBulk = (
  sql: Sql | Tx,
  { accountId, tokenId }: TokenRef,
  prefix: string,
): PromiseLike<MessageWithRef[]> =>
  sql<MessageWithRef[]>`
    select d.message_id as id, m.ref from dispatch d
    cross join lateral (
      select ref from messages x
      where x.account_id = d.account_id and x.message_id = d.message_id limit 1
    ) m
    where d.account_id = ${accountId} and d.token_id = ${tokenId} and d.priority = ${BULK}
      and starts_with(m.ref, ${prefix})`;

/** Cancels unsent messages and releases their price. @returns the cancelled ones */
export const cancelMessages = (
  sql: Sql | Tx,
  accountId: string,
  ids: readonly string[],
): Promise<readonly string[]> => withdrawMessages(sql, { accountId, ids, outcome: 'cancelled' });

/** The messages with these references, which are stored for 30 days. */
export const messagesOfRefs = (
  sql: Sql | Tx,
  accountId: string,
  refs: readonly string[],
): PromiseLike<MessageWithRef[]> =>
  sql<MessageWithRef[]>`
    select message_id as id, ref from message_refs
    where account_id = ${accountId} and ref = any (${[...refs]}::text[])`;

export async function outcomesOf(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<MessageRow, 'id' | 'status' | 'failure'>>> {
  const found = await tx<{ id: string; status: MessageStatus; failure: string | null }[]>`
    select m.message_id as id, m.status, m.failure
    from unnest(${[...new Set(ids)]}::uuid[]) as named(message_id)
    cross join lateral (
      select * from messages x
      where x.account_id = ${accountId} and x.message_id = named.message_id limit 1
    ) m`;
  return new Map(
    found.map(({ id, status, failure }) => [
      id,
      { id: publicId('message', id), status, failure: failureOf({ failure }) },
    ]),
  );
}

/** Change of one message: its status before (null if it was just accepted), and its cost. */
type RefChange = {
  ref: string;
  before: MessageStatus | null;
  status: MessageStatus;
  cost: number;
  cost_before: number;
};

const EVENTS_MAX = 5_000;

/**
 * Changes of an account's messages whose references begin with `prefix`, from the events after a position, and the new
 * position. Undefined when there are no more events.
 */
export async function changesOfRefs(
  tx: Tx,
  { accountId, after, prefix }: { accountId: string; after: number; prefix: string },
): Promise<{ position: number; changes: RefChange[] } | undefined> {
  const [end] = await tx<{ position: number | null }[]>`
    select max(position) as position from (
      select position from message_changes
      where account_id = ${accountId} and position > ${after}
      order by position limit ${EVENTS_MAX}
    ) next`;
  const position = end?.position;
  if (position === null || position === undefined) return undefined;
  const changes = await tx<RefChange[]>`
    select m.ref, e.status_before as before, e.status, coalesce(e.cost, 0) as cost,
      coalesce(e.cost_before, 0) as cost_before
    from message_changes e
    cross join lateral (
      select ref from messages x
      where x.account_id = e.account_id and x.message_id = e.message_id limit 1
    ) m
    where e.account_id = ${accountId} and e.position > ${after} and e.position <= ${position}
      and e.type is not null and e.status is not null and starts_with(m.ref, ${prefix})`;
  return { position, changes };
}

/** Creates the partitions of `messages` for this month and the next three. */
export async function ensurePartitions(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`select ensure_message_partitions(clock_timestamp(), 3)`;
}

/** Deletes request keys and refs after 30 days, a few thousand rows at a time. */
export async function pruneRequests(allAccountsSql: Sql): Promise<void> {
  const before = allAccountsSql`clock_timestamp() - interval '30 days'`;
  await untilNone(async (limit) => {
    const { count } = await allAccountsSql`
      delete from idempotency_keys where (account_id, token_id, key) in (
        select account_id, token_id, key from idempotency_keys where created_at < ${before}
        limit ${limit})`;
    return count;
  });
  await untilNone(async (limit) => {
    const { count } = await allAccountsSql`
      delete from message_refs where (account_id, ref) in (
        select account_id, ref from message_refs where created_at < ${before} limit ${limit})`;
    return count;
  });
}

export type { ApiMessages } from './api.ts';
export { templatesOf, templateVariablesOf } from './templates.ts';
export { knownNumbers, recordNames, shownNamesOf, type TokenPeer } from './contacts.ts';
export { chatContentOf, excerptOf } from './content.ts';
export { messagesAccountData } from './account-data.ts';
export {
  checkLanes,
  countDispatch,
  createLane,
  laneLagSeconds,
  leaveChannel,
  wakeLane,
  type Lanes,
  markPossibleDuplicates,
} from './dispatch/lanes.ts';
export { tokensOfMessages } from './dispatch/settle.ts';
export {
  messageSums,
  trafficFigures,
  waitingOf,
  accountOfMessage,
  lastFailures,
  messageForAdmin,
  findMessageByRef,
  messageTextForAdmin,
} from './admin.ts';
export { messageRows, outcomeCellsOf, outcomeColumns } from './export.ts';
export { optedOutOf } from './optouts.ts';
export { pruneCounts } from './submit/accept.ts';
export { expireMessages } from './dispatch/withdraw.ts';
export { countFailed, newestFailed, readMessageRow, systemFigures } from './history/figures.ts';
export { type MessageFacts, readMessageFacts } from './history/facts.ts';
export { startFolding } from './history/counts.ts';
export { messageTypeOfFile } from './submit/send.ts';
export { startIndexing } from './history/words.ts';

export type MessagesDeps = {
  /** The portal's pool: row-level security for one account. */
  sql: Sql;
  /** Sees all accounts: receipts, inbound, lanes. */
  allAccountsSql: Sql;
  /** The accept path's own pool, so that nothing else delays it. */
  acceptSql: Sql;
  prices: Prices;
  channels: Channels;
  system: { accountId: string; tokenId: string };
  media: MessageMedia & Pick<Library, 'adopt'>;
  fileLink: FileLink;
  offerFile: OfferFile;
  findMedia?: FindMedia;
  review?: TemplateReview;
  origin: string;
  log: Log;
  now: () => Date;
  pacePerSecond: () => number;
  /** False: one call per account, as a distributed database needs. */
  isAcrossAccounts: boolean;
  onReceived: OnReceived;
  tracing?: Tracing | undefined;
} & Pick<HomeDeps, 'webhookTroubles' | 'pausedCampaigns' | 'unpaidPlan' | 'campaignsOfRefs'>;

export type Messages = AsSystem & {
  acts: readonly ActHandler[];
  api: ApiMessages;
  endpoints: ReturnType<typeof messageEndpoints> &
    ReturnType<typeof optoutEndpoints> &
    ReturnType<typeof templateEndpoints>;
  syncTemplates: (accountId: string) => Promise<void>;
  sinks: Sinks;
  completeInbound: (inbound: Inbound) => Promise<void>;
  /** Calls a listener after each COMMIT that gave lanes new work, or added to the outbox. */
  onWork: (listener: WorkListener) => void;
  retryParked: () => Promise<void>;
  /** Call when the fetch of a link has ended: messages that wait for it continue. */
  linkEnded: (fetched: { accountId: string; fetchId: string }) => Promise<void>;
  startLanes: () => Lanes;
  waiting: () => number;
  /** Answers waiting messages and accepts no new ones. */
  close: () => Promise<void>;
};

/** Called with the tokens whose lanes have new work; without any when only the outbox has grown. */
type WorkListener = (tokenIds: readonly string[]) => void;

/** Opens the messages domain: its acts and its functions for other domains. */
export function openMessages(deps: MessagesDeps): Messages {
  const { sql, allAccountsSql, acceptSql, prices, fileLink, offerFile, origin, now } = deps;
  const { isAcrossAccounts, findMedia = findNoMedia, review = noReview, tracing } = deps;
  const listeners: WorkListener[] = [];
  const onWork: WorkListener = (tokenIds) => {
    for (const listener of listeners) listener(tokenIds);
  };
  const onStored = () => onWork([]);
  const report = (err: unknown) => deps.log.warn({ err }, 'accepted messages cannot be counted');
  const minutes = openMinuteCounts({ sql: allAccountsSql, now, report });
  const intake = openIntake(acceptSql, onWork, {
    isAcrossAccounts,
    onAccepted: minutes.add,
    tracing,
  });
  const sending = { sql, intake, prices, fileLink, offerFile, findMedia, onWork, now };
  const api = openApiMessages(sending);
  const settle = openSettle({ sql: allAccountsSql, isAcrossAccounts, onSettled: onWork, tracing });
  return {
    acts: [
      ...historyActs({ sql, reader: { language: 'id', origin, offerFile } }),
      ...conversationActs({ sql, fileLink }),
      loadImageHandler({ sql, allAccountsSql, media: deps.media, fileLink }),
      ...homeActs(deps),
      usageHandler({ sql, now }),
      ...sendHandlers({ ...sending, adopt: deps.media.adopt }),
      cancelMessageHandler({ sql }),
      ...resendActs(sending),
      ...viewActs({ sql, onStored }),
      ...optoutActs({ sql, onStored }),
      ...pinActs(sql),
      ...contactActs(sql),
      ...quickReplyActs(sql),
      ...templateActs({ sql, review }),
    ],
    api,
    endpoints: {
      ...messageEndpoints(api),
      ...optoutEndpoints({ sql, onStored }),
      ...templateEndpoints({ sql, review }),
    },
    syncTemplates: (accountId) => syncTemplates({ sql, review }, accountId),
    sinks: sinksOf(deps, settle, onStored),
    completeInbound: (inbound) =>
      inAccount(inbound.accountId, async () => {
        await completeInbound(allAccountsSql, await withFileFacts(deps.media, inbound));
        onWork([]);
      }),
    retryParked: () => retryParked(allAccountsSql, settle),
    onWork: (listener) => void listeners.push(listener),
    ...openAsSystem({ ...deps, intake }),
    linkEnded: async (fetched) => onWork(await wakeAwaiting(allAccountsSql, fetched)),
    startLanes: () =>
      startLanes({
        media: deps.media,
        sql: allAccountsSql,
        channels: deps.channels,
        log: deps.log,
        pacePerSecond: deps.pacePerSecond,
        settle,
        claimMessages: openClaimMessages({ sql: allAccountsSql, tracing }),
        tracing,
      }),
    waiting: intake.waiting,
    close: () => intake.close().then(() => minutes.close()),
  };
}

type Settle = ReturnType<typeof openSettle>;

const sinksOf = (
  { allAccountsSql, media, tracing, onReceived }: MessagesDeps,
  settle: Settle,
  onStored: () => void,
): Sinks => ({
  receipts: (receipts) =>
    withEachAccount(receipts, (own) => applyReceipts(allAccountsSql, own, settle)),
  inbound: (inbound) =>
    inAccount(inbound.accountId, async () => {
      const whole = await withFileFacts(media, inbound);
      const began = performance.now();
      const messageId = await receiveInbound(allAccountsSql, whole, onReceived);
      if (tracing && messageId !== undefined) traceReceived(tracing, began, whole, messageId);
      onStored();
    }),
  identified: (known) =>
    inAccount(known.accountId, async () => {
      await joinHidden(allAccountsSql, known);
      onStored();
    }),
});

function traceReceived(
  tracing: Tracing,
  began: number,
  { accountId: account, tokenId: token, type }: Inbound,
  messageId: string,
): void {
  const messages = [{ messageId, account, token, type }];
  tracing.created({ operation: 'receive', began, requests: [{ messages }] });
}

/** The act that pins or unpins a conversation; open pages are notified. */
export const pinActs = (sql: Sql): readonly ActHandler[] => [
  handle(pinConversation, ({ caller: { accountId } }, { token_id: tokenId, peer, pinned }) =>
    asAccount(sql, accountId, async (tx) => {
      // One at a time: two concurrent ones would both see room for the last pin.
      await tx`select pg_advisory_xact_lock(hashtextextended('pins ' || ${accountId}::text, 0))`;
      const which = tx`account_id = ${accountId} and token_id = ${tokenId} and peer = ${peer}`;
      const [known] = await tx`select from conversations where ${which}`;
      if (!known) throw new Refusal('not_found', { what: 'Percakapan' });
      if (pinned === '0') {
        await tx`delete from pinned_conversations where ${which}`;
      } else {
        await tx`
          insert into pinned_conversations (account_id, token_id, peer)
          values (${accountId}, ${tokenId}, ${peer}) on conflict do nothing`;
        const [all] = await tx<{ pins: number }[]>`
          select count(*) as pins from pinned_conversations where account_id = ${accountId}`;
        if ((all?.pins ?? 0) > PINS_MAX) throw new Refusal('pins_full', { limit: PINS_MAX });
      }
      await appendEvent(tx, { accountId, kind: 'conversation.changed', data: { peer } });
      return {};
    }),
  ),
];

/** The acts of an account's quick replies; open pages are notified of each change. */
export const quickReplyActs = (sql: Sql): readonly ActHandler[] => [
  handle(listQuickReplies, ({ caller: { accountId } }) =>
    asAccount(sql, accountId, async (tx) => ({ replies: await readReplies(tx, accountId) })),
  ),
  handle(saveQuickReply, ({ caller: { accountId } }, reply) =>
    asAccount(sql, accountId, (tx) => saveReply(tx, accountId, reply)),
  ),
  handle(deleteQuickReply, ({ caller: { accountId } }, { name }) =>
    asAccount(sql, accountId, async (tx) => {
      const { count } = await tx`
        delete from quick_replies where account_id = ${accountId} and name = ${name}`;
      if (count === 0) throw new Refusal('not_found', { what: 'Balasan' });
      await appendEvent(tx, { accountId, kind: 'quick_reply.changed', data: {} });
      return {};
    }),
  ),
];

async function readReplies(tx: Tx, accountId: string): Promise<QuickReply[]> {
  const found = await tx<QuickReply[]>`
    select name, text, updated_at from quick_replies
    where account_id = ${accountId} order by name collate "C"`;
  return [...found];
}

/** @throws Refusal `quick_replies_full`. */
async function saveReply(
  tx: Tx,
  accountId: string,
  { name, text }: Pick<QuickReply, 'name' | 'text'>,
): Promise<QuickReply> {
  // One at a time: two concurrent ones would both see room for the last reply.
  await tx`select pg_advisory_xact_lock(hashtextextended('quick_replies ' || ${accountId}::text, 0))`;
  const [saved] = await tx<QuickReply[]>`
    insert into quick_replies (account_id, name, text) values (${accountId}, ${name}, ${text})
    on conflict (account_id, name) do update
      set text = excluded.text, updated_at = excluded.updated_at
    returning name, text, updated_at`;
  const [counted] = await tx<{ replies: number }[]>`
    select count(*) as replies from quick_replies where account_id = ${accountId}`;
  if (!saved || (counted?.replies ?? 0) > REPLY_MAX.all)
    throw new Refusal('quick_replies_full', { limit: REPLY_MAX.all });
  await appendEvent(tx, { accountId, kind: 'quick_reply.changed', data: {} });
  return saved;
}

type Person = { accountId: string; userId: string };

type StoredView = { view_id: string; name: string; filters: unknown };

export const viewActs = ({
  sql,
  onStored,
}: {
  sql: Sql;
  onStored: () => void;
}): readonly ActHandler[] => [
  handle(listViews, async ({ caller: { accountId, userId } }) => ({
    views: await asAccount(sql, accountId, (tx) => readViews(tx, { accountId, userId })),
  })),
  handle(saveView, async ({ caller: { accountId, userId } }, input) => {
    const view = await storeView(sql, { accountId, userId }, input);
    onStored();
    return view;
  }),
  handle(deleteView, async ({ caller: { accountId, userId } }, { view_id: viewId }) => {
    await removeView(sql, { accountId, userId }, viewId);
    onStored();
    return {};
  }),
];

async function readViews(tx: Tx, { accountId, userId }: Person): Promise<MessageView[]> {
  const found = await tx<StoredView[]>`
    select view_id, name, filters from message_views
    where account_id = ${accountId} and user_id = ${userId} order by view_id`;
  return found.map(viewOf);
}

/** Stored filters that are no longer valid are left out; the rest is still shown. */
function viewOf({ view_id, name, filters }: StoredView): MessageView {
  const read = ViewFilters().safeParse(filters);
  return { id: publicId('view', view_id), name, filters: read.success ? read.data : {} };
}

/** Filters in their stored form; a relative range has no days of its own. */
function filtersOf(input: InputOf<typeof saveView>): ViewFilters {
  const { view_id: _, name: __, token_id: tokenId, days, from, to, ...rest } = input;
  const range = days === undefined ? { from, to } : { days };
  return { ...rest, ...range, ...(tokenId && { token_id: publicId('token', tokenId) }) };
}

/** @throws Refusal `not_found`, `views_full`, `view_name_taken`. */
function storeView(
  sql: Sql,
  { accountId, userId }: Person,
  input: InputOf<typeof saveView>,
): Promise<MessageView> {
  const { view_id: viewId = newId(), name } = input;
  const filters = filtersOf(input);
  return asAccount(sql, accountId, async (tx) => {
    // One at a time: two concurrent ones would both see room for the last view.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`message_views ${userId}`}, 0))`;
    await refuse(tx, { accountId, userId }, input);
    if (input.token_id !== undefined) {
      await requireToken(tx, accountId, input.token_id, { alsoDeleted: true });
    }
    const [stored] =
      input.view_id === undefined
        ? await tx<StoredView[]>`
            insert into message_views (account_id, user_id, view_id, name, filters)
            values (${accountId}, ${userId}, ${viewId}, ${name}, ${json(filters)})
            returning view_id, name, filters`
        : await tx<StoredView[]>`
            update message_views set name = ${name}, filters = ${json(filters)}
            where account_id = ${accountId} and user_id = ${userId} and view_id = ${viewId}
            returning view_id, name, filters`;
    if (!stored) throw notFound();
    await announce(tx, { accountId, userId });
    return viewOf(stored);
  });
}

async function refuse(
  tx: Tx,
  { accountId, userId }: Person,
  { view_id: viewId, name }: InputOf<typeof saveView>,
): Promise<void> {
  const [known] = await tx<{ others: number; namesakes: number }[]>`
    select count(*) as others, count(*) filter (where lower(name) = lower(${name})) as namesakes
    from message_views
    where account_id = ${accountId} and user_id = ${userId} and view_id is distinct from ${viewId ?? null}::uuid`;
  const { others = 0, namesakes = 0 } = known ?? {};
  if (namesakes > 0) throw new Refusal('view_name_taken', { name });
  if (viewId === undefined && others >= VIEWS_MAX)
    throw new Refusal('views_full', { limit: VIEWS_MAX });
}

/** @throws Refusal `not_found`. */
const removeView = (sql: Sql, { accountId, userId }: Person, viewId: string): Promise<void> =>
  asAccount(sql, accountId, async (tx) => {
    const { count } = await tx`
      delete from message_views
      where account_id = ${accountId} and user_id = ${userId} and view_id = ${viewId}`;
    if (count === 0) throw notFound();
    await announce(tx, { accountId, userId });
  });

const announce = (tx: Tx, { accountId, userId }: Person) =>
  appendEvent(tx, {
    accountId,
    kind: 'view.changed',
    data: { user_id: publicId('user', userId) },
  });

const notFound = () => new Refusal('not_found', { what: 'Tampilan' });
