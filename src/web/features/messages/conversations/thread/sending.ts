import type { QueryClient } from '@tanstack/react-query';
import { type ConversationMessage, type Quoted, sendMessage } from '#contract/messages.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import * as acts from '#contract/messages/sending.ts';
import { performWithReauth } from '#web/api/act.ts';
import { addUnsent, dropUnsent, startOutbox } from '#web/api/outbox.ts';
import { unsent, type Unsent } from '#web/api/unsent.ts';
import type { ChatMessage } from '#web/ui/chat/chat.ts';
import {
  addToThread,
  showReaction,
  type Which,
} from '#web/features/messages/conversations/queries.ts';

export type QuotedMessage = Quoted & { id: string };

export type PlaceToSend = {
  latitude: number;
  longitude: number;
  name?: string | undefined;
  address?: string | undefined;
};

/** A contact card to send; the number is digits including the country code. */
export type CardToSend = { name: string; phone: string; organization?: string | undefined };

export type TemplateToSend = {
  name: string;
  language: string;
  variables?: readonly string[] | undefined;
  header?: string | undefined;
  buttons?: readonly string[] | undefined;
  shown: { header: string | null; body: string; footer: string | null; buttons: readonly string[] };
};

export type Content =
  | { type: 'location'; place: PlaceToSend }
  | { type: 'contact'; card: CardToSend }
  | { type: 'template'; template: TemplateToSend }
  | { type: 'reaction'; messageId: string; emoji: string };

type Body = Which & {
  text: string;
  content?: Content | undefined;
  replyTo?: QuotedMessage | undefined;
};

export type Outgoing = Unsent<Body>;

/** The server forgets a key after a day. */
const EXPIRES_MS = 12 * 3_600_000;

export const outboxThread = ({ tokenId, peer }: Which): string => `${tokenId} ${peer}`;

type ToSend = {
  text?: string;
  content?: Content;
  /** An attached file, or the header of a template. */
  file?: File | undefined;
  replyTo?: QuotedMessage | undefined;
};

/** Queues a text, a file with its caption, a location, a contact card, a template or a reaction. */
export function sendTo({ tokenId, peer }: Which, { file, text = '', ...rest }: ToSend): void {
  const thread = outboxThread({ tokenId, peer });
  addUnsent<Body>({ kind: 'conversation', thread, file, body: { tokenId, peer, text, ...rest } });
}

type FileToSend = { file: File; caption: string };

/** Whether a file takes no caption: the text follows as a message of its own. */
export const isWordless = (file: File): boolean => file.type.startsWith('audio/');

export function sendFiles(
  which: Which,
  { files, replyTo }: { files: readonly FileToSend[]; replyTo?: QuotedMessage | undefined },
): void {
  for (const [index, { file, caption }] of files.entries()) {
    const text = caption.trim();
    const isApart = isWordless(file) && text !== '';
    sendTo(which, {
      file,
      text: isApart ? '' : text,
      ...(index === 0 && replyTo && { replyTo }),
    });
    if (isApart) sendTo(which, { text });
  }
}

/** Queues a reaction, in place of a failed one to the same message. */
export function sendReaction(
  which: Which,
  { messageId, emoji }: { messageId: string; emoji: string },
): void {
  unsent
    .get()
    .filter((one) => one.kind === 'conversation' && one.failed)
    .filter((one) => reactsTo(one as Outgoing) === messageId)
    .forEach(dropUnsent);
  sendTo(which, { content: { type: 'reaction', messageId, emoji } });
}

/** The message that a reaction refers to; undefined for other content. */
export const reactsTo = ({ body: { content } }: Outgoing): string | undefined =>
  content?.type === 'reaction' ? content.messageId : undefined;

export const startConversations = (client: QueryClient): (() => void) =>
  startOutbox<Body>({
    kind: 'conversation',
    purpose: 'media',
    expiresMs: EXPIRES_MS,
    send: async ({ body }, attempt) => {
      const sent = await post(body, attempt);
      return () =>
        body.content?.type === 'reaction'
          ? showReaction(client, body, body.content)
          : addToThread(client, sent);
    },
  });

type Attempt = { key: string; upload: string | undefined };

function post(
  { tokenId, peer, replyTo, content, text }: Body,
  attempt: Attempt,
): Promise<ConversationMessage> {
  const { upload } = attempt;
  const to = { token_id: tokenId, to: writtenPeer(peer) };
  const place = { ...to, reply_to: replyTo?.id };
  // Its key is replaced after a password prompt.
  const request = <Input extends object>(input: Input) => Object.assign(attempt, { input });
  switch (content?.type) {
    case 'location':
      return performWithReauth(acts.sendLocation, request({ ...place, ...content.place }));
    case 'contact': {
      const { phone, ...card } = content.card;
      return performWithReauth(
        acts.sendContact,
        request({ ...place, ...card, phone: `+${phone}` }),
      );
    }
    case 'template': {
      const { shown: _, variables, buttons, ...template } = content.template;
      const lists = { variables: variables && [...variables], buttons: buttons && [...buttons] };
      return performWithReauth(
        acts.sendTemplate,
        request({ ...place, ...template, ...lists, upload }),
      );
    }
    case 'reaction': {
      const { messageId, emoji } = content;
      return performWithReauth(acts.sendReaction, request({ ...to, message_id: messageId, emoji }));
    }
    case undefined:
      return upload === undefined
        ? performWithReauth(sendMessage, request({ ...place, text }))
        : performWithReauth(
            acts.sendFile,
            request({ ...place, upload, caption: text || undefined }),
          );
  }
}

/** Converts outgoing content for the renderer; `file` is the header of a template. */
export function contentShown(content: Content, file?: ChatMessage): ChatMessage {
  switch (content.type) {
    case 'location': {
      const { name = null, address = null, ...at } = content.place;
      return { type: 'location', place: { ...at, name, address } };
    }
    case 'contact':
      return { type: 'vcard', ...content.card };
    case 'template': {
      const { header, body, footer, buttons } = content.template.shown;
      const media = file && { media: file.type };
      const template = { header, footer, buttons: [...buttons], ...media };
      return { ...file, type: 'template', caption: body, template };
    }
    case 'reaction':
      return { type: 'text', caption: content.emoji };
  }
}
