import type { InputOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { type MediaKind, fitsKind } from '#contract/media/kinds.ts';
import { sendMessage } from '#contract/messages.ts';
import {
  sendContact,
  sendLocation,
  sendReaction,
  sendTemplate,
} from '#contract/messages/sending/send-content.ts';
import { sendFile } from '#contract/messages/sending/send-file.ts';
import type { NewMessage } from '#contract/rest/new-message.ts';
import type { Library, MediaFacts } from '#server/domains/media/media.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { hashOf } from './accept.ts';
import { type PlaceDeps, placeOne } from './place-one.ts';

/** Sending from the browser: a text, a file, and what has fields of its own. */
export const sendHandlers = (deps: PlaceDeps & Pick<Library, 'adopt'>): readonly ActHandler[] => [
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
    const message: NewMessage = { to, ...carrying(file, caption), ...replying(replyTo) };
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

/** A template as it was filled in; the file above it is named, the others by their places. */
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
