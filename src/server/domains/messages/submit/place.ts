import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Choices } from '#contract/messages/captions.ts';
import {
  type MediaKind,
  bytesMaxOfKind,
  endingsOfKind,
  fitsKind,
  isMediaKind,
} from '#contract/media.ts';
import type { PlacedMessage, NewMessage } from '#contract/rest/messages.ts';
import type { CloudPrices, Prices } from '#server/domains/pricing/pricing.ts';
import { hashOf, type Intake, type Item, type ItemResult } from './accept.ts';
import {
  fileFacts,
  type Body,
  type FileLink,
  type OfferFile,
  excerptOf,
} from '#server/domains/messages/content.ts';
import { newId } from '#server/infra/ids.ts';
import { publicId, uuidOf, idFloor } from '#contract/base/ids.ts';
import { channelOfHidden } from '#contract/messages/peer.ts';
import type { ChannelName } from '#contract/tokens.ts';
import type { Direction, MessageStatus, MessageType } from '#contract/messages.ts';
import type { MediaFacts } from '#server/domains/media/media.ts';
import { type Question, choicesIn } from '#server/domains/messages/choices.ts';
import {
  type StoredTemplate,
  readTemplates,
  type RenderedTemplate,
  refuseUnfitValue,
  renderTemplate,
} from '#server/domains/messages/templates.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';

const priorities = { otp: 0, normal: 1, bulk: 2 } as const;
/** A `send_at` nearer than this leaves at once. */
const IMMEDIATE_MS = 1000;

type Placing = {
  tokenId: string;
  price: Rupiah;
  cloudPrices?: CloudPrices | undefined;
  now: Date;
  found?: Found | undefined;
};

/**
 * An API message as an item of the accept path, with its frozen price and its stored body. A reaction is free
 * (docs/decisions/009-templates-and-message-types.md).
 */
export function itemFrom(message: PlacedMessage, placing: Placing): Item {
  const { tokenId, now, found } = placing;
  const at = message.send_at === undefined ? undefined : new Date(message.send_at);
  const readyAt = at !== undefined && at.getTime() > now.getTime() + IMMEDIATE_MS ? at : undefined;
  const lifeMs = message.ttl === undefined ? undefined : message.ttl * 1000;
  return {
    id: newId(now.getTime()),
    tokenId,
    peer: message.to,
    type: message.type,
    body: bodyOf(message, found ?? {}),
    price: message.type === 'reaction' ? rupiah(0) : priceOf(placing),
    ref: message.ref,
    hash: message.ref === undefined ? noHash : hashOf(message),
    priority: priorities[message.priority ?? 'normal'],
    readyAt,
    expiresAt: lifeMs === undefined ? undefined : new Date((readyAt ?? now).getTime() + lifeMs),
  };
}

/**
 * By the Cloud API a template has the price of its category, and any other message is an answer within 24 hours.
 */
const priceOf = ({ price, cloudPrices, found }: Placing): Rupiah =>
  cloudPrices ? cloudPrices[found?.template?.category ?? 'service'] : price;

/** Only refs are compared by hash; an item without one needs none. */
const noHash = Buffer.alloc(0);

function bodyOf(message: PlacedMessage, found: Found): object {
  const { metadata } = message;
  const replyTo = message.type === 'reaction' ? undefined : message.reply_to;
  return {
    ...storedBodyOf(message, found),
    ...(replyTo !== undefined && { reply_to: replyTo }),
    ...(found.quoted !== undefined && { quoted: found.quoted }),
    ...(metadata !== undefined && { metadata }),
    ...choicesOf(message, found),
  };
}

/** The choices of its receiver, unless its body contains them, as the buttons of a template do. */
function choicesOf({ choices, interactive, payloads }: PlacedMessage, { template }: Found): object {
  if (choices !== undefined) return { choices, ...(interactive && { interactive }) };
  if (!template) return {};
  const { buttons = [], reply_places: known } = template;
  const replies = known ?? buttons.map((_, place) => place);
  if (buttons.length === 0 || (payloads ?? known) === undefined) return {};
  const options = replies.map((place) => {
    const title = buttons[place] ?? '';
    return { id: payloads?.[place] ?? title, title };
  });
  return { choices: { type: 'template', options } satisfies Choices };
}

function storedBodyOf(message: PlacedMessage, found: Found): object {
  switch (message.type) {
    case 'text':
      return { text: message.text.body };
    case 'image':
      return { ...sourceOf('image', message.image, found), caption: message.caption };
    case 'video':
      return { ...sourceOf('video', message.video, found), caption: message.caption };
    case 'audio':
      return sourceOf('audio', message.audio, found);
    case 'document':
      return { ...sourceOf('document', message.document, found), caption: message.caption };
    case 'sticker':
      return sourceOf('sticker', message.sticker, found);
    case 'location':
      return message.location;
    case 'contact':
      return cardOf(message.contact);
    case 'template':
      return templateOf(message.template, found);
    case 'reaction':
      return message.reaction;
  }
}

function templateOf({ header }: TemplateMessage['template'], found: Found): object {
  if (!found.template) return {};
  const { category: _, ...template } = found.template;
  const kind = template.header_file;
  if (kind === undefined || header === undefined) return template;
  const { link, id, filename } = header;
  const source = { link, id, ...(kind === 'document' && { filename }) };
  return { ...template, ...sourceOf(kind, source, found) };
}

type TemplateMessage = Extract<PlacedMessage, { type: 'template' }>;

type Source = { link?: string | undefined; id?: string | undefined; filename?: string | undefined };

function sourceOf(type: MediaKind, { id, ...source }: Source, { file }: Found): object {
  if (id === undefined || !file) return source;
  return { ...source, ...fileFacts(file, type, source) };
}

type Contact = Extract<PlacedMessage, { type: 'contact' }>['contact'];

function cardOf({ phones, ...contact }: Contact): object {
  if (!phones) return contact;
  return { ...contact, phone: phones[0], ...(phones.length > 1 && { phones }) };
}

export function refusalOf(result: ItemResult, item: { ref?: string | undefined; price: Rupiah }) {
  switch (result.outcome) {
    case 'accepted':
    case 'duplicate':
      return undefined;
    case 'ref_conflict':
      return new Refusal('ref_conflict', { ref: item.ref ?? '' });
    case 'saldo_short':
      return new Refusal('saldo_short', {
        required: rupiah(result.price ?? item.price),
        available: rupiah(result.fact ?? 0),
      });
    case 'limit':
      return new Refusal('token_limit_reached', { limit: result.fact ?? 0 });
    case 'opted_out':
      return new Refusal('recipient_opted_out', {});
    case 'not_linked':
      return new Refusal('token_not_linked', {});
    case 'bonus_only':
      return new Refusal('bonus_only', {});
    case 'suspended':
      return new Refusal('account_suspended', {});
    case 'frozen':
      return new Refusal('wallet_frozen', {});
  }
}

/**
 * Finds the files of media ids (UUIDs), for messages that are sent at these times: found files are kept until then.
 * Those of other accounts are not found.
 */
export type FindMedia = (
  accountId: string,
  leaving: ReadonlyMap<string, Date>,
) => Promise<ReadonlyMap<string, MediaFacts>>;

export const findNoMedia: FindMedia = async () => new Map();

/**
 * Excerpt of an answered message, independent of its later changes. `provider_id` is the network's own id of an inbound
 * message.
 */
type Quoted = {
  direction: Direction;
  type: MessageType;
  text: string;
  provider_id?: string;
};

type Found = {
  quoted?: Quoted;
  template?: RenderedTemplate;
  file?: MediaFacts;
};

type Sender = { accountId: string; tokenId: string };

/** For acts and endpoints that send messages or plan them. */
export type SendDeps = {
  sql: Sql;
  intake: Intake;
  prices: Prices;
  fileLink: FileLink;
  offerFile: OfferFile;
  findMedia: FindMedia;
  /** Called with tokens whose lanes have new work. */
  onWork: (tokenIds: readonly string[]) => void;
  now: () => Date;
};

/**
 * Looks up references of messages: the message they answer or react to, their template, their file; and, for a token of
 * the Cloud API, whether their receivers wrote within 24 hours. Messages without references, as most texts are, need no
 * query on other channels, which cannot send to hidden numbers.
 *
 * @returns one for each message, in order: what was found, or why it cannot be sent.
 */
export async function lookUp(
  { sql, findMedia, now }: Pick<SendDeps, 'sql' | 'findMedia' | 'now'>,
  { accountId, tokenId, channel }: Sender & { channel: ChannelName },
  messages: readonly PlacedMessage[],
): Promise<readonly (Found | Refusal)[]> {
  const isOpen =
    channel === 'cloud'
      ? await openWindows({ sql, now }, { accountId, tokenId }, messages)
      : undefined;
  const refusalOf = (message: PlacedMessage): Refusal | undefined =>
    (channelOfHidden(message.to) ?? channel) !== channel
      ? new Refusal('recipient_without_number', {})
      : refuseClosed(message, isOpen);
  const named = messages.flatMap((message) => messageNamedBy(message) ?? []);
  const templates = messages.flatMap((one) => (one.type === 'template' ? [one.template.name] : []));
  const media = leavingMedia(messages);
  if (named.length + templates.length + media.size === 0)
    return messages.map((message) => refusalOf(message) ?? noReferences);
  const [targets, stored] =
    named.length + templates.length === 0
      ? [new Map<string, Target>(), []]
      : await asAccount(sql, accountId, async (tx) => [
          await readTargets(tx, { accountId, tokenId }, named),
          reviewedFor({ tokenId, channel }, await readTemplates(tx, accountId, templates)),
        ]);
  const files: ReadonlyMap<string, MediaFacts> =
    media.size === 0 ? new Map() : await findMedia(accountId, media);
  return messages.map(
    (message) => refusalOf(message) ?? foundFor(message, { channel, targets, stored, files }),
  );
}

/**
 * By the Cloud API a number sends the templates that Meta has approved for its business account; others, also those of
 * another business account, count as not approved.
 */
const reviewedFor = (
  { tokenId, channel }: { tokenId: string; channel: ChannelName },
  stored: readonly StoredTemplate[],
): readonly StoredTemplate[] =>
  channel === 'cloud'
    ? stored.map((one) =>
        one.status === 'approved' && !one.token_ids.includes(tokenId)
          ? { ...one, status: 'pending' }
          : one,
      )
    : stored;

const noReferences: Found = {};

type Target = {
  message_id: string;
  peer: string;
  direction: Direction;
  type: MessageType;
  status: MessageStatus;
  body: Body;
};

type Known = {
  channel: ChannelName;
  targets: ReadonlyMap<string, Target>;
  stored: readonly StoredTemplate[];
  files: ReadonlyMap<string, MediaFacts>;
};

function foundFor(
  message: PlacedMessage,
  { channel, targets, stored, files }: Known,
): Found | Refusal {
  const found: Found = {};
  const named = messageNamedBy(message);
  if (named !== undefined) {
    const target = targets.get(named);
    if (!target || target.peer !== message.to || target.type === 'reaction')
      return new Refusal('quoted_not_found', {});
    if (message.type === 'reaction' && hasNotLeft.has(target.status))
      return new Refusal('reaction_refused', {});
    found.quoted = quotedOf(target);
  }
  if (message.type === 'template') {
    const { template, headerKind } = message;
    const rendered = renderTemplate(stored, { ...template, headerKind });
    if (rendered instanceof Refusal) return rendered;
    const unfit = channel === 'cloud' ? refuseUnfitValue(rendered) : undefined;
    if (unfit) return unfit;
    found.template = rendered;
  }
  const media = mediaNamedBy(message);
  if (media !== undefined) {
    const file = files.get(media);
    if (!file) return new Refusal('media_not_found', {});
    const unfit = refuseUnfit(file, found.template?.header_file ?? message.type);
    if (unfit) return unfit;
    found.file = file;
  }
  return found;
}

/** A file that was stored for no particular message type may not fit this one. */
function refuseUnfit({ mime, sizeBytes }: MediaFacts, type: MessageType): Refusal | undefined {
  if (!isMediaKind(type)) return undefined;
  const bytesMax = bytesMaxOfKind(type);
  if (fitsKind(type, mime) && sizeBytes <= bytesMax) return undefined;
  return new Refusal('media_unfit', { type, allowed: endingsOfKind(type), bytesMax });
}

const hasNotLeft: ReadonlySet<MessageStatus> = new Set([
  'failed',
  'cancelled',
  'expired',
  'scheduled',
]);

function messageNamedBy(message: PlacedMessage): string | undefined {
  const id = message.type === 'reaction' ? message.reaction.message_id : message.reply_to;
  return id === undefined ? undefined : uuidOf('message', id);
}

function mediaNamedBy(message: PlacedMessage): string | undefined {
  const id = mediaOf(message)?.id;
  return id === undefined ? undefined : uuidOf('media', id);
}

/**
 * The files that messages name, with the time of the last message; unscheduled messages count as now.
 */
function leavingMedia(messages: readonly PlacedMessage[]): Map<string, Date> {
  const leaving = new Map<string, Date>();
  for (const message of messages) {
    const media = mediaNamedBy(message);
    if (media === undefined) continue;
    const at = new Date(message.send_at ?? 0);
    if (at > (leaving.get(media) ?? new Date(-1))) leaving.set(media, at);
  }
  return leaving;
}

function mediaOf(message: PlacedMessage): { id?: string | undefined } | undefined {
  switch (message.type) {
    case 'image':
      return message.image;
    case 'video':
      return message.video;
    case 'audio':
      return message.audio;
    case 'document':
      return message.document;
    case 'sticker':
      return message.sticker;
    case 'template':
      return message.template.header;
    default:
      return undefined;
  }
}

async function readTargets(
  tx: Tx,
  { accountId, tokenId }: Sender,
  ids: readonly string[],
): Promise<Map<string, Target>> {
  if (ids.length === 0) return new Map();
  const found = await tx<Target[]>`
    select m.message_id, m.peer, m.direction, m.type, m.status, m.body
    from unnest(${[...new Set(ids)]}::uuid[]) as named(message_id)
    cross join lateral (
      select * from messages x
      where x.account_id = ${accountId} and x.message_id = named.message_id limit 1
    ) m
    where m.token_id = ${tokenId}`;
  return new Map(found.map((target) => [target.message_id, target]));
}

function quotedOf({ direction, type, body }: Pick<Target, 'direction' | 'type' | 'body'>) {
  const provider = body['provider_id'];
  const quoted: Quoted = { direction, type, text: excerptOf(type, body) };
  if (typeof provider === 'string') quoted.provider_id = provider;
  return quoted;
}

/**
 * The message that a network names in an inbound one: one of ours by its own id, or an earlier inbound one by the
 * network's. `question` is set when one of ours offers choices.
 */
export async function quotedByNetwork(
  tx: Tx,
  { accountId, tokenId, peer }: Sender & { peer: string },
  provider: string,
): Promise<{ id: string; quoted: Quoted; question: Question | undefined } | undefined> {
  const [known] = await tx<{ message_id: string }[]>`
    select message_id from message_refs
    where account_id = ${accountId} and ref = ${`\u0001in:${provider}`}`;
  const uuid = known?.message_id ?? (isUuid.test(provider) ? provider : undefined);
  if (uuid === undefined) return undefined;
  const target = (await readTargets(tx, { accountId, tokenId }, [uuid])).get(uuid.toLowerCase());
  if (!target || target.peer !== peer || target.type === 'reaction') return undefined;
  const { message_id: messageId, direction, body } = target;
  const choices = direction === 'out' ? choicesIn(target.type, body) : undefined;
  return {
    id: publicId('message', messageId),
    quoted: quotedOf(target),
    question: choices && { messageId, choices },
  };
}

const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The channel of a token; any channel for an unknown token, for which nothing is accepted. */
export async function channelOf(
  sql: Sql | Tx,
  { accountId, tokenId }: Sender,
): Promise<ChannelName> {
  const [token] = await sql<{ channel: ChannelName }[]>`
    select channel from tokens where account_id = ${accountId} and token_id = ${tokenId}`;
  return token?.channel ?? 'simulator';
}

/**
 * Customer service window of the Cloud API: within it any message is allowed, then only templates.
 */
const WINDOW_MS = 24 * 3_600_000;

type IsOpen = (message: NewMessage) => boolean;

/**
 * The windows of a token's receivers. Checked before any money is held; if Meta reports that one has closed meanwhile,
 * the message fails and its price is released.
 */
async function openWindows(
  { sql, now }: { sql: Sql; now: () => Date },
  { accountId, tokenId }: { accountId: string; tokenId: string },
  messages: readonly NewMessage[],
): Promise<IsOpen> {
  const peers = [...new Set(messages.filter(needsWindow).map(({ to }) => to))];
  if (peers.length === 0) return () => true;
  const lastInAt = await asAccount(sql, accountId, async (tx) => {
    const ref = { accountId, tokenId };
    const known = await lastInbound(tx, ref, peers);
    const closed = peers.filter(
      (peer) => (known.get(peer) ?? -Infinity) + WINDOW_MS <= now().getTime(),
    );
    if (closed.length === 0) return known;
    return new Map([...known, ...(await newestInbound(tx, { ...ref, now: now() }, closed))]);
  });
  return ({ to, send_at }) => {
    const leavesAtMs = Math.max(now().getTime(), Date.parse(send_at ?? '') || 0);
    return leavesAtMs < (lastInAt.get(to) ?? -Infinity) + WINDOW_MS;
  };
}

/**
 * Time of the last inbound message from each, from their conversations, which lack unpublished ones.
 */
async function lastInbound(
  tx: Tx,
  { accountId, tokenId }: Sender,
  peers: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx<{ peer: string; last_in_at: Date }[]>`
    select peer, last_in_at from conversations
    where account_id = ${accountId} and token_id = ${tokenId}
      and peer = any (${[...peers]}::text[]) and last_in_at is not null`;
  return new Map(rows.map(({ peer, last_in_at }) => [peer, last_in_at.getTime()]));
}

async function newestInbound(
  tx: Tx,
  { accountId, tokenId, now }: Sender & { now: Date },
  peers: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx<{ peer: string; at: Date }[]>`
    select asked.peer, m.created_at as at
    from unnest(${[...peers]}::text[]) as asked(peer)
    cross join lateral (
      select x.created_at from messages x
      where x.account_id = ${accountId} and x.peer = asked.peer and x.token_id = ${tokenId}
        and x.direction = 'in' and x.message_id > ${idFloor(now.getTime() - WINDOW_MS)}
      order by x.message_id desc limit 1
    ) m`;
  return new Map(rows.map(({ peer, at }) => [peer, at.getTime()]));
}

const needsWindow = ({ type }: NewMessage): boolean => type !== 'template';

const refuseClosed = (message: NewMessage, isOpen: IsOpen | undefined): Refusal | undefined =>
  isOpen === undefined || !needsWindow(message) || isOpen(message)
    ? undefined
    : new Refusal('window_closed', {});
