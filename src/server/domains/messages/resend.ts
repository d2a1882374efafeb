import { type MessageRow, mayResend } from '#contract/messages.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type PlacedMessage, NewMessage } from '#contract/rest/messages.ts';
import type { ChannelName } from '#contract/tokens.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import { findExistingFiles } from '#server/domains/media/media.ts';
import { choicesIn, markSendsChoices } from '#server/domains/messages/choices.ts';
import { filesIn, type Body } from '#server/domains/messages/content.ts';
import { readAsAccount } from '#server/domains/messages/history/pages.ts';
import {
  type StoredMessage,
  messageRow,
  readMessages,
} from '#server/domains/messages/history/rows.ts';
import { type Intake, hashOf, type Item } from '#server/domains/messages/submit/accept.ts';
import {
  type SendDeps,
  channelOf,
  lookUp,
  itemFrom,
  refusalOf,
} from '#server/domains/messages/submit/place.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { publicId } from '#contract/base/ids.ts';
import type { ShownChoices } from '#contract/messages/captions.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { sentenceFor } from '#contract/language/indonesian.ts';
import {
  type Refused,
  cancelMessages,
  checkResend as checkResendAct,
  resendMessage,
  resendMessages,
  rescheduleMessage,
} from '#contract/messages/history.ts';
import { withdrawMany } from '#server/domains/messages/dispatch/withdraw.ts';
import { rescheduleFromPortal } from '#server/domains/messages/schedule.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';

/** Messages of an account, by their ids (UUIDs), and the browser's key of the whole request. */
export type ResendRequest = { accountId: string; ids: readonly string[]; key: string };

/** Result of one message: the id of the new message, or the refusal. */
export type Resent = { id: string; as: string | Refusal };

type Prepared = { id: string; tokenId: string; channel: ChannelName; item: Item } | RefusedResend;
type RefusedResend = { id: string; refusal: Refusal };

/**
 * Sends the content of messages again, in the order of the originals, each on its own: a refusal does not stop the
 * others. Idempotent by key.
 */
export async function resend(deps: SendDeps, request: ResendRequest): Promise<Resent[]> {
  const { accountId, key } = request;
  const prepared = await prepare(deps, request);
  await noteAllChoices(deps.sql, accountId, prepared);
  return Promise.all(
    prepared.map(async (one) => {
      if ('refusal' in one) return { id: one.id, as: one.refusal };
      return { id: one.id, as: await placeOne(deps.intake, { accountId, key }, one) };
    }),
  );
}

/**
 * Resends one message.
 *
 * @throws Refusal of `resendRefusals`; `not_found` when the account has no such message.
 */
export async function resendOne(
  deps: SendDeps,
  { accountId, id, key }: { accountId: string; id: string; key: string },
): Promise<MessageRow> {
  const [resent] = await resend(deps, { accountId, ids: [id], key });
  if (!resent) throw notFound();
  const { as } = resent;
  if (as instanceof Refusal) throw as;
  const [stored] = await readOriginals(deps.sql, accountId, [as]);
  if (!stored) throw notFound();
  return messageRow(stored);
}

export async function checkResend(
  deps: SendDeps,
  request: Omit<ResendRequest, 'key'>,
): Promise<{ count: number; price: Rupiah; byQuota: number; refused: readonly RefusedResend[] }> {
  const prepared = await prepare(deps, request);
  const wallet = await asAccount(deps.sql, request.accountId, (tx) =>
    walletOf(tx, request.accountId),
  );
  let left = wallet.beyondQuotaPrice === null ? 0 : wallet.planQuota - wallet.planUsed;
  let [count, price, byQuota] = [0, 0, 0];
  for (const one of prepared) {
    if ('refusal' in one) continue;
    count += 1;
    // The Cloud API has its own prices, which no quota covers.
    const isCounted = one.channel !== 'cloud';
    if (isCounted && left > 0) {
      left -= 1;
      byQuota += 1;
    } else {
      price += isCounted ? (wallet.beyondQuotaPrice ?? one.item.price) : one.item.price;
    }
  }
  const refused = prepared.filter((one) => 'refusal' in one);
  return { count, price: rupiah(price), byQuota, refused };
}

async function readOriginals(
  sql: Sql,
  accountId: string,
  ids: readonly string[],
): Promise<StoredMessage[]> {
  return readAsAccount(sql, accountId, (tx) =>
    readMessages(tx, {
      accountId,
      ids: tx`select unnest(${[...ids]}::uuid[]) as message_id`,
      order: 'oldest',
    }),
  );
}

async function prepare(
  deps: SendDeps,
  { accountId, ids }: Omit<ResendRequest, 'key'>,
): Promise<Prepared[]> {
  const uniqueIds = [...new Set(ids)];
  const originals = await readOriginals(deps.sql, accountId, uniqueIds);
  const existing = await asAccount(deps.sql, accountId, (tx) =>
    findExistingFiles(tx, accountId, filesIn(originals)),
  );
  const prepared = new Map<string, Prepared>();
  const fit: { original: StoredMessage; message: PlacedMessage }[] = [];
  for (const original of originals) {
    const { message_id: id } = original;
    const message = mayResend(original) ? toNewMessage(original, existing) : undefined;
    if (message) fit.push({ original, message });
    else prepared.set(id, { id, refusal: new Refusal('resend_unfit', {}) });
  }
  const byToken = Map.groupBy(fit, ({ original }) => original.token_id);
  for (const [tokenId, some] of byToken) {
    const channel = await asAccount(deps.sql, accountId, (tx) =>
      channelOf(tx, { accountId, tokenId }),
    );
    const sender = { accountId, tokenId, channel };
    const found = await lookUp(
      deps,
      sender,
      some.map(({ message }) => message),
    );
    for (const [index, { original, message }] of some.entries()) {
      const known = found[index];
      const id = original.message_id;
      if (known instanceof Refusal) {
        prepared.set(id, { id, refusal: known });
        continue;
      }
      const item = itemFrom(message, {
        tokenId,
        price: deps.prices.message(),
        cloudPrices: channel === 'cloud' ? deps.prices.cloud() : undefined,
        now: deps.now(),
        found: known,
      });
      prepared.set(id, { id, tokenId, channel, item });
    }
  }
  const missing = uniqueIds.filter((id) => !prepared.has(id));
  return [
    ...originals.flatMap(({ message_id: id }) => prepared.get(id) ?? []),
    ...missing.map((id) => ({ id, refusal: notFound() })),
  ];
}

async function placeOne(
  intake: Intake,
  { accountId, key }: { accountId: string; key: string },
  { id, tokenId, item }: Exclude<Prepared, RefusedResend>,
): Promise<string | Refusal> {
  try {
    const { results } = await intake.accept({
      accountId,
      tokenId,
      // One key per message: a repeat after a crash sends exactly the ones that the first try did not.
      key: `act:${key}:${id}`,
      hash: hashOf(['message_resend', id]),
      items: [item],
    });
    const [result] = results;
    if (!result) throw new Error('the accept path returned no result');
    return refusalOf(result, item) ?? result.id;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

async function noteAllChoices(
  sql: Sql,
  accountId: string,
  prepared: readonly Prepared[],
): Promise<void> {
  const tokens = new Set(
    prepared.flatMap((one) =>
      'item' in one && choicesIn(one.item.type, one.item.body) ? [one.tokenId] : [],
    ),
  );
  for (const tokenId of tokens)
    await asAccount(sql, accountId, (tx) => markSendsChoices(tx, { accountId, tokenId }));
}

const notFound = () => new Refusal('not_found', { what: 'Pesan' });

type Original = Pick<StoredMessage, 'peer' | 'type' | 'body'>;

/**
 * A sent message as a new message to the same number: its content, its reference to an answered message, its choices
 * and its metadata. Its `ref`, time, `ttl` and priority applied to the original only.
 *
 * @param existing the files that still exist: a missing one is fetched again from its link.
 * @returns undefined when a new message cannot have this content.
 */
function toNewMessage(
  { peer, type, body }: Original,
  existing: ReadonlySet<string>,
): PlacedMessage | undefined {
  const { reply_to: replyTo, metadata } = body;
  const read = NewMessage().safeParse({
    to: writtenPeer(peer),
    type,
    ...requestBodyOf(type, body, existing),
    ...(typeof replyTo === 'string' && { reply_to: replyTo }),
    ...(metadata !== undefined && { metadata }),
  });
  if (!read.success) return undefined;
  const choices = body['choices'] === undefined ? undefined : choicesIn(type, body);
  if (!choices) return read.data;
  if (type === 'template') return { ...read.data, payloads: payloadsOf(body, choices.options) };
  const interactive = body['interactive'] as ShownChoices | undefined;
  return { ...read.data, choices, ...(interactive && { interactive }) };
}

function payloadsOf(body: Body, options: readonly { id: string }[]): readonly string[] {
  const places = Array.isArray(body['reply_places']) ? body['reply_places'].map(Number) : undefined;
  const payloads: string[] = [];
  for (const [index, { id }] of options.entries()) payloads[places?.[index] ?? index] = id;
  return payloads;
}

function requestBodyOf(type: StoredMessage['type'], body: Body, kept: ReadonlySet<string>): Body {
  const { caption, filename, voice } = body;
  const media = (more: Body = {}) => ({ [type]: { ...sourceOf(body, kept), ...more } });
  switch (type) {
    case 'text':
      return { text: { body: body['text'] } };
    case 'image':
    case 'video':
      return { ...media(), caption };
    case 'audio':
      return media(voice === undefined ? {} : { voice });
    case 'document':
      return { ...media(filename === undefined ? {} : { filename }), caption };
    case 'sticker':
      return media();
    case 'location':
      return { location: some(body, ['latitude', 'longitude', 'name', 'address']) };
    case 'contact':
      return { contact: cardOf(body) };
    case 'template':
      return { template: templateOf(body, kept) };
    case 'reaction':
    case 'other':
      return {};
  }
}

function sourceOf({ file, link }: Body, kept: ReadonlySet<string>): Body {
  const isLost = typeof file !== 'string' || !kept.has(file);
  if (isLost && typeof link === 'string') return { link };
  return typeof file === 'string' ? { id: publicId('media', file) } : {};
}

const some = (body: Body, names: readonly string[]): Body =>
  Object.fromEntries(names.flatMap((name) => (name in body ? [[name, body[name]]] : [])));

function cardOf(body: Body): Body {
  const phones = 'phones' in body ? 'phones' : 'phone';
  return some(body, ['name', 'organization', 'email', phones]);
}

function templateOf(body: Body, kept: ReadonlySet<string>): Body {
  const { template, language, parameters, header_parameter: header, button_values: buttons } = body;
  const { filename } = body;
  const textOf = (one: Body) => one['text'];
  return {
    name: template,
    language,
    ...(Array.isArray(parameters) && { variables: parameters.map(textOf) }),
    ...(typeof header === 'object' &&
      header !== null && { header: { text: textOf({ ...header }) } }),
    ...('header_file' in body && {
      header: { ...sourceOf(body, kept), ...(filename !== undefined && { filename }) },
    }),
    ...(Array.isArray(buttons) && {
      buttons: buttons.map((one: Body) => some(one, ['index', 'text'])),
    }),
  };
}

export const resendActs = (deps: SendDeps): readonly ActHandler[] => [
  handle(resendMessage, ({ caller: { accountId }, key }, { message_id: id }) =>
    resendOne(deps, { accountId, id, key }),
  ),
  handle(checkResendAct, async ({ caller: { accountId } }, { message_ids: ids }) => {
    const { count, price, byQuota, refused } = await checkResend(deps, { accountId, ids });
    return {
      count,
      price,
      by_quota: byQuota,
      refused: refused.map(({ id, refusal }) => refusedOf(id, refusal)),
    };
  }),
  handle(resendMessages, async ({ caller: { accountId }, key }, { message_ids: ids }) => {
    const resent = await resend(deps, { accountId, ids, key });
    return {
      sent: resent.flatMap(({ id, as }) =>
        typeof as === 'string'
          ? [{ message_id: publicId('message', id), as: publicId('message', as) }]
          : [],
      ),
      refused: resent.flatMap(({ id, as }) => (typeof as === 'string' ? [] : [refusedOf(id, as)])),
    };
  }),
  handle(cancelMessages, async ({ caller: { accountId } }, { message_ids: ids }) => {
    const results = await withdrawMany(deps.sql, accountId, ids);
    return {
      cancelled: results.flatMap(({ id, refusal }) => (refusal ? [] : [publicId('message', id)])),
      refused: results.flatMap(({ id, refusal }) => (refusal ? [refusedOf(id, refusal)] : [])),
    };
  }),
  handle(rescheduleMessage, async ({ caller: { accountId } }, { message_id: id, send_at: at }) => {
    const { row, tokenId } = await rescheduleFromPortal(deps, accountId, id, new Date(at));
    deps.onWork([tokenId]);
    return row;
  }),
];

const refusedOf = (id: string, refusal: Refusal): Refused => ({
  message_id: publicId('message', id),
  error: { type: refusal.code, msg: sentenceFor(refusal) },
});
