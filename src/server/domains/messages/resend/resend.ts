import type { MessageRow } from '#contract/messages.ts';
import { mayResend } from '#contract/messages/history/resendable.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { PlacedMessage } from '#contract/rest/new-message.ts';
import type { ChannelName } from '#contract/tokens.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import { keptFiles } from '#server/domains/media/media.ts';
import { choicesIn, noteChoices } from '#server/domains/messages/choices/choices.ts';
import { filesIn } from '#server/domains/messages/content.ts';
import { readAsAccount } from '#server/domains/messages/history/pages.ts';
import {
  type StoredMessage,
  messageRow,
  readMessages,
} from '#server/domains/messages/history/rows.ts';
import { type Accepter, hashOf } from '#server/domains/messages/submit/accept.ts';
import { type FindMedia, channelOf, lookUp } from '#server/domains/messages/submit/lookups.ts';
import { itemFrom, refusalOf } from '#server/domains/messages/submit/place.ts';
import type { Item } from '#server/domains/messages/submit/send-request.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { againOf } from './again.ts';

export type ResendDeps = {
  sql: Sql;
  accepter: Accepter;
  prices: Prices;
  findMedia: FindMedia;
  now: () => Date;
};

/** Messages of an account, by their ids (UUIDs), and the browser's key of the whole. */
export type ResendRequest = { accountId: string; ids: readonly string[]; key: string };

/** What became of one: the id of the new message, or why there is none. */
export type Resent = { id: string; as: string | Refusal };

/** One that can be placed, or why it cannot. */
type Prepared = { id: string; tokenId: string; channel: ChannelName; item: Item } | Refused;
type Refused = { id: string; refusal: Refusal };

/**
 * Places the content of messages anew, in the order in which they were sent, each by itself: what is refused
 * keeps no other. Repeated under the same key, none is placed twice.
 */
export async function resend(deps: ResendDeps, request: ResendRequest): Promise<Resent[]> {
  const { accountId, key } = request;
  const prepared = await prepare(deps, request);
  await noteAllChoices(deps.sql, accountId, prepared);
  return Promise.all(
    prepared.map(async (one) => {
      if ('refusal' in one) return { id: one.id, as: one.refusal };
      return { id: one.id, as: await placeOne(deps.accepter, { accountId, key }, one) };
    }),
  );
}

/**
 * Places one message anew.
 *
 * @throws Refusal of `resendRefusals`; `not_found` when the account has no such message.
 */
export async function resendOne(
  deps: ResendDeps,
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

/** What sending them anew would cost now. */
export async function checkResend(
  deps: ResendDeps,
  request: Omit<ResendRequest, 'key'>,
): Promise<{ count: number; price: Rupiah; byQuota: number; refused: readonly Refused[] }> {
  const prepared = await prepare(deps, request);
  const wallet = await asAccount(deps.sql, request.accountId, (tx) =>
    walletOf(tx, request.accountId),
  );
  let left = wallet.beyondQuotaPrice === null ? 0 : wallet.planQuota - wallet.planUsed;
  let [count, price, byQuota] = [0, 0, 0];
  for (const one of prepared) {
    if ('refusal' in one) continue;
    count += 1;
    // By the Cloud API, which has prices of its own, the quota pays for none.
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

/** Each as it can be placed now, or its refusal; the oldest first, what is not there last. */
async function prepare(
  deps: ResendDeps,
  { accountId, ids }: Omit<ResendRequest, 'key'>,
): Promise<Prepared[]> {
  const asked = [...new Set(ids)];
  const originals = await readOriginals(deps.sql, accountId, asked);
  const kept = await asAccount(deps.sql, accountId, (tx) =>
    keptFiles(tx, accountId, filesIn(originals)),
  );
  const prepared = new Map<string, Prepared>();
  const fit: { original: StoredMessage; message: PlacedMessage }[] = [];
  for (const original of originals) {
    const { message_id: id } = original;
    const message = mayResend(original) ? againOf(original, kept) : undefined;
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
  const missing = asked.filter((id) => !prepared.has(id));
  return [
    ...originals.flatMap(({ message_id: id }) => prepared.get(id) ?? []),
    ...missing.map((id) => ({ id, refusal: notFound() })),
  ];
}

/** @returns the new message's id, or the refusal. */
async function placeOne(
  accepter: Accepter,
  { accountId, key }: { accountId: string; key: string },
  { id, tokenId, item }: Exclude<Prepared, Refused>,
): Promise<string | Refusal> {
  try {
    const { results } = await accepter.place({
      accountId,
      tokenId,
      // Of each message its own: a repeat after a crash places what the first try did not, and no more.
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
    await asAccount(sql, accountId, (tx) => noteChoices(tx, { accountId, tokenId }));
}

const notFound = () => new Refusal('not_found', { what: 'Pesan' });
