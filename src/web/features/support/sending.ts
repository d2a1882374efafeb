import type { QueryClient } from '@tanstack/react-query';
import { shownPeer } from '#contract/messages/peer.ts';
import { sendSupport, type SupportCard, type SupportMessage } from '#contract/support.ts';
import { performWithReauth } from '#web/api/act.ts';
import { startOutbox } from '#web/api/outbox.ts';
import type { Unsent } from '#web/api/unsent.ts';
import { addLine } from '#web/features/support/lines.ts';

export type SupportBody = {
  text?: string | undefined;
  contact?: { name: string; phone: string } | undefined;
  card?: SupportCard | undefined;
  internal?: boolean | undefined;
};

type Input = ReturnType<typeof inputOf>;

/** The server recognizes a message by its id, however often it is sent. */
const inputOf = ({ id, body }: Unsent<SupportBody>, upload: string | undefined) => ({
  message_id: id,
  text: body.text,
  upload,
  contact_name: body.contact?.name,
  contact_phone: body.contact && shownPeer(body.contact.phone),
  about_type: body.card?.type,
  about_id: body.card?.id,
});

/** @param attempt its key is replaced by the one of the last call. */
type Send = (
  input: Input,
  attempt: { key: string },
  message: Unsent<SupportBody>,
) => Promise<SupportMessage>;

/** Sends messages of customer service, on either side. @returns the stop function */
export const startSupportOutbox = (
  client: QueryClient,
  kind: 'support' | 'inbox',
  send: Send,
): (() => void) =>
  startOutbox<SupportBody>({
    kind,
    purpose: 'chat',
    send: async (message, attempt) => {
      const sent = await send(inputOf(message, attempt.upload), attempt, message);
      return () => addLine(client, message.thread, sent);
    },
  });

export const startSupport = (client: QueryClient): (() => void) =>
  startSupportOutbox(client, 'support', (input, attempt) =>
    performWithReauth(sendSupport, Object.assign(attempt, { input })),
  );
