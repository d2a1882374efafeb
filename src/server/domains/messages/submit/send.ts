import type { InputOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { type MediaKind, fitsKind } from '#contract/media.ts';
import { sendMessage, type ConversationMessage } from '#contract/messages.ts';
import {
  sendContact,
  sendLocation,
  sendReaction,
  sendTemplate,
  sendFile,
} from '#contract/messages/sending.ts';
import type { NewMessage } from '#contract/rest/messages.ts';
import { type Library, type MediaFacts, findExistingFiles } from '#server/domains/media/media.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { hashOf, type Intake, type Placed, type SendRequest } from './accept.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { recordSentCards } from '#server/domains/messages/contacts.ts';
import { filesIn } from '#server/domains/messages/content.ts';
import { type SendDeps, channelOf, lookUp, itemFrom, refusalOf } from './place.ts';
import { conversationMessage, readMessages } from '#server/domains/messages/history/rows.ts';
import { asAccount } from '#server/infra/postgres/database.ts';

export const sendHandlers = (deps: SendDeps & Pick<Library, 'adopt'>): readonly ActHandler[] => [
  handle(sendMessage, ({ caller: { accountId }, key }, input) => {
    const { token_id: tokenId, to, text, reply_to: replyTo } = input;
    const message: NewMessage = { type: 'text', to, text: { body: text }, ...replying(replyTo) };
    const hash = hashOf(['message_send', to, text, ...(replyTo === undefined ? [] : [replyTo])]);
    return placeOne(deps, { accountId, tokenId, key, message, hash });
  }),
  handle(sendFile, async ({ caller, key }, input) => {
    const { accountId, userId } = caller;
    const { token_id: tokenId, to, upload: uploadId, caption, reply_to: replyTo } = input;
    const file = await deps.adopt({ accountId, userId, uploadId });
    const message: NewMessage = { to, ...messageWithFile(file, caption), ...replying(replyTo) };
    const hash = hashOf(['message_send_file', to, uploadId, caption ?? '', replyTo ?? '']);
    return placeOne(deps, { accountId, tokenId, key, message, hash, upload: uploadId });
  }),
  handle(sendLocation, ({ caller: { accountId }, key }, input) => {
    const { token_id: tokenId, to, reply_to: replyTo, name, address, ...at } = input;
    const location = { ...at, ...(name && { name }), ...(address && { address }) };
    const message: NewMessage = { type: 'location', to, location, ...replying(replyTo) };
    return placeOne(deps, { accountId, tokenId, key, message, hash: hashOf(message) });
  }),
  handle(sendContact, ({ caller: { accountId }, key }, input) => {
    const { token_id: tokenId, to, reply_to: replyTo, name, phone, organization } = input;
    const contact = { name, phone, ...(organization && { organization }) };
    const message: NewMessage = { type: 'contact', to, contact, ...replying(replyTo) };
    return placeOne(deps, { accountId, tokenId, key, message, hash: hashOf(message) });
  }),
  handle(sendTemplate, async ({ caller, key }, input) => {
    const { accountId, userId } = caller;
    const { token_id: tokenId, to, reply_to: replyTo, upload: uploadId } = input;
    const file = uploadId && (await deps.adopt({ accountId, userId, uploadId }));
    const template = templateFrom(input, file || undefined);
    const message: NewMessage = { type: 'template', to, template, ...replying(replyTo) };
    const hash = hashOf(message);
    return placeOne(deps, { accountId, tokenId, key, message, hash, upload: uploadId });
  }),
  handle(sendReaction, ({ caller: { accountId }, key }, input) => {
    const { token_id: tokenId, to, message_id: messageId, emoji } = input;
    const reaction = { message_id: publicId('message', messageId), emoji };
    const message: NewMessage = { type: 'reaction', to, reaction };
    return placeOne(deps, { accountId, tokenId, key, message, hash: hashOf(message) });
  }),
];

type Template = Extract<NewMessage, { type: 'template' }>['template'];

function templateFrom(
  { name, language, variables, header, buttons = [] }: InputOf<typeof sendTemplate>,
  file: MediaFacts | undefined,
): Template {
  const values = buttons.flatMap((text, index) => (text === '' ? [] : [{ index, text }]));
  return {
    name,
    language,
    ...(variables && { variables }),
    ...(header !== undefined && { header: { text: header } }),
    ...(file && { header: headerOf(file) }),
    ...(values.length > 0 && { buttons: values }),
  };
}

const headerOf = ({ fileId, name: filename }: MediaFacts) => ({
  id: publicId('media', fileId),
  filename,
});

const replying = (replyTo: string | undefined) =>
  replyTo === undefined ? {} : { reply_to: publicId('message', replyTo) };

const shownAs = ['image', 'video', 'audio'] as const satisfies readonly MediaKind[];

export const messageTypeOfFile = ({
  mime,
}: Pick<MediaFacts, 'mime'>): (typeof shownAs)[number] | 'document' =>
  shownAs.find((kind) => fitsKind(kind, mime)) ?? 'document';

function messageWithFile(file: MediaFacts, caption: string | undefined) {
  const { fileId, name } = file;
  const id = publicId('media', fileId);
  const captionField = caption === undefined || caption === '' ? {} : { caption };
  switch (messageTypeOfFile(file)) {
    case 'image':
      return { type: 'image' as const, image: { id }, ...captionField };
    case 'video':
      return { type: 'video' as const, video: { id }, ...captionField };
    case 'audio':
      return { type: 'audio' as const, audio: { id } };
    default:
      return { type: 'document' as const, document: { id, filename: name }, ...captionField };
  }
}

type Placing = {
  accountId: string;
  tokenId: string;
  key: string;
  message: NewMessage;
  hash: Buffer;
  upload?: string | undefined;
};

/**
 * Accepts one message from the browser. The browser's `key` is the request's idempotency key, so that its one retry, or
 * a crash between COMMIT and answer, sends and charges once. An upload is sent once to a phone with the same text,
 * under any key.
 *
 * @throws Refusal `sendRefusals`, and those of the lookups.
 */
async function placeOne(
  { sql, intake, prices, fileLink, findMedia, now }: SendDeps,
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
  await recordSentCards(sql, accountId, [item]);
  const placed = await placeOnce(intake, { accountId, tokenId, hash, items: [item] }, [
    ...(upload === undefined ? [] : keysOfUpload(upload, hash)),
    `act:${key}`,
  ]);
  const [result] = placed.results;
  if (!result) throw new Error('the accept path returned no result');
  const refusal = refusalOf(result, item);
  if (refusal) throw refusal;
  const { stored, existingFiles } = await asAccount(sql, accountId, async (tx) => {
    const [row] = await readMessages(tx, {
      accountId,
      ids: tx`select ${result.id}::uuid as message_id`,
      order: 'newest',
    });
    return {
      stored: row,
      existingFiles: await findExistingFiles(tx, accountId, row ? filesIn([row]) : []),
    };
  });
  if (!stored) throw new Refusal('not_found', { what: 'Pesan' });
  return conversationMessage(stored, { accountId, fileLink, existingFiles });
}

/** After this many refusals of one upload, only the browser's key identifies its calls. */
const REFUSED_MAX = 10;

const keysOfUpload = (upload: string, hash: Buffer): string[] =>
  Array.from(
    { length: REFUSED_MAX },
    (_, nth) => `upload:${upload}:${hash.toString('base64url')}:${nth}`,
  );

/**
 * Accepts a message under the first key without a refusal: a refused message may be tried again.
 */
async function placeOnce(
  intake: Intake,
  request: SendRequest,
  [key, ...others]: readonly string[],
): Promise<Placed> {
  const placed = await intake.accept({ ...request, key });
  const isRefused = placed.results[0]?.outcome !== 'accepted';
  return placed.replayed && isRefused && others.length > 0
    ? placeOnce(intake, request, others)
    : placed;
}
