import type { ConversationMessage } from '#contract/messages.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { NewMessage } from '#contract/rest/new-message.ts';
import { keptFiles } from '#server/domains/media/media.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import type { Accepter } from './accept.ts';
import type { Placed, SendRequest } from './send-request.ts';
import { type FileLink, filesIn } from '#server/domains/messages/content.ts';
import { type FindMedia, channelOf, lookUp } from './lookups.ts';
import { itemFrom, refusalOf } from './place.ts';
import { conversationMessage, readMessages } from '#server/domains/messages/history/rows.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

/** What placing a message of the browser needs. */
export type PlaceDeps = {
  sql: Sql;
  accepter: Accepter;
  prices: Prices;
  fileLink: FileLink;
  findMedia: FindMedia;
  now: () => Date;
};

type Placing = {
  accountId: string;
  tokenId: string;
  key: string;
  message: NewMessage;
  hash: Buffer;
  /** The upload that it carries. */
  upload?: string | undefined;
};

/**
 * Places one message of the browser. The browser's `key` is the request's idempotency key, so that its
 * one retry, or a crash between COMMIT and answer, sends and charges once. An upload is sent once to a phone with
 * the same words, under any key.
 *
 * @throws Refusal `sendRefusals`, and those of what the message names.
 */
export async function placeOne(
  { sql, accepter, prices, fileLink, findMedia, now }: PlaceDeps,
  { accountId, tokenId, key, message, hash, upload }: Placing,
): Promise<ConversationMessage> {
  const channel = await asAccount(sql, accountId, (tx) => channelOf(tx, { accountId, tokenId }));
  const sender = { accountId, tokenId, channel };
  const [found] = await lookUp({ sql, findMedia, now }, sender, [message]);
  if (found instanceof Refusal) throw found;
  const item = itemFrom(message, {
    tokenId,
    price: prices.message(),
    cloudPrices: channel === 'cloud' ? prices.cloud() : undefined,
    now: now(),
    found,
  });
  const placed = await placeOnce(accepter, { accountId, tokenId, hash, items: [item] }, [
    ...(upload === undefined ? [] : keysOfUpload(upload, hash)),
    `act:${key}`,
  ]);
  const [result] = placed.results;
  if (!result) throw new Error('the accept path returned no result');
  const refusal = refusalOf(result, item);
  if (refusal) throw refusal;
  const { stored, kept } = await asAccount(sql, accountId, async (tx) => {
    const [row] = await readMessages(tx, {
      accountId,
      ids: tx`select ${result.id}::uuid as message_id`,
      order: 'newest',
    });
    return { stored: row, kept: await keptFiles(tx, accountId, row ? filesIn([row]) : []) };
  });
  if (!stored) throw new Refusal('not_found', { what: 'Pesan' });
  return conversationMessage(stored, { accountId, fileLink, kept });
}

/** Refusals of one upload after which only the browser's key tells its calls apart. */
const REFUSED_MAX = 10;

const keysOfUpload = (upload: string, hash: Buffer): string[] =>
  Array.from(
    { length: REFUSED_MAX },
    (_, nth) => `upload:${upload}:${hash.toString('base64url')}:${nth}`,
  );

/** Places a message under the first key that was not refused before: what was refused may be tried anew. */
async function placeOnce(
  accepter: Accepter,
  request: SendRequest,
  [key, ...others]: readonly string[],
): Promise<Placed> {
  const placed = await accepter.place({ ...request, key });
  const isRefused = placed.results[0]?.outcome !== 'accepted';
  return placed.replayed && isRefused && others.length > 0
    ? placeOnce(accepter, request, others)
    : placed;
}
