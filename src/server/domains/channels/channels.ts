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
import { type AccountData, type Row, atOnce, eraseRows } from '#server/infra/account-data.ts';

type Deps = {
  /** One account at a time. */
  sql: Sql;
  /** Sees all: numbers are looked up globally. */
  allAccountsSql: Sql;
};

type Named = Row & { token_id: string };
const withId = ({ token_id, ...facts }: Named): Row => ({
  token: publicId('token', token_id),
  ...facts,
});

/** What real networks know of an account's numbers; of their secrets only that there are some. */
export const channelsAccountData = ({ sql, allAccountsSql }: Deps): AccountData => ({
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
      select token_id, channel, since, parted_at, parted_reason, restriction, restricted_at,
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

/** Whether an installation lets tokens use a channel. */
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

/** The acts of channels: which there are, what they cost, and how a token's number stands in its own. */
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
 * What a message says, as stored in `messages.body`:
 * text `{ text }` · image, video, audio, document, sticker `{ link, caption, filename }` ·
 * location `{ latitude, longitude, name, address }` · contact `{ name, phone, phones, organization, email }` · template
 * `{ template, language, text, header, footer, buttons }`, with the fields of a file where one is above its text, of the
 * kind `header_file` · reaction `{ message_id, emoji }` · other `{ kind, text }` (`other-content.ts`). What its sender edited has
 * `edited_at`; a message that its sender deleted keeps `revoked_at` and its file alone. Inbound media carry
 * `{ file, mime, caption }` where `file` is the UUID of a file of the library, or `{ missing }` where it could not be kept. What answers or reacts to a message says of
 * it `quoted: { direction, type, text, provider_id }`, the last only of one that came in. What its receiver may
 * choose is `choices`, for their answer alone: the words name it already.
 */
export type MessageBody = Readonly<Record<string, unknown>>;

/** One message on its way to a phone. */
export type Outgoing = {
  accountId: string;
  tokenId: string;
  /** Ours; where the channel preallocates it is also the provider's. */
  messageId: string;
  /** The linked phone, digits with the country in front. */
  from: string;
  to: string;
  type: MessageType;
  body: MessageBody;
  /** The text itself where `body` only shows a mask (an OTP). Never logged, never kept by a driver. */
  text?: string;
  /** True when an earlier try may already have reached the phone. */
  possibleDuplicate: boolean;
  /** From 1: which try this is. */
  attempt: number;
};

/**
 * What the network said to one try.
 *
 * `sent`: taken, receipts follow. `failed`: a definite no, for good. `later`: a definite no for now;
 * trying again is safe after `afterMs`, and `failure` is the reason should the tries run out. `held`: a definite no that
 * is not the message's fault: it waits, and its tries do not run out. With `stops` the number itself is refused, and
 * sends no message for `afterMs`.
 * A driver that throws, or does not answer in `timeoutMs`, leaves the outcome unknown; only `StoreAway` says that nothing
 * was tried, as the message's file cannot be read now.
 */
export type SendResult =
  | { outcome: 'sent' }
  | { outcome: 'failed'; failure: Failure }
  | { outcome: 'later'; afterMs: number; failure: Failure }
  | { outcome: 'held'; afterMs: number; failure: Failure; stops: boolean };

/** What the network says of a message after it was sent: in any order, any number of times. */
export type Receipt = {
  accountId: string;
  /** The token whose network says it, where that may name messages of others: it touches none of those. */
  tokenId?: string;
  messageId: string;
  /** `sent` where the network tells it apart from the answer to the try, which may have been lost. */
  status: 'sent' | 'delivered' | 'read' | 'failed';
  failure?: Failure;
  at: Date;
};

/** A message from a phone to a linked number. */
export type Inbound = {
  accountId: string;
  tokenId: string;
  from: string;
  /** The name the phone goes by, where the network tells it. */
  name?: string;
  type: MessageType;
  body: MessageBody;
  at: Date;
  /** The provider's id of it: the same id twice is the same message. */
  providerId: string;
  /** The id that it is stored under, made when it came: it may be stored later than what came after it. */
  messageId?: string;
  /** The provider's id of the message that it answers by quoting, or reacts to. Of ours, where the channel preallocates, our own. */
  quotes?: string;
  /**
   * It changes an earlier message of this sender: `providerId` names that one, `text` is what it says now; without
   * `text` it is deleted. Stored as a message itself only where the earlier one is not there.
   */
  changes?: { providerId: string; text?: string };
};

/**
 * Who takes what a channel brings. A call that resolves has kept it for good; one that throws makes the
 * driver bring it again, so both take repeats. Of receipts, all are kept but those that are answered.
 */
export type Sinks = {
  receipts(receipts: readonly Receipt[]): Promise<readonly FailedItem<Receipt>[]>;
  inbound(inbound: Inbound): Promise<void>;
  /** The number of peers whose number was hidden has become known: their conversation goes on under the number. */
  identified(known: Identified): Promise<void>;
};

/** A hidden peer and the number that the network has disclosed. */
export type Identified = { accountId: string; tokenId: string; hidden: string; peer: string };

/** What a button is: a reply, an address or a code that every message fills in, or what needs nothing. */
export type TemplateButtonKind = 'reply' | 'url' | 'code' | 'fixed';

/** A template as the network that reviews it has it. */
export type NetworkTemplate = {
  /** The tokens whose numbers it belongs to. */
  tokenIds: readonly string[];
  networkId: string;
  name: string;
  language: string;
  category: TemplateCategory;
  status: TemplateStatus;
  /** Whether the network sends it: it has approved it, although it may not be one that is sent from here. */
  isLive: boolean;
  reason: string | null;
  header: string | null;
  /** The kind of the file above the text. */
  headerFile: TemplateFile | null;
  body: string;
  footer: string | null;
  buttons: string[];
  /** What each of the buttons is; empty of a template of codes, whose button gets the code by itself. */
  buttonKinds: TemplateButtonKind[];
};

/** The numbers of a channel that one worker holds at a time: their lanes run there and nowhere else. */
export type HeldNumbers = {
  /** Tokens whose numbers this worker holds, ready to send. */
  held(): readonly string[];
  /** Milliseconds between two messages of a number at least; 0: as its lane says. */
  paceMs(tokenId: string): number;
};

/**
 * Pauses of a channel's numbers: while their network does not answer or refuses every message. When a
 * pause is over one message is tried alone; what comes of it ends the pause, or begins a longer one.
 */
export type Pauses = {
  /** For how long a number stands still yet; 0: it is to be tried alone; undefined: it does not stand still. */
  remainingMs(token: TokenRef): Promise<number | undefined>;
  /** Asks the network whether a number may be tried, sending nothing. @returns for how long it stands still yet */
  probe(token: TokenRef): Promise<number>;
  /**
   * A try had no answer. Never throws.
   *
   * @param isSecond the same message had no answer before.
   * @returns for how long its number stands still now; 0: it goes on.
   */
  silent(token: TokenRef, isSecond: boolean): Promise<number>;
};

/** A way to reach phones. Knows nothing of saldo, lanes or retries: it tries once and says what it heard. */
export type Channel = {
  readonly name: ChannelName;
  /** True when the same message id sent twice is one message at the provider. */
  readonly preallocates: boolean;
  /** After this long without an answer the outcome of a try is unknown. */
  readonly timeoutMs: number;
  /** Only where a number belongs to one worker. */
  readonly numbers?: HeldNumbers;
  /** Only where a number may stand still although it is connected. */
  readonly pauses?: Pauses;
  /** Tries once; `signal` aborts at the time-out or when the lane is given up. */
  send(message: Outgoing, signal: AbortSignal): Promise<SendResult>;
  /** Begins to bring receipts and inbound messages. Sending works before, too. */
  start(sinks: Sinks): Promise<void>;
  /** Lets a running call end and brings nothing more; what is still due waits for the next start. */
  close(): Promise<void>;
};

export type Channels = ReadonlyMap<ChannelName, Channel>;

/** The channels of this installation, by name. */
export const channelsOf = (...channels: readonly Channel[]): Channels =>
  new Map(channels.map((channel) => [channel.name, channel]));
