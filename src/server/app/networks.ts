import { type BillingWorkDeps, runBilling } from '#server/domains/billing/billing.ts';
import {
  type Channels,
  type HealthRecorder,
  type Sinks,
  channelsOf,
  openHealthRecorder,
} from '#server/domains/channels/channels.ts';
import { type Cloud, openCloud } from '#server/domains/channels/cloud/cloud.ts';
import { type Simulator, openSimulator } from '#server/domains/channels/simulator/simulator.ts';
import type { Media } from '#server/domains/media/media.ts';
import { type Messages, contentOf, tokensOfMessages } from '#server/domains/messages/messages.ts';
import { expireTopups, receiveBankLine } from '#server/domains/payments/payments.ts';
import { queueNotice } from '#server/domains/push/push.ts';
import type { ConnectDeps } from '#server/domains/tokens/tokens.ts';
import { isSimulatedBank } from '#server/infra/config.ts';
import type { Infra, Pools } from './infra.ts';
import type { Subscribers } from './subscribers.ts';
import { type WhatsappWeb, openWhatsappWeb } from './whatsapp-web.ts';

/** The phone networks of this installation. */
export type Networks = {
  simulator: Simulator;
  cloud: Cloud;
  health: HealthRecorder;
  /** Those that are switched on, for messages. */
  channels: Channels;
  /** Begins to bring receipts and messages. @returns ends it. */
  start: (sinks: Sinks) => Promise<() => Promise<void>>;
};

/** Opens the phone networks. */
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
  billing: BillingWorkDeps;
  subscribers: Subscribers;
  /** They are opened with the networks. */
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
      inbound: subscribers.messageCame,
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
    show: (accountId, type, body) => contentOf({ accountId, type, body }, files.link),
    now,
    moveClock: clock.move && ((to) => moveClock({ clock, place }, billing, to)),
    receiveBankLine: isSimulatedBank(config.BANK_NUMBER)
      ? (line) => receiveBankLine({ allAccountsSql, config, now }, line)
      : undefined,
    scanStandIn,
    report,
  });
}

/** Moves the clock, and does at once what is due then instead of within a minute. */
async function moveClock(
  { clock, place }: Pick<Infra, 'clock' | 'place'>,
  billing: BillingWorkDeps,
  to: Date,
): Promise<void> {
  clock.move?.(to);
  await place.inEach(async () => {
    await expireTopups(billing);
    await runBilling(billing);
  });
}
