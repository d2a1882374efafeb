import { type ConversationMessage, sendMessage } from '#contract/messages.ts';
import { sendFile } from '#contract/messages/send-file.ts';
import { type MediaKind, fitsKind } from '#contract/media/kinds.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { NewMessage } from '#contract/rest/new-message.ts';
import { type Library, type MediaFacts, keptFiles } from '#server/domains/media/media.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import { type Accepter, hashOf } from './accept.ts';
import { type FileLink, filesIn } from '#server/domains/messages/content.ts';
import { type FindMedia, channelOf, lookUp } from './lookups.ts';
import { itemFrom, refusalOf } from './place.ts';
import { conversationMessage, readMessages } from '#server/domains/messages/history/rows.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

type Deps = {
  sql: Sql;
  accepter: Accepter;
  prices: Prices;
  fileLink: FileLink;
  findMedia: FindMedia;
  adopt: Library['adopt'];
  now: () => Date;
};

/** Sending from the browser: a text, or a file. */
export const sendHandlers = (deps: Deps): readonly ActHandler[] => [
  handle(sendMessage, ({ caller: { accountId }, key }, input) => {
    const { token_id: tokenId, to, text, reply_to: replyTo } = input;
    const message: NewMessage = { type: 'text', to, text: { body: text }, ...replying(replyTo) };
    const hash = hashOf(['message_send', to, text, ...(replyTo === undefined ? [] : [replyTo])]);
    return place(deps, { accountId, tokenId, key, message, hash });
  }),
  handle(sendFile, async ({ caller, key }, input) => {
    const { accountId, userId } = caller;
    const { token_id: tokenId, to, upload: uploadId, caption, reply_to: replyTo } = input;
    const file = await deps.adopt({ accountId, userId, uploadId });
    const message: NewMessage = { to, ...carrying(file, caption), ...replying(replyTo) };
    const hash = hashOf(['message_send_file', to, uploadId, caption ?? '', replyTo ?? '']);
    return place(deps, { accountId, tokenId, key, message, hash });
  }),
];

const replying = (replyTo: string | undefined) =>
  replyTo === undefined ? {} : { reply_to: publicId('message', replyTo) };

const shownAs = ['image', 'video', 'audio'] as const satisfies readonly MediaKind[];

/** The type of message that shows a file; what none shows is a document. */
export const messageTypeOfFile = ({
  mime,
}: Pick<MediaFacts, 'mime'>): (typeof shownAs)[number] | 'document' =>
  shownAs.find((kind) => fitsKind(kind, mime)) ?? 'document';

/** A file as a message. */
function carrying(file: MediaFacts, caption: string | undefined) {
  const { fileId, name } = file;
  const id = publicId('media', fileId);
  const said = caption === undefined || caption === '' ? {} : { caption };
  switch (messageTypeOfFile(file)) {
    case 'image':
      return { type: 'image' as const, image: { id }, ...said };
    case 'video':
      return { type: 'video' as const, video: { id }, ...said };
    case 'audio':
      return { type: 'audio' as const, audio: { id } };
    default:
      return { type: 'document' as const, document: { id, filename: name }, ...said };
  }
}

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
 */
async function place(
  { sql, accepter, prices, fileLink, findMedia, now }: Deps,
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
