import {
  type AccountsDeps,
  type Captcha,
  type Exports,
  type FirstOperator,
  type Sessions,
  ensureOperator,
  openCaptcha,
  openSessions,
} from '#server/domains/accounts/accounts.ts';
import {
  type BillingWorkDeps,
  type Invoices,
  openInvoices,
  recordSeller,
} from '#server/domains/billing/billing.ts';
import { type Broadcasts, openBroadcasts } from '#server/domains/broadcasts/broadcasts.ts';
import type { Campaigns } from '#server/domains/campaigns/campaigns.ts';
import { isOffered } from '#server/domains/channels/channels.ts';
import { type LiveHub, openLive } from '#server/domains/events/events.ts';
import { type Media, openMedia } from '#server/domains/media/media.ts';
import {
  type Messages,
  excerptOf,
  openMessages,
  readMessageFacts,
} from '#server/domains/messages/messages.ts';
import { type OpenGateways, openGateways } from '#server/domains/payments/payments.ts';
import { type Prices, openPrices } from '#server/domains/pricing/pricing.ts';
import { type PushDeps, queueNotice, readVapid } from '#server/domains/push/push.ts';
import { type SupportDeps, openUsualAnswer } from '#server/domains/support/support.ts';
import {
  type KeyRing,
  type RejectionRecorder,
  ensureSystemToken,
  openKeyRing,
  openRejectionRecorder,
  systemTokenState,
  takesCodes,
} from '#server/domains/tokens/tokens.ts';
import { type Webhooks, openWebhooks, webhookTroubles } from '#server/domains/webhooks/webhooks.ts';
import { openOutbound } from '#server/infra/net/outbound.ts';
import { startWhole } from '#server/infra/postgres/distribution/scope.ts';
import { openListeners } from '#server/infra/postgres/driver/listener.ts';
import { type Infra, type Options, type Pools, closeInfra, openInfra, tryOnce } from './infra.ts';
import { type SendText, openErasure } from './parts/erasure.ts';
import { openMessagesToMany } from './parts/messages-to-many.ts';
import { openFilesOfRows } from './parts/row-exports.ts';
import type { RowExports } from '#server/domains/exports/exports.ts';
import { type Networks, openNetworks } from './networks.ts';
import { type Subscribers, createSubscribers } from './subscribers.ts';

/** Everything behind HTTP, opened and joined: the tools, then one field per domain. */
export type Container = {
  infra: Infra;
  pools: Pools;
  accounts: {
    sessions: Sessions;
    captcha: Captcha;
    /** Archives of what accounts hold. */
    exports: Exports;
    /** Erases the accounts whose time has come. */
    eraseDue: () => Promise<void>;
    /** How the first operator signs in: only at the start that made them. */
    newOperator: FirstOperator | undefined;
    sendSystemText: SendText;
  } & Pick<AccountsDeps, 'codesInSimulator' | 'sendSystemCode' | 'takesCodes'>;
  billing: {
    /** What the work on subscriptions needs. */
    work: BillingWorkDeps;
    invoices: Invoices;
  };
  broadcasts: Broadcasts;
  campaigns: Campaigns;
  channels: Networks;
  events: { hub: LiveHub };
  rowExports: RowExports;
  media: Media;
  messages: Messages;
  payments: OpenGateways;
  pricing: Prices;
  /** What notices to browsers are made and sent with. */
  push: PushDeps;
  support: {
    deps: SupportDeps;
    /** After so many quiet days an answered thread is closed. */
    closeDays: () => number;
    /** Calls a listener after each COMMIT that left news in the outbox, or a notice. */
    onNews: (listener: () => void) => void;
  };
  tokens: { keyRing: KeyRing; rejections: RejectionRecorder; close: () => Promise<void> };
  webhooks: Webhooks;
  subscribers: Subscribers;
  close: () => Promise<void>;
};

type ContainerOptions = Options & {
  /** Gives somebody the first operator's password, before it counts. */
  handOver?: (operator: FirstOperator) => Promise<void>;
};

/** Opens the application on a migrated database. Nothing runs by itself yet: see `startWorker`. */
export async function openContainer(options: ContainerOptions): Promise<Container> {
  const { infra, pools } = await openInfra(options);
  const { config, secrets, now, report } = infra;
  const { tenantSql, allAccountsSql, callersSql } = pools;
  const { untilReachable = tryOnce } = options;

  const media = openMedia({ ...infra, sql: tenantSql, allAccountsSql });
  const pricing = await untilReachable(() =>
    openPrices({ allAccountsSql, config, now, onError: report }),
  );
  const sendSystemText: SendText = (to, text, shown = text, key) =>
    messages.sendAsSystem({ to, text, shown, ...(key !== undefined && { key }) });
  const subscribers = createSubscribers({
    config,
    now,
    sinks: () => messages.sinks,
    connecting: () => connecting,
  });
  const connecting = { allAccountsSql, secrets, sendSystemText, report, subscribers };
  const { newOperator, system } = await openSystem(infra, pools, subscribers, options);
  const billing = { allAccountsSql, now, queueNotice, sendSystemText, report };
  const networks = openNetworks(infra, pools, {
    connecting,
    media,
    billing,
    subscribers,
    messages: () => messages,
  });
  const messages = openSending(infra, pools, { media, networks, pricing, subscribers, system });
  const payments = await openPayments(infra, pools, pricing);
  const hub = openHub(infra, pools, system.accountId);
  const sessions = openSessions(callersSql);
  const rowExports = openFilesOfRows(infra, pools, sessions);
  const tokens = openTokens(infra, pools);
  return {
    infra,
    pools,
    accounts: {
      sessions,
      captcha: openCaptcha({ allAccountsSql, secrets, config, report }),
      newOperator,
      sendSystemText,
      ...openCodes(infra, pools, messages),
      ...openErasure(infra, pools, { media, rowExports, sendSystemText, sessions }),
    },
    billing: { work: billing, invoices: await untilReachable(() => openDocuments(infra, pools)) },
    broadcasts: openNotices(infra, pools, messages),
    campaigns: openMessagesToMany(infra, pools, { media, messages }),
    channels: networks,
    events: { hub },
    rowExports,
    media,
    messages,
    payments,
    pricing,
    push: await openPush(infra, pools, options),
    support: openSupport(infra, pools, { system, media, hub, pricing }),
    tokens,
    webhooks: openCustomersWebhooks(infra, pools, { media, sendSystemText }),
    subscribers,
    close: async () => {
      await messages.close();
      await networks.health.close();
      await Promise.all([tokens.close(), hub.close(), payments.close()]);
      pricing.close();
      await closeInfra(infra, pools);
    },
  };
}

/** The installation's own account and token; `newOperator` where this start made the first operator. */
async function openSystem(
  { config }: Infra,
  { allAccountsSql }: Pools,
  subscribers: Subscribers,
  { handOver, untilReachable = tryOnce }: ContainerOptions,
) {
  let handedOver: FirstOperator | undefined;
  const made = await untilReachable(() =>
    ensureOperator(allAccountsSql, config, subscribers.systemAccountOpened, async (operator) => {
      handedOver = operator;
      await handOver?.(operator);
    }),
  );
  const system = await untilReachable(() =>
    ensureSystemToken(allAccountsSql, config.OPERATOR_PHONE, subscribers),
  );
  // Without an answer to COMMIT, the next try finds the operator that the first one made.
  return { newOperator: made ?? handedOver, system };
}

/** How codes are sent, and whether they can be. */
const openCodes = (
  { config }: Infra,
  { allAccountsSql }: Pools,
  messages: Messages,
): Pick<AccountsDeps, 'codesInSimulator' | 'sendSystemCode' | 'takesCodes'> => ({
  sendSystemCode: ({ phone: to, text, shownText: shown, code }) =>
    messages.sendAsSystem({ to, text, shown, code }),
  takesCodes: async (sql) =>
    (await takesCodes(sql, (channel) => isOffered(config, channel))) &&
    (await messages.codesBy()) !== 'nothing',
  codesInSimulator: async () => (await systemTokenState(allAccountsSql)).channel === 'simulator',
});

type SendingParts = {
  media: Media;
  networks: Networks;
  pricing: Prices;
  subscribers: Subscribers;
  system: { accountId: string; tokenId: string };
};

const openSending = (
  { config, log, now, place, tracing }: Infra,
  { tenantSql: sql, allAccountsSql, acceptSql }: Pools,
  { media, networks, pricing: prices, subscribers, system }: SendingParts,
): Messages =>
  openMessages({
    sql,
    allAccountsSql,
    acceptSql,
    prices,
    channels: networks.channels,
    review: networks.cloud.templates,
    system,
    ...portsOfMessages(media),
    origin: config.PUBLIC_URL ?? `http://localhost:${config.PORT}`,
    log,
    now,
    pacePerSecond: () => config.LANE_PACE_PER_SECOND,
    isAcrossAccounts: !place.isDistributed,
    onReceived: subscribers.messageReceived,
    tracing,
  });

/** What messages need of media and webhooks. */
const portsOfMessages = ({ files, library }: Media) => ({
  media: library,
  findMedia: library.findToSend,
  fileLink: files.link,
  offerFile: files.offer,
  webhookTroubles,
});

/** What operators tell customers: shown to all, pushed and sent to some. */
const openNotices = (
  { config, now, report }: Infra,
  { tenantSql: sql, allAccountsSql }: Pools,
  { sendNoticeAsSystem }: Messages,
): Broadcasts =>
  openBroadcasts({
    sql,
    allAccountsSql,
    config,
    queueNotice,
    sendNotice: async (notice) => ((await sendNoticeAsSystem(notice)) ? 'accepted' : 'opted_out'),
    now,
    report,
  });

/** Who calls with which key, and the calls of theirs that were refused. */
function openTokens({ now, report }: Infra, { allAccountsSql }: Pools): Container['tokens'] {
  const keyRing = openKeyRing({ allAccountsSql, report, now });
  const rejections = openRejectionRecorder({ allAccountsSql, report });
  return {
    keyRing,
    rejections,
    close: async () => void (await Promise.all([keyRing.close(), rejections.close()])),
  };
}

const openPayments = (
  { config, log, metrics, now, report }: Infra,
  { tenantSql: sql, allAccountsSql }: Pools,
  prices: Prices,
): Promise<OpenGateways> =>
  openGateways({
    sql,
    allAccountsSql,
    prices,
    config,
    log,
    now,
    report,
    outcomes: metrics.counter(
      'kabari_payments_total',
      'What became of notices and orders of payment gateways',
    ),
  });

async function openDocuments(
  { config, log, now, report, secrets, settings }: Infra,
  { tenantSql: sql, allAccountsSql }: Pools,
): Promise<Invoices> {
  const seller = { allAccountsSql, config, log, now };
  await recordSeller(seller);
  settings.onChange(() => void recordSeller(seller).catch(report));
  const origin = () => config.PUBLIC_URL ?? `http://localhost:${config.PORT}`;
  return openInvoices({ sql, allAccountsSql, secrets, config, origin, now });
}

const openHub = (
  { place, report, tracing }: Infra,
  { tenantSql, allAccountsSql }: Pools,
  systemAccountId: string,
): LiveHub =>
  startWhole(() =>
    openLive({
      tenantSql,
      allAccountsSql,
      openListening: (handlers) => openListeners(place.listenAt, { name: 'live', ...handlers }),
      // Operators follow the installation's own account, but must not see who receives codes.
      isShown: (accountId, kind) => accountId !== systemAccountId || !kind.startsWith('message.'),
      report,
      tracing,
    }),
  );

type WebhookParts = { media: Media; sendSystemText: SendText };

function openCustomersWebhooks(
  { config, metrics, now, report, secrets, tracing }: Infra,
  { tenantSql: sql, allAccountsSql }: Pools,
  { media, sendSystemText }: WebhookParts,
): Webhooks {
  const tries = metrics.counter(
    'kabari_webhook_tries_total',
    'Tries of webhooks, by how they ended',
  );
  const origin = config.PUBLIC_URL ?? `http://localhost:${config.PORT}`;
  return openWebhooks({
    sql,
    allAccountsSql,
    secrets,
    outbound: openOutbound({ listed: config.WEBHOOK_ORIGINS }),
    messageFacts: (tx, refs) =>
      readMessageFacts(tx, refs, { language: 'id', origin, offerFile: media.files.offer }),
    queueNotice,
    sendSystemText: (phone, text, key) => sendSystemText(phone, text, text, key),
    now,
    report,
    onOutcome: (outcome) => tries.add({ outcome }),
    tracing,
  });
}

type SupportParts = { system: { accountId: string }; media: Media; hub: LiveHub; pricing: Prices };

function openSupport(
  { config, now, secrets }: Infra,
  { tenantSql: sql, allAccountsSql }: Pools,
  { system, media, hub, pricing }: SupportParts,
): Container['support'] {
  const listeners: (() => void)[] = [];
  return {
    deps: {
      sql,
      allAccountsSql,
      now,
      secrets,
      hub,
      systemAccountId: system.accountId,
      fileLink: media.files.link,
      messagePrice: pricing.message,
      hours: () => config.SUPPORT_HOURS,
      usualAnswer: openUsualAnswer(allAccountsSql, now),
      onNews: () => {
        for (const listener of listeners) listener();
      },
    },
    closeDays: () => config.SUPPORT_CLOSE_DAYS,
    onNews: (listener) => void listeners.push(listener),
  };
}

async function openPush(
  infra: Infra,
  { allAccountsSql }: Pools,
  { untilReachable = tryOnce }: ContainerOptions,
): Promise<PushDeps> {
  const { config, log, metrics, report, secrets } = infra;
  const notices = metrics.counter('kabari_notices_total', 'Notices to browsers, by how they ended');
  return {
    allAccountsSql,
    config,
    secrets,
    log,
    report,
    excerptOf,
    vapid: await untilReachable(() => readVapid(allAccountsSql, secrets)),
    outbound: openOutbound({ listed: config.PUSH_SERVICES }),
    onOutcome: (outcome) => notices.add({ outcome }),
  };
}
