import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import type { ChannelName } from '#contract/tokens.ts';
import { Refusal, refusalFrom } from '#contract/base/refusals.ts';
import type { Accepted, ApiMessage, PlacedMessage } from '#contract/rest/messages.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import {
  hashOf,
  type AnswerContext,
  type Item,
  type ItemResult,
  type Placed,
} from './submit/accept.ts';
import { choicesIn, markSendsChoices } from './choices.ts';
import { withdraw } from './dispatch/withdraw.ts';
import { knownNumbers, recordSentCards } from './contacts.ts';
import { markRead } from './conversations.ts';
import {
  type ApiPage,
  type ListQuery,
  type Reader,
  listForApi,
  messageForApi,
} from './history/detail.ts';
import { reschedule } from './schedule.ts';
import { type SendDeps, channelOf, lookUp, itemFrom, refusalOf } from './submit/place.ts';
import {
  type ApiHandlers,
  type ApiReader,
  type KeyHolder,
  uuidIn,
} from '#server/infra/endpoints.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

/** The token that a call sends for, and its channel when it was read. */
export type Sender = Pick<KeyHolder, 'accountId' | 'tokenId' | 'channel' | 'readAtMs'>;

export type SendRequest = {
  sender: Sender;
  messages: readonly PlacedMessage[];
  key: string | undefined;
  /** The language and the extra fields of the answer: a repeat must have the same shape. */
  answer: { language: string; shape: string };
  /** Identity of a repeat, when the messages contain computed values; default: the messages. */
  identity?: unknown;
};

/**
 * One result per message, in order: accepted, or the refusal. For a repeated key, the first answer in its language.
 */
export type SendResponse = {
  results: readonly (Accepted | Refusal)[];
  saldo: number;
  replayed: boolean;
  language: string;
  at: number;
};

export type ApiMessages = {
  send: (request: SendRequest) => Promise<SendResponse>;
  list: (sender: Sender, query: ListQuery, reader: ApiReader) => Promise<ApiPage>;
  one: (sender: Sender, id: string, reader: ApiReader) => Promise<ApiMessage>;
  cancel: (sender: Sender, id: string, reader: ApiReader) => Promise<ApiMessage>;
  reschedule: (sender: Sender, id: string, at: Date, reader: ApiReader) => Promise<ApiMessage>;
  known: (accountId: string, numbers: readonly string[]) => Promise<ReadonlySet<string>>;
  markRead: (sender: Sender, peer: string) => Promise<unknown>;
};

/** The messages' side of `/v1`. A token sees and sends its own messages only. */
export function openApiMessages(deps: SendDeps): ApiMessages {
  const { sql, offerFile, onWork } = deps;
  const one = (sender: Sender, id: string, reader: ApiReader) =>
    ownMessage(sql, sender, id, { ...reader, offerFile });
  return {
    send: (request) => send(deps, request),
    list: ({ accountId, tokenId }, query, reader) =>
      listForApi(sql, { accountId, tokenId, ...query }, { ...reader, offerFile }),
    one,
    cancel: async (sender, id, reader) => {
      await one(sender, id, reader);
      await withdraw(sql, sender.accountId, messageUuid(id));
      return one(sender, id, reader);
    },
    reschedule: async (sender, id, at, reader) => {
      await one(sender, id, reader);
      const { accountId, tokenId } = sender;
      await reschedule(deps, { accountId, tokenId, messageId: messageUuid(id) }, at);
      onWork([tokenId]);
      return one(sender, id, reader);
    },
    known: (accountId, numbers) =>
      asAccount(sql, accountId, (tx) => knownNumbers(tx, accountId, numbers)),
    markRead: (sender, peer) => markRead(sql, sender.accountId, { token_id: sender.tokenId, peer }),
  };
}

/** The endpoints that read and cancel messages; sending is `http/v1/send.ts`, which reads the body itself. */
export const messageEndpoints = ({
  list,
  one,
  cancel,
}: ApiMessages): ApiHandlers<'listMessages' | 'getMessage' | 'cancelMessage'> => ({
  listMessages: async ({ sender, query, reader }) => {
    const { messages: data, next: next_cursor } = await list(sender, query, reader);
    return { data, next_cursor };
  },
  getMessage: ({ sender, id, reader }) => one(sender, id, reader),
  cancelMessage: ({ sender, id, reader }) => cancel(sender, id, reader),
});

async function ownMessage(sql: Sql, sender: Sender, id: string, reader: Reader) {
  const ref = { accountId: sender.accountId, messageId: messageUuid(id) };
  const message = await messageForApi(sql, ref, reader);
  if (message.token !== publicId('token', sender.tokenId))
    throw new Refusal('not_found', { what: MESSAGE });
  return message;
}

/**
 * Looks up references first: messages with a missing one are refused, the others are accepted. A repeat gets the first
 * answer, regardless of references that were removed or added since.
 */
async function send(deps: SendDeps, request: SendRequest): Promise<SendResponse> {
  const { intake, prices, now } = deps;
  const { sender, messages, key, answer } = request;
  const { accountId, tokenId } = sender;
  const channel = await presentChannel(deps.sql, sender);
  const found = await lookUp(deps, { accountId, tokenId, channel }, messages);
  const refused = refusedOf(found);
  const isRepeat =
    refused.length > 0 && key !== undefined && (await isAnswered(deps.sql, sender, key));
  const context: AnswerContext = {
    at: now().getTime(),
    price: prices.message(),
    ...(channel === 'cloud' && { cloudPrices: prices.cloud() }),
    simulated: channel === 'simulator',
    ...answer,
    ...(refused.length > 0 && !isRepeat && { refused }),
  };
  const itemsOf = ({ at, price, cloudPrices, refused: left = [] }: AnswerContext) =>
    messages.flatMap((message, index) => {
      if (left.some((one) => one.index === index)) return [];
      const known = found[index];
      const own = known instanceof Refusal ? undefined : known;
      return [itemFrom(message, { tokenId, price, cloudPrices, now: new Date(at), found: own })];
    });
  const items = itemsOf(context);
  if (items.length === 0) return refusedWhole(deps, request, found);
  if (items.some(({ type, body }) => choicesIn(type, body))) {
    await asAccount(deps.sql, accountId, (tx) => markSendsChoices(tx, { accountId, tokenId }));
  }
  await recordSentCards(deps.sql, accountId, items);
  const hash = key === undefined ? noHash : hashOf(request.identity ?? messages);
  const placed = await intake.accept({ accountId, tokenId, key, hash, context, items });
  const firstContext = placed.context ?? context;
  if (firstContext.shape !== context.shape) throw new Refusal('idempotency_conflict', {});
  // If the key was deleted in between (after 30 days), all items were accepted despite missing references.
  const shownItems = placed.replayed ? itemsOf(firstContext) : items;
  const { results, ...sent } = sentFrom(placed, shownItems, firstContext);
  return {
    ...sent,
    results: withRefused(results, firstContext),
    language: firstContext.language,
    at: firstContext.at,
  };
}

const SENDER_MS = 2_000;

/** The channel whose prices and rules apply; a token may have moved while a long body arrived. */
const presentChannel = async (sql: Sql, sender: Sender): Promise<ChannelName> =>
  performance.now() - sender.readAtMs < SENDER_MS
    ? sender.channel
    : asAccount(sql, sender.accountId, (tx) => channelOf(tx, sender));

type Refused = NonNullable<AnswerContext['refused']>;

const refusedOf = (found: readonly unknown[]): Refused =>
  found.flatMap((one, index) =>
    one instanceof Refusal ? [{ index, code: one.code, facts: one.facts }] : [],
  );

function withRefused(
  placed: readonly (Accepted | Refusal)[],
  { refused = [] }: AnswerContext,
): readonly (Accepted | Refusal)[] {
  const results = [...placed];
  for (const { index, code, facts } of refused) {
    const refusal = refusalFrom({ type: code, facts });
    if (!refusal) throw new Error(`a stored refusal is not known: ${code}`);
    results.splice(index, 0, refusal);
  }
  return results;
}

async function refusedWhole(
  { sql, now }: SendDeps,
  { sender: { accountId }, answer: { language } }: SendRequest,
  found: readonly unknown[],
): Promise<SendResponse> {
  const { available } = await asAccount(sql, accountId, (tx) => walletOf(tx, accountId));
  const results = found.filter((one) => one instanceof Refusal);
  return { results, saldo: available, replayed: false, language, at: now().getTime() };
}

async function isAnswered(sql: Sql, { accountId, tokenId }: Sender, key: string): Promise<boolean> {
  const stored = await asAccount(
    sql,
    accountId,
    (tx) => tx`
      select from idempotency_keys
      where account_id = ${accountId} and token_id = ${tokenId} and key = ${key}`,
  );
  return stored.length > 0;
}

const noHash = Buffer.alloc(0);
const MESSAGE = 'Pesan';

const messageUuid = (id: string): string => uuidIn('message', id, MESSAGE);

function sentFrom(placed: Placed, items: readonly Item[], { simulated }: AnswerContext) {
  const results = placed.results.map((result, index) => {
    const item = items[index];
    if (!item) throw new Error('more results than messages');
    return refusalOf(result, item) ?? acceptedFrom(result, item, placed, simulated);
  });
  return { results, saldo: placed.saldo, replayed: placed.replayed };
}

/** `saldo` is the saldo after the whole request, also for one message of many. */
const acceptedFrom = (
  result: ItemResult,
  item: Item,
  placed: Placed,
  simulated: boolean,
): Accepted => ({
  id: publicId('message', result.id),
  status: item.readyAt === undefined ? 'accepted' : 'scheduled',
  price: rupiah(result.price ?? item.price),
  saldo: placed.saldo,
  ...(item.ref !== undefined && { ref: item.ref }),
  ...(result.outcome === 'duplicate' && { duplicate: true as const }),
  simulated,
});
