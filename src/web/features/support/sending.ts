import type { QueryClient } from '@tanstack/react-query';
import { shownPeer } from '#contract/messages/peer.ts';
import { sendSupport, type SupportCard, type SupportMessage } from '#contract/support.ts';
import { performWithReauth } from '#web/api/act.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import { startOutbox } from '#web/api/outbox.ts';
import type { Unsent } from '#web/api/unsent.ts';
import { addLine } from '#web/features/support/lines.ts';

export type SupportBody = {
  text?: string | undefined;
  contact?: { name: string; phone: string } | undefined;
  card?: SupportCard | undefined;
  internal?: boolean | undefined;
};

type SupportInput = ReturnType<typeof inputOf>;

const inputOf = ({ id, body }: Unsent<SupportBody>, upload: string | undefined) => ({
  message_id: id,
  text: body.text,
  upload,
  contact_name: body.contact?.name,
  contact_phone: body.contact && shownPeer(body.contact.phone),
  about_type: body.card?.type,
  about_id: body.card?.id,
});

/**
 * Sends messages of customer service, on either side. Each attempt has a new idempotency key, because the server
 * recognizes a message by its id, and a key is locked for a while when the server is killed.
 *
 * @returns the stop function
 */
export const startSupportOutbox = (
  client: QueryClient,
  kind: 'support' | 'inbox',
  send: (
    request: { input: SupportInput; key: string },
    message: Unsent<SupportBody>,
  ) => Promise<SupportMessage>,
): (() => void) =>
  startOutbox<SupportBody>({
    kind,
    purpose: 'chat',
    send: async (message, { upload }) => {
      const request = { input: inputOf(message, upload), key: newIdempotencyKey() };
      const sent = await send(request, message);
      return () => addLine(client, message.thread, sent);
    },
  });

export const startSupport = (client: QueryClient): (() => void) =>
  startSupportOutbox(client, 'support', (request) => performWithReauth(sendSupport, request));
