import { rupiah } from '#contract/base/money.ts';
import type { Channels, Sinks } from '#server/domains/channels/channels.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import { openAccepter } from './submit/accept.ts';
import { type ApiMessages, openApiMessages } from './api.ts';
import { cancelMessageHandler } from './dispatch/cancel.ts';
import type { FileLink, OfferFile } from './content.ts';
import { conversationActs } from './conversations/conversations.ts';
import { historyActs } from './history/history.ts';
import { homeActs } from './history/home.ts';
import { usageHandler } from './history/usage.ts';
import { type OnReceived, receiveInbound } from './dispatch/inbound.ts';
import { type Lanes, startLanes } from './dispatch/lanes.ts';
import { applyReceipts, retryParked } from './dispatch/receipts.ts';
import { openClaimMessages } from './dispatch/claim-messages.ts';
import { openSettle } from './dispatch/settle.ts';
import { sendMessageHandler } from './submit/send.ts';
import type { ActHandler } from '#server/infra/acts/act.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import type { Log } from '#server/infra/observability/log.ts';

export { contentOf, excerptOf } from './content.ts';
export { messagesAccountData } from './account-data.ts';
export {
  checkLanes,
  countDispatch,
  createLane,
  laneLagSeconds,
  wakeLane,
} from './dispatch/lane-rows.ts';
export { markMayHaveLeft } from './dispatch/restored.ts';
export { expireMessages } from './dispatch/withdraw.ts';
export { countFailed, newestFailed, readMessageRow } from './history/failed.ts';
export { startFolding } from './history/fold.ts';
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
  fileLink: FileLink;
  offerFile: OfferFile;
  /** Where links begin that are shown outside the portal. */
  origin: string;
  log: Log;
  now: () => Date;
  pacePerSecond: number;
  /** False: each account by itself, as a distributed database needs. */
  isAcrossAccounts: boolean;
  /** Reacts to a message that has come in, in the transaction that keeps it. */
  onReceived: OnReceived;
};

export type Messages = {
  acts: readonly ActHandler[];
  api: ApiMessages;
  /** Where channels bring receipts and inbound messages. */
  sinks: Sinks;
  /**
   * Sends a text with the installation's own token, free of charge. At rest the message shows `shown`; the
   * text itself lives in its dispatch row until it is sent (docs/wire.md#message-states).
   */
  sendAsSystem: (text: SystemText) => Promise<void>;
  /** Calls a listener after each COMMIT that gave lanes new work, or the outbox news. */
  onWork: (listener: WorkListener) => void;
  /** Tries parked receipts again. */
  retryParked: () => Promise<void>;
  /** Starts the worker that owns lanes. */
  startLanes: () => Lanes;
  /** Messages that wait to be placed. */
  waiting: () => number;
  /** Answers what waits and takes nothing new. */
  close: () => Promise<void>;
};

/** Called with the tokens whose lanes have new work; none when only the outbox has news. */
type WorkListener = (tokenIds: readonly string[]) => void;

type SystemText = { to: string; text: string; shown: string; key?: string };

/** Codes older than this are not worth sending. */
const SYSTEM_TTL_MS = 5 * 60_000;

/** Opens the subject: the acts it keeps and what others may call. */
export function openMessages(deps: MessagesDeps): Messages {
  const { sql, allAccountsSql, acceptSql, prices, fileLink, offerFile, origin, now } = deps;
  const { isAcrossAccounts } = deps;
  const listeners: WorkListener[] = [];
  const onWork: WorkListener = (tokenIds) => {
    for (const listener of listeners) listener(tokenIds);
  };
  const accepter = openAccepter(acceptSql, onWork, isAcrossAccounts);
  const settle = openSettle({ sql: allAccountsSql, isAcrossAccounts, onSettled: onWork });
  return {
    acts: [
      ...historyActs({ sql, reader: { language: 'id', origin, offerFile } }),
      ...conversationActs({ sql, fileLink }),
      ...homeActs({ sql, now }),
      usageHandler({ sql, now }),
      sendMessageHandler({ sql, accepter, prices, fileLink, now }),
      cancelMessageHandler({ sql }),
    ],
    api: openApiMessages({ sql, accepter, prices, offerFile, now }),
    sinks: {
      receipts: (receipts) => applyReceipts(allAccountsSql, receipts, settle),
      inbound: async (inbound) => {
        await receiveInbound(allAccountsSql, inbound, deps.onReceived);
        onWork([]);
      },
    },
    retryParked: () => retryParked(allAccountsSql, settle),
    onWork: (listener) => void listeners.push(listener),
    sendAsSystem: async ({ to, text, shown, key }) => {
      const { accountId, tokenId } = deps.system;
      const at = now();
      const item = {
        id: newId(at.getTime()),
        tokenId,
        peer: to,
        type: 'text',
        body: { text: shown },
        price: rupiah(0),
        hash: Buffer.alloc(0),
        priority: 0,
        expiresAt: new Date(at.getTime() + SYSTEM_TTL_MS),
        secret: text,
      };
      const order = { accountId, tokenId, key, hash: Buffer.alloc(0), items: [item] };
      const { results } = await accepter.place(order);
      if (results[0]?.outcome !== 'accepted') {
        throw new Error(`the system token cannot send: ${results[0]?.outcome}`);
      }
    },
    startLanes: () =>
      startLanes({
        sql: allAccountsSql,
        channels: deps.channels,
        log: deps.log,
        pacePerSecond: deps.pacePerSecond,
        settle,
        claimMessages: openClaimMessages(allAccountsSql, isAcrossAccounts),
      }),
    waiting: accepter.waiting,
    close: accepter.close,
  };
}
