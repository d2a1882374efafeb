import { sendMessage, type ConversationMessage } from '#contract/messages.ts';
import { sendFile } from '#contract/messages/sending.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { performWithReauth } from '#web/api/act.ts';
import type { Content } from '#web/features/messages/conversations/thread/sending/content.ts';
import type { Which } from '#web/features/messages/conversations/queries.ts';

type Posted = Which & {
  text: string;
  content?: Content | undefined;
  replyTo?: { id: string } | undefined;
};

type Place = { token_id: string; to: string; reply_to: string | undefined };

/**
 * Sends a queued message to the server, once.
 *
 * @param keyed its key; after a password prompt, the retry uses the key that this attempt had from then on.
 */
export function post(
  { tokenId, peer, replyTo, content, text }: Posted,
  upload: string | undefined,
  keyed: { key: string },
): Promise<ConversationMessage> {
  const place = { token_id: tokenId, to: writtenPeer(peer), reply_to: replyTo?.id };
  if (content) return postContent({ place, content, upload }, keyed);
  return upload === undefined
    ? performWithReauth(sendMessage, Object.assign(keyed, { input: { ...place, text } }))
    : performWithReauth(
        sendFile,
        Object.assign(keyed, { input: { ...place, upload, caption: text || undefined } }),
      );
}

type ContentPost = { place: Place; content: Content; upload: string | undefined };

/** These acts are loaded when the first of them is sent: most messages are texts. */
async function postContent(
  { place, content, upload }: ContentPost,
  keyed: { key: string },
): Promise<ConversationMessage> {
  const acts = await import('#contract/messages/sending.ts');
  const asking = <Input extends object>(input: Input) => Object.assign(keyed, { input });
  switch (content.type) {
    case 'location':
      return performWithReauth(acts.sendLocation, asking({ ...place, ...content.place }));
    case 'contact': {
      const { phone, ...card } = content.card;
      return performWithReauth(acts.sendContact, asking({ ...place, ...card, phone: `+${phone}` }));
    }
    case 'template': {
      const { shown: _, variables, buttons, ...template } = content.template;
      const lists = { variables: variables && [...variables], buttons: buttons && [...buttons] };
      return performWithReauth(
        acts.sendTemplate,
        asking({ ...place, ...template, ...lists, upload }),
      );
    }
    case 'reaction': {
      const { reply_to: _, ...to } = place;
      const { messageId, emoji } = content;
      return performWithReauth(acts.sendReaction, asking({ ...to, message_id: messageId, emoji }));
    }
  }
}
