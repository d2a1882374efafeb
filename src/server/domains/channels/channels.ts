import type { Failure, MessageType } from '#contract/messages.ts';
import type {
  TemplateCategory,
  TemplateFile,
  TemplateStatus,
} from '#contract/messages/templates.ts';
import { ChannelName } from '#contract/tokens.ts';
import { type TokenRef, readToken } from '#server/domains/tokens/tokens.ts';
import type { FailedItem } from '#server/infra/postgres/batches.ts';
import { type PriceCategory, listChannels, getConnection } from '#contract/channels.ts';
import type { Rupiah } from '#contract/base/money.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { Config } from '#server/infra/config.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { readConnection } from './health.ts';
import { publicId } from '#contract/base/ids.ts';
import {
  type AccountData,
  type AccountDataDeps,
  type Row,
  atOnce,
  eraseRows,
} from '#server/infra/account-data.ts';

type Named = Row & { token_id: string };
const withId = ({ token_id, ...facts }: Named): Row => ({
  token: publicId('token', token_id),
  ...facts,
});

/** Account data: what real networks store of an account; of secrets, only that they exist. */
export const channelsAccountData = ({ sql, allAccountsSql }: AccountDataDeps): AccountData => ({
  subjects: (accountId) => [
    { name: 'sambungan', rows: () => atOnce(() => connectionsOf(sql, accountId)) },
    {
      name: 'nomor-cloud-api',
      rows: () => atOnce(() => cloudNumbersOf(allAccountsSql, accountId)),
    },
  ],
  close: async (accountId) => {
    await allAccountsSql`delete from cloud_numbers where account_id = ${accountId}`;
  },
  erase: async ({ accountId }) => {
    await allAccountsSql`delete from cloud_numbers where account_id = ${accountId}`;
    for (const table of [
      'cloud_group_messages',
      'cloud_inbound',
      'cloud_media',
      'cloud_refs',
      'connection_spans',
      'connections',
      'provider_answers',
    ] as const) {
      await eraseRows(allAccountsSql, table, accountId);
    }
  },
});

const connectionsOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(sql, accountId, async (tx) => {
    const found = await tx<Named[]>`
      select token_id, channel, since, disconnected_at, disconnect_reason, restriction, restricted_at,
        restricted_until, last_receipt_at
      from connections where account_id = ${accountId} order by token_id`;
    return found.map(withId);
  });

async function cloudNumbersOf(allAccountsSql: Sql, accountId: string): Promise<Row[]> {
  const found = await allAccountsSql<Named[]>`
    select token_id, phone_number_id, waba_id, verified_name, quality, connected_at, verified_at,
      called_back_at
    from cloud_numbers where account_id = ${accountId} order by token_id`;
  return found.map(withId);
}

type Offering = Pick<Config, 'SIMULATOR' | 'CHANNEL_CLOUD' | 'CHANNEL_WEB'>;

export const isOffered = (config: Offering, channel: ChannelName): boolean =>
  ({ simulator: config.SIMULATOR, cloud: config.CHANNEL_CLOUD, web: config.CHANNEL_WEB })[channel];

type OffersDeps = {
  sql: Sql;
  config: Offering;
  priceOf: (category: PriceCategory, at: Date) => Rupiah;
  now: () => Date;
};

const categoriesOf: Record<ChannelName, readonly PriceCategory[]> = {
  simulator: ['message'],
  cloud: ['marketing', 'utility', 'authentication', 'service'],
  web: ['message'],
};

export const channelActs = ({ sql, config, priceOf, now }: OffersDeps): readonly ActHandler[] => [
  handle(listChannels, async () => ({
    channels: ChannelName()
      .options.filter((channel) => isOffered(config, channel))
      .map((channel) => ({
        channel,
        prices: categoriesOf[channel].map((category) => ({
          category,
          price: priceOf(category, now()),
        })),
      })),
  })),
  handle(getConnection, ({ caller: { accountId } }, { token_id: tokenId }) =>
    asAccount(sql, accountId, async (tx) => {
      const token = await readToken(tx, accountId, tokenId);
      if (token.channel === 'simulator') return null;
      return (await readConnection(tx, { accountId, tokenId }, now())) ?? null;
    }),
  ),
];

export {
  answersByCode,
  connectedNumbers,
  countClosings,
  countNumbers,
  countUnreadable,
  readConnection,
  forgetConnection,
  pruneHealth,
  countPauses,
  type HealthRecorder,
  openHealthRecorder,
} from './health.ts';

/**
 * Content of a message, as stored in `messages.body`:
 * text `{ text }` · image, video, audio, document, sticker `{ link, caption, filename }` ·
 * location `{ latitude, longitude, name, address }` · contact `{ name, phone, phones, organization, email }` ·
 * template `{ template, language, text, header, footer, buttons }`, plus the fields of the file above its text, if any,
 * with its kind in `header_file` · reaction `{ message_id, emoji }` · other `{ kind, text }` (`other-content.ts`).
 * An edited message has `edited_at`; a message deleted by its sender has only `revoked_at` and its file. Inbound media
 * have `{ file, mime, caption }`, where `file` is the UUID of a library file, or `{ missing }` if it could not be
 * stored. A reply or reaction has `quoted: { direction, type, text, provider_id }`, with `provider_id` only for an
 * inbound message. `choices` lists the receiver's options, only to read their answer: the text names them already.
 */
export type MessageBody = Readonly<Record<string, unknown>>;

export type Outgoing = {
  accountId: string;
  tokenId: string;
  /** Our id; also the provider's if the channel preallocates it. */
  messageId: string;
  /** The linked phone: digits with the country code. */
  from: string;
  to: string;
  type: MessageType;
  body: MessageBody;
  /** The real text if `body` only has a mask (an OTP). Never logged or stored by a driver. */
  text?: string;
  /** True when an earlier try may already have reached the phone. */
  possibleDuplicate: boolean;
  /** Number of this try, from 1. */
  attempt: number;
};

/**
 * The network's answer to one try.
 *
 * `sent`: accepted, receipts follow. `failed`: a definite refusal for good. `later`: a definite refusal for now; a
 * retry is safe after `afterMs`, and `failure` is the reason if the tries run out. `held`: a definite refusal that is
 * not the message's fault: it waits, and its tries do not run out. With `stops` the number itself is refused and sends
 * nothing for `afterMs`.
 * A driver that throws, or exceeds `timeoutMs`, leaves the outcome unknown; only `StoreAway` means that nothing was
 * tried, because the message's file cannot be read now.
 */
export type SendResult =
  | { outcome: 'sent' }
  | { outcome: 'failed'; failure: Failure }
  | { outcome: 'later'; afterMs: number; failure: Failure }
  | { outcome: 'held'; afterMs: number; failure: Failure; stops: boolean };

/** A network's report on a sent message. Reports come in any order, any number of times. */
export type Receipt = {
  accountId: string;
  /** The reporting token, if its network may name messages of others: those are ignored. */
  tokenId?: string;
  messageId: string;
  /** `sent` if the network reports it apart from its answer, which may have been lost. */
  status: 'sent' | 'delivered' | 'read' | 'failed';
  failure?: Failure;
  at: Date;
};

export type Inbound = {
  accountId: string;
  tokenId: string;
  from: string;
  name?: string;
  type: MessageType;
  body: MessageBody;
  at: Date;
  providerId: string;
  /** The id it is stored under, created on arrival: it may be stored after later messages. */
  messageId?: string;
  /** The provider's id of the quoted or reacted-to message; of ours, our id if the channel preallocates it. */
  quotes?: string;
  /**
   * It changes an earlier message of this sender: `providerId` names that one, `text` is its new text; without `text`
   * it is deleted. Stored as a message itself only if the earlier one does not exist.
   */
  changes?: { providerId: string; text?: string };
};

/**
 * Receivers of a channel's deliveries. A call that resolves has stored its input for good; after one that throws, the
 * driver delivers again, so both are idempotent. `receipts` stores all but the ones it returns.
 */
export type Sinks = {
  receipts(receipts: readonly Receipt[]): Promise<readonly FailedItem<Receipt>[]>;
  inbound(inbound: Inbound): Promise<void>;
  /** The number of a hidden peer has become known: its conversation continues under the number. */
  identified(known: Identified): Promise<void>;
};

export type Identified = { accountId: string; tokenId: string; hidden: string; peer: string };

/** Kind of a button: a reply, a URL or a code filled in per message, or none of these. */
export type TemplateButtonKind = 'reply' | 'url' | 'code' | 'fixed';

export type NetworkTemplate = {
  tokenIds: readonly string[];
  networkId: string;
  name: string;
  language: string;
  category: TemplateCategory;
  status: TemplateStatus;
  /** True if the network has approved it, even if it cannot be sent from here. */
  isLive: boolean;
  reason: string | null;
  header: string | null;
  headerFile: TemplateFile | null;
  body: string;
  footer: string | null;
  buttons: string[];
  /** Kind of each button; empty for a template of codes, whose button gets the code by itself. */
  buttonKinds: TemplateButtonKind[];
};

/** The numbers of a channel that one worker holds at a time: their lanes run only there. */
export type HeldNumbers = {
  held(): readonly string[];
  /** Least milliseconds between two messages of a number; 0 means the pace of its lane. */
  paceMs(tokenId: string): number;
};

/**
 * Pauses of numbers whose network is silent or refuses all messages. After a pause one message is tried alone; its
 * result ends the pause, or begins a longer one.
 */
export type Pauses = {
  /** Remaining pause; 0 if one message is to be tried alone; undefined if the number is not paused. */
  remainingMs(token: TokenRef): Promise<number | undefined>;
  /** Queries the network, without a message, whether a number may send. @returns the remaining pause */
  probe(token: TokenRef): Promise<number>;
  /**
   * Reports a try without an answer. Never throws.
   *
   * @param isSecond an earlier try of the same message had no answer
   * @returns the pause of its number; 0 if it continues
   */
  silent(token: TokenRef, isSecond: boolean): Promise<number>;
};

/** A way to reach phones: it tries once and returns the answer, without saldo, lanes or retries. */
export type Channel = {
  readonly name: ChannelName;
  /** True if the same message id sent twice is one message at the provider. */
  readonly preallocates: boolean;
  readonly timeoutMs: number;
  readonly numbers?: HeldNumbers;
  readonly pauses?: Pauses;
  /** Tries once; `signal` aborts at the timeout, or when the lane is given up. */
  send(message: Outgoing, signal: AbortSignal): Promise<SendResult>;
  /** Starts delivering receipts and inbound messages. Sending works before that, too. */
  start(sinks: Sinks): Promise<void>;
  close(): Promise<void>;
};

export type Channels = ReadonlyMap<ChannelName, Channel>;

export const channelsOf = (...channels: readonly Channel[]): Channels =>
  new Map(channels.map((channel) => [channel.name, channel]));
