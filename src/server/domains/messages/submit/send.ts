import { sendMessage } from '#contract/messages.ts';
import type { InputOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { NewMessage } from '#contract/rest/new-message.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import { type Accepter, hashOf } from './accept.ts';
import type { FileLink } from '#server/domains/messages/content.ts';
import { findNoMedia, lookUp } from './lookups.ts';
import { itemFrom, refusalOf } from './place.ts';
import { conversationMessage, readMessages } from '#server/domains/messages/history/rows.ts';
import { handle } from '#server/infra/acts/act.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

type Deps = { sql: Sql; accepter: Accepter; prices: Prices; fileLink: FileLink; now: () => Date };

export const sendMessageHandler = (deps: Deps) =>
  handle(sendMessage, ({ caller, key }, input) =>
    sendText(deps, { ...input, accountId: caller.accountId, key }),
  );

type SendTextRequest = InputOf<typeof sendMessage> & { accountId: string; key: string };

/**
 * Sends one text from the browser. The browser's `key` is the request's idempotency key, so that its
 * one retry, or a crash between COMMIT and answer, sends and charges once.
 */
async function sendText({ sql, accepter, prices, fileLink, now }: Deps, request: SendTextRequest) {
  const { accountId, token_id: tokenId, to, text, reply_to: replyTo } = request;
  const message: NewMessage = {
    type: 'text',
    to,
    text: { body: text },
    ...(replyTo !== undefined && { reply_to: publicId('message', replyTo) }),
  };
  const [found] = await lookUp({ sql, findMedia: findNoMedia }, { accountId, tokenId }, [message]);
  if (found instanceof Refusal) throw found;
  const item = itemFrom(message, { tokenId, price: prices.message(), now: now(), found });
  const hash = hashOf(['message_send', to, text, ...(replyTo === undefined ? [] : [replyTo])]);
  const placed = await accepter.place({
    accountId,
    tokenId,
    key: `act:${request.key}`,
    hash,
    items: [item],
  });
  const [result] = placed.results;
  if (!result) throw new Error('the accept path returned no result');
  const refusal = refusalOf(result, item);
  if (refusal) throw refusal;
  const [stored] = await asAccount(sql, accountId, (tx) =>
    readMessages(tx, {
      accountId,
      ids: tx`select ${result.id}::uuid as message_id`,
      order: 'newest',
    }),
  );
  if (!stored) throw new Refusal('not_found', { what: 'Pesan' });
  return conversationMessage(stored, { accountId, fileLink, kept: new Set() });
}
