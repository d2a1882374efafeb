import type { Channels, Inbound, Sinks } from '#server/domains/channels/channels.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import { openAccepter } from './submit/accept.ts';
import { type ApiMessages, openApiMessages } from './api.ts';
import { cancelMessageHandler } from './dispatch/cancel.ts';
import type { FileLink, OfferFile } from './content.ts';
import { contactActs } from './contacts.ts';
import { pinActs } from './pins.ts';
import { conversationActs, joinHidden } from './conversations.ts';
import { historyActs } from './history/history.ts';
import { type HomeDeps, homeActs } from './history/home.ts';
import { usageHandler } from './history/figures.ts';
import { type Lanes, startLanes } from './dispatch/lanes.ts';
import { applyReceipts, retryParked } from './dispatch/receipts.ts';
import { type OnReceived, completeInbound, receiveInbound } from './dispatch/inbound.ts';
import { withFileFacts, type MediaOfMessages, loadImageHandler } from './media.ts';
import { openClaimMessages } from './dispatch/claim-messages.ts';
import type { Library } from '#server/domains/media/media.ts';
import { openSettle, wakeAwaiting } from './dispatch/settle.ts';
import { type FindMedia, findNoMedia } from './submit/lookups.ts';
import {
  templateActs,
  type TemplateReview,
  noReview,
  syncTemplates,
  type ApiTemplates,
  openApiTemplates,
} from './templates.ts';
import { type AsSystem, openAsSystem } from './submit/as-system.ts';
import { openMinuteCounts } from './submit/minutes.ts';
import { optoutActs } from './optouts/acts.ts';
import { quickReplyActs } from './quick-replies.ts';
import { type ApiOptouts, openApiOptouts } from './optouts/api.ts';
import { resendActs } from './resend/acts.ts';
import { viewActs } from './views.ts';
import { sendHandlers } from './submit/send.ts';
import type { ActHandler } from '#server/infra/acts.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { inAccount, withEachAccount } from '#server/infra/postgres/distribution/scope.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';

export type { ApiMessages } from './api.ts';
export {
  changesOfRefs,
  countQueuedBulk,
  messagesOfRefs,
  outcomesOf,
  queuedBulk,
  takeBack,
} from './bulk.ts';
export { knownNumbers } from './contacts.ts';
export { contentOf, excerptOf } from './content.ts';
export { messagesAccountData } from './account-data.ts';
export {
  checkLanes,
  countDispatch,
  createLane,
  laneLagSeconds,
  leaveChannel,
  wakeLane,
} from './dispatch/lane-rows.ts';
export { tokensOfMessages } from './dispatch/receipts.ts';
export { markMayHaveLeft } from './dispatch/restored.ts';
export {
  messageSums,
  trafficFigures,
  waitingOf,
  holderOfMessage,
  lastFailures,
  messageForDesk,
  messageOfRef,
  textForDesk,
} from './desk.ts';
export { messageRows, outcomeCellsOf, outcomeColumns } from './export.ts';
export { optedOutOf } from './optouts/optouts.ts';
export { pruneCounts } from './submit/minutes.ts';
export { expireMessages } from './dispatch/withdraw.ts';
export { countFailed, newestFailed, readMessageRow, systemFigures } from './history/figures.ts';
export { type MessageFacts, readMessageFacts } from './history/facts.ts';
export { startFolding } from './history/fold.ts';
export { messageTypeOfFile } from './submit/send.ts';
export { startIndexing } from './history/words.ts';
export { ensurePartitions, pruneRequests } from './upkeep.ts';
export type { Lanes } from './dispatch/lanes.ts';

export type MessagesDeps = {
  /** The portal's pool: row-level security for one account. */
  sql: Sql;
  /** Sees all accounts: receipts, inbound, lanes. */
  allAccountsSql: Sql;
  /** The accept path's own pool, so that nothing else delays it. */
  acceptSql: Sql;
  prices: Prices;
  channels: Channels;
  /** Sends what the installation itself writes. */
  system: { accountId: string; tokenId: string };
  /** The files of messages. */
  media: MediaOfMessages & Pick<Library, 'adopt'>;
  fileLink: FileLink;
  offerFile: OfferFile;
  /** The files that ids of media name; left out, there are none. */
  findMedia?: FindMedia;
  /** The network that reviews templates; left out, there is none. */
  review?: TemplateReview;
  /** Where links begin that are shown outside the portal. */
  origin: string;
  log: Log;
  now: () => Date;
  pacePerSecond: () => number;
  /** False: each account by itself, as a distributed database needs. */
  isAcrossAccounts: boolean;
  /** Reacts to a message that has come in, in the transaction that keeps it. */
  onReceived: OnReceived;
  tracing?: Tracing | undefined;
} & Pick<HomeDeps, 'webhookTroubles'>;

export type Messages = AsSystem & {
  acts: readonly ActHandler[];
  api: ApiMessages;
  optouts: ApiOptouts;
  templates: ApiTemplates;
  /** Reads an account's templates from the network that reviews them. */
  syncTemplates: (accountId: string) => Promise<void>;
  /** Where channels bring receipts and inbound messages. */
  sinks: Sinks;
  /** Gives a message that was stored without its file what is known of it now. */
  completeInbound: (inbound: Inbound) => Promise<void>;
  /** Calls a listener after each COMMIT that gave lanes new work, or the outbox news. */
  onWork: (listener: WorkListener) => void;
  /** Tries parked receipts again. */
  retryParked: () => Promise<void>;
  /** A link has become a file, or has not: messages that wait for it go on. */
  linkEnded: (fetched: { accountId: string; fetchId: string }) => Promise<void>;
  /** Starts the worker that owns lanes. */
  startLanes: () => Lanes;
  /** Messages that wait to be placed. */
  waiting: () => number;
  /** Answers what waits and takes nothing new. */
  close: () => Promise<void>;
};

/** Called with the tokens whose lanes have new work; none when only the outbox has news. */
type WorkListener = (tokenIds: readonly string[]) => void;

/** Opens the subject: the acts it keeps and what others may call. */
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
  const accepter = openAccepter(acceptSql, onWork, {
    isAcrossAccounts,
    onAccepted: minutes.add,
    tracing,
  });
  const settle = openSettle({ sql: allAccountsSql, isAcrossAccounts, onSettled: onWork, tracing });
  return {
    acts: [
      ...historyActs({ sql, reader: { language: 'id', origin, offerFile } }),
      ...conversationActs({ sql, fileLink }),
      loadImageHandler({ sql, allAccountsSql, media: deps.media, fileLink }),
      ...homeActs(deps),
      usageHandler({ sql, now }),
      ...sendHandlers({ ...deps, accepter, findMedia, adopt: deps.media.adopt }),
      cancelMessageHandler({ sql }),
      ...resendActs({ sql, accepter, prices, findMedia, now, onWork }),
      ...viewActs({ sql, onStored }),
      ...optoutActs({ sql, onStored }),
      ...pinActs(sql),
      ...contactActs(sql),
      ...quickReplyActs(sql),
      ...templateActs({ sql, review }),
    ],
    api: openApiMessages({ sql, accepter, prices, offerFile, findMedia, onWork, now }),
    optouts: openApiOptouts(sql, onStored),
    templates: openApiTemplates({ sql, review }),
    syncTemplates: (accountId) => syncTemplates({ sql, review }, accountId),
    sinks: sinksOf(deps, settle, onStored),
    completeInbound: (inbound) =>
      inAccount(inbound.accountId, async () => {
        await completeInbound(allAccountsSql, await withFileFacts(deps.media, inbound));
        onWork([]);
      }),
    retryParked: () => retryParked(allAccountsSql, settle),
    onWork: (listener) => void listeners.push(listener),
    ...openAsSystem({ ...deps, accepter }),
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
    waiting: accepter.waiting,
    close: () => accepter.close().then(() => minutes.close()),
  };
}

type Settle = ReturnType<typeof openSettle>;

/** The sinks of channels; each call stays in the bucket of its account. */
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

/** A message that came in begins a trace of its own. */
function traceReceived(
  tracing: Tracing,
  began: number,
  { accountId: account, tokenId: token, type }: Inbound,
  messageId: string,
): void {
  const messages = [{ messageId, account, token, type }];
  tracing.created({ operation: 'receive', began, requests: [{ messages }] });
}
