import type { ConversationMessage } from '#contract/messages.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { NewMessage } from '#contract/rest/new-message.ts';
import { keptFiles } from '#server/domains/media/media.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import type { Accepter } from './accept.ts';
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
};

/**
 * Places one message of the browser. The browser's `key` is the request's idempotency key, so that its
 * one retry, or a crash between COMMIT and answer, sends and charges once.
 *
 * @throws Refusal `sendRefusals`, and those of what the message names.
 */
export async function placeOne(
  { sql, accepter, prices, fileLink, findMedia, now }: PlaceDeps,
  { accountId, tokenId, key, message, hash }: Placing,
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
  const placed = await accepter.place({
    accountId,
    tokenId,
    key: `act:${key}`,
    hash,
    items: [item],
  });
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
