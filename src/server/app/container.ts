import {
  type AccountsDeps,
  type Captcha,
  type Exports,
  type FirstOperator,
  type Sessions,
  ensureOperator,
  openCaptcha,
  openSessions,
  type AccountOpened,
} from '#server/domains/accounts/accounts.ts';
import {
  type BillingDeps,
  type Invoices,
  openInvoices,
  recordSeller,
  runBilling,
  openSubscription,
  unpaidPlan,
} from '#server/domains/billing/billing.ts';
import { type Broadcasts, openBroadcasts } from '#server/domains/broadcasts/broadcasts.ts';
import {
  type Campaigns,
  campaignsOfRefs,
  pausedCampaigns,
} from '#server/domains/campaigns/campaigns.ts';
import {
  isOffered,
  type Channels,
  type HealthRecorder,
  type Sinks,
  channelsOf,
  openHealthRecorder,
  type Inbound,
  forgetConnection,
  type Channel,
} from '#server/domains/channels/channels.ts';
import { type LiveHub, openLive, appendEvent } from '#server/domains/events/events.ts';
import { type Media, openMedia } from '#server/domains/media/media.ts';
import {
  type Messages,
  excerptOf,
  openMessages,
  readMessageFacts,
  chatContentOf,
  tokensOfMessages,
  createLane,
  leaveChannel,
  wakeLane,
} from '#server/domains/messages/messages.ts';
import {
  type OpenGateways,
  openGateways,
  expireTopups,
  receiveBankLine,
  saveAlert,
} from '#server/domains/payments/payments.ts';
import { type Prices, openPrices } from '#server/domains/pricing/pricing.ts';
import {
  type PushDeps,
  queueNotice,
  readVapid,
  type Received,
  queueNotices,
} from '#server/domains/push/push.ts';
import { type SupportDeps, openUsualAnswer } from '#server/domains/support/support.ts';
import {
  type KeyRing,
  type RejectionRecorder,
  ensureSystemToken,
  openKeyRing,
  openRejectionRecorder,
  systemTokenState,
  takesCodes,
  type ConnectDeps,
  type TokenPhone,
  type TokenSubscribers,
  handleUndo,
} from '#server/domains/tokens/tokens.ts';
import {
  type Webhooks,
  openWebhooks,
  webhookTroubles,
  deleteTokenWebhook,
} from '#server/domains/webhooks/webhooks.ts';
import { openOutbound } from '#server/infra/net/outbound.ts';
import { startOnCoordinator } from '#server/infra/postgres/distribution/scope.ts';
import { openListeners } from '#server/infra/postgres/driver/listener.ts';
import { type Infra, type Options, type Pools, closeInfra, openInfra, tryOnce } from './infra.ts';
import { type SendText, openErasure, createCampaigns, createRowExports } from './parts.ts';
import type { RowExports } from '#server/domains/exports/exports.ts';
import { type Cloud, openCloud } from '#server/domains/channels/cloud/cloud.ts';
import { type Simulator, openSimulator } from '#server/domains/channels/simulator/simulator.ts';
import { isSimulatedBank, type Config } from '#server/infra/config.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { rupiah } from '#contract/base/money.ts';
import { openWallet, postEntry, restrictToBonus } from '#server/domains/ledger/ledger.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import {
  openStandIn,
  openThreadedEngine,
  openWebChannel,
  usualTimings,
} from '#server/domains/channels/web/web.ts';

export type Container = {
  infra: Infra;
  pools: Pools;
  accounts: {
    sessions: Sessions;
    captcha: Captcha;
    exports: Exports;
    eraseDue: () => Promise<void>;
    /** The first operator's credentials; set only at the start that created them. */
    newOperator: FirstOperator | undefined;
    sendSystemText: SendText;
  } & Pick<AccountsDeps, 'codesInSimulator' | 'sendSystemCode' | 'takesCodes'>;
  billing: {
    work: BillingDeps;
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
  push: PushDeps;
  support: {
    deps: SupportDeps;
    /** Days of silence after which an answered thread is closed. */
    closeDays: () => number;
    /** Calls a listener after each COMMIT that added an outbox event or a browser notification. */
    onNews: (listener: () => void) => void;
  };
  tokens: { keyRing: KeyRing; rejections: RejectionRecorder; close: () => Promise<void> };
  webhooks: Webhooks;
  subscribers: Subscribers;
  close: () => Promise<void>;
};

type ContainerOptions = Options & {
  /** Delivers the first operator's password before the operator is committed. */
  deliverPassword?: (operator: FirstOperator) => Promise<void>;
};

/** Opens the application on a migrated database. Background work starts only with `startWorker`. */
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
  const rowExports = createRowExports(infra, pools, sessions);
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
    campaigns: createCampaigns(infra, pools, { media, messages }),
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

/** The installation's own account and token; `newOperator` only at its first start. */
async function openSystem(
  { config }: Infra,
  { allAccountsSql }: Pools,
  subscribers: Subscribers,
  { deliverPassword, untilReachable = tryOnce }: ContainerOptions,
) {
  let handedOver: FirstOperator | undefined;
  const made = await untilReachable(() =>
    ensureOperator(allAccountsSql, config, subscribers.systemAccountOpened, async (operator) => {
      handedOver = operator;
      await deliverPassword?.(operator);
    }),
  );
  const system = await untilReachable(() =>
    ensureSystemToken(allAccountsSql, config.OPERATOR_PHONE, subscribers),
  );
  // If the answer to COMMIT was lost, the retry finds the operator that the first attempt created.
  return { newOperator: made ?? handedOver, system };
}

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
    ...messagePorts(media),
    origin: config.PUBLIC_URL ?? `http://localhost:${config.PORT}`,
    log,
    now,
    pacePerSecond: () => config.LANE_PACE_PER_SECOND,
    isAcrossAccounts: !place.isDistributed,
    onReceived: subscribers.messageReceived,
    tracing,
  });

const messagePorts = ({ files, library }: Media) => ({
  media: library,
  findMedia: library.findToSend,
  fileLink: files.link,
  offerFile: files.offer,
  webhookTroubles,
  pausedCampaigns,
  unpaidPlan,
  campaignsOfRefs,
});

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
  startOnCoordinator(() =>
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

export type Networks = {
  simulator: Simulator;
  cloud: Cloud;
  health: HealthRecorder;
  channels: Channels;
  /** @returns stops receiving */
  start: (sinks: Sinks) => Promise<() => Promise<void>>;
};

export function openNetworks(infra: Infra, pools: Pools, given: Given): Networks {
  const { allAccountsSql } = pools;
  const { config, now, report } = infra;
  const parts = { ...given, allAccountsSql };
  const health = openHealthRecorder({ allAccountsSql, now, report });
  const cloud = openCloudChannel(infra, pools, { ...given, health });
  const web = openWhatsappWeb(infra, parts);
  const scanStandIn = web?.scanStandIn ?? (() => false);
  const simulator = openSimulated(infra, { ...parts, scanStandIn });
  const channels = channelsOf(
    ...(config.SIMULATOR ? [simulator.channel] : []),
    ...(config.CHANNEL_CLOUD ? [cloud.channel] : []),
    ...(web ? [web.channel] : []),
  );
  return {
    simulator,
    cloud,
    health,
    channels,
    async start(sinks) {
      for (const channel of channels.values()) await channel.start(sinks);
      return async () => {
        for (const channel of channels.values()) await channel.close();
      };
    },
  };
}

type Given = {
  connecting: ConnectDeps;
  media: Media;
  billing: BillingDeps;
  subscribers: Subscribers;
  /** Late: messages are opened together with the networks. */
  messages: () => Messages;
};

type Parts = Pick<Pools, 'allAccountsSql'> & Pick<Given, 'connecting' | 'media' | 'billing'>;

type CloudParts = Pick<Given, 'subscribers' | 'media' | 'messages'> & { health: HealthRecorder };

const openCloudChannel = (
  { config, now, report, secrets }: Infra,
  { allAccountsSql, tenantSql: sql }: Pools,
  { messages, subscribers, media, health }: CloudParts,
): Cloud =>
  openCloud({
    subscribers,
    media,
    health,
    sql,
    allAccountsSql,
    config,
    secrets,
    queueNotice,
    now,
    report,
    origin: config.PUBLIC_URL ?? `http://localhost:${config.PORT}`,
    sinks: {
      receipts: (receipts) => messages().sinks.receipts(receipts),
      inbound: subscribers.messageArrived,
      identified: (known) => messages().sinks.identified(known),
    },
    completeInbound: (inbound) => messages().completeInbound(inbound),
    onTemplates: (accountId) => messages().syncTemplates(accountId),
    tokensOfMessages: (named) => tokensOfMessages(allAccountsSql, named),
  });

function openSimulated(
  { clock, config, now, place, report }: Infra,
  {
    allAccountsSql,
    billing,
    connecting,
    media: { files, library },
    scanStandIn,
  }: Parts & Pick<WhatsappWeb, 'scanStandIn'>,
): Simulator {
  return openSimulator({
    allAccountsSql,
    config,
    connecting,
    library,
    show: (accountId, type, body) => chatContentOf({ accountId, type, body }, files.link),
    now,
    moveClock: clock.move && ((to) => moveClock({ clock, place }, billing, to)),
    receiveBankLine: isSimulatedBank(config.BANK_NUMBER)
      ? (line) => receiveBankLine({ allAccountsSql, config, now }, line)
      : undefined,
    scanStandIn,
    report,
  });
}

/** Moves the clock and runs the jobs that become due at once. */
async function moveClock(
  { clock, place }: Pick<Infra, 'clock' | 'place'>,
  billing: BillingDeps,
  to: Date,
): Promise<void> {
  clock.move?.(to);
  await place.inEach(async () => {
    await expireTopups(billing);
    await runBilling(billing);
  });
}

/**
 * Reactions of one domain to events of another. All but `messageArrived` run in its transaction.
 */
export type Subscribers = TokenSubscribers & {
  accountOpened: AccountOpened;
  systemAccountOpened: AccountOpened;
  messageReceived: (tx: Tx, received: Received) => Promise<void>;
  messageArrived: (inbound: Inbound) => Promise<void>;
};

type Deps = {
  config: Pick<Config, 'SALDO_ALERT' | 'WELCOME_BONUS' | 'WELCOME_BONUS_USE'>;
  now: () => Date;
  sinks: () => Sinks;
  connecting: () => ConnectDeps;
};

const announceToken = (
  tx: Tx,
  kind: 'token.linked' | 'token.connected' | 'token.disconnected',
  { accountId, tokenId, name, phone }: TokenPhone,
): Promise<void> =>
  appendEvent(tx, { accountId, kind, data: { token_id: publicId('token', tokenId), name, phone } });

/** Reactions to changes of tokens: lanes, channels, webhooks and open tabs follow. */
export const tokenSubscribers: TokenSubscribers = {
  tokenCreated: createLane,
  tokenLinked: async (tx, token) => {
    await wakeLane(tx, token);
    await announceToken(tx, 'token.linked', token);
    await announceToken(tx, 'token.connected', token);
  },
  tokenUnlinked: (tx, token) => announceToken(tx, 'token.disconnected', token),
  tokenMoved: async (tx, move) => {
    const blocker = await leaveChannel(tx, move);
    if (blocker === 'sending') throw new Refusal('channel_busy', {});
    if (blocker) throw new Refusal('channel_waiting', blocker);
    await forgetConnection(tx, move);
  },
  tokenDeleted: deleteTokenWebhook,
  tokenChanged: (tx, { accountId, tokenId }) =>
    appendEvent(tx, {
      accountId,
      kind: 'token.changed',
      data: { token_id: publicId('token', tokenId) },
    }),
};

export const createSubscribers = ({ config, now, sinks, connecting }: Deps): Subscribers => ({
  ...tokenSubscribers,
  accountOpened: async (tx, accountId, isNewNumber) => {
    await openWallet(tx, accountId);
    await openSubscription(tx, accountId, now());
    if (isNewNumber) await creditWelcomeBonus(tx, accountId, config);
    if (config.SALDO_ALERT > 0) await saveAlert(tx, accountId, config.SALDO_ALERT);
  },
  systemAccountOpened: openWallet,
  messageReceived: queueNotices,
  messageArrived: async (inbound) => {
    await sinks().inbound(inbound);
    await unlinkByReply(connecting(), inbound);
  },
});

async function creditWelcomeBonus(
  tx: Tx,
  accountId: string,
  { WELCOME_BONUS, WELCOME_BONUS_USE }: Deps['config'],
): Promise<void> {
  if (WELCOME_BONUS === 0) return;
  await postEntry(tx, {
    accountId,
    kind: 'bonus',
    delta: rupiah(WELCOME_BONUS),
    contra: 'exp:bonus',
    refType: 'account',
    refId: accountId,
    idemKey: 'bonus:welcome',
    actor: 'system',
    memo: 'Bonus selamat datang',
  });
  if (WELCOME_BONUS_USE === 'own') await restrictToBonus(tx, accountId, true);
}

async function unlinkByReply(deps: ConnectDeps, inbound: Inbound): Promise<void> {
  const { accountId, tokenId, from, type, body } = inbound;
  const text = type === 'text' ? body['text'] : undefined;
  if (typeof text === 'string') await handleUndo(deps, { accountId, tokenId, from, text });
}

export type WhatsappWeb = {
  channel: Channel;
  /** False when the code belongs to another network. */
  scanStandIn: (text: string, phone: string) => boolean;
};

type WhatsappWebParts = Pick<Pools, 'allAccountsSql'> & { connecting: ConnectDeps; media: Media };

/** Delays of the stand-in where people try the product, in milliseconds. */
const lifelike = { receiptsMs: 800, qrMs: 20_000 };

/** Opens the channel `web`; undefined where it is disabled. */
export function openWhatsappWeb(
  { config, log, now, place, report, secrets }: Infra,
  { allAccountsSql, connecting, media: { files, library } }: WhatsappWebParts,
): WhatsappWeb | undefined {
  if (!config.CHANNEL_WEB) return undefined;
  const standIn = config.WEB_ENGINE === 'stand-in' ? openStandIn(lifelike) : undefined;
  const channel = openWebChannel({
    allAccountsSql,
    secrets,
    engine: standIn ?? openThreadedEngine({ url: config.WEB_URL, report }),
    connecting,
    library,
    readFile: files.read,
    subscribers: connecting.subscribers,
    startEach: place.startEach,
    queueNotice,
    now,
    log,
    report,
    timings: usualTimings,
  });
  return { channel, scanStandIn: (text, phone) => standIn?.scan(text, phone) ?? false };
}
