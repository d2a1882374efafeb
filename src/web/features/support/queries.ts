import { shownPeer } from '#contract/messages/peer.ts';
import { queryOptions } from '@tanstack/react-query';
import { sendSupport, supportHelp, supportThread, type SupportMessage } from '#contract/support.ts';
import { performWithReauth, perform } from '#web/api/act.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import type { SupportDraft } from '#web/features/support/port.ts';

/** The key of a customer's own thread, in caches, drafts and the outbox. */
export const OWN = 'own';

export const threadQuery = queryOptions({
  queryKey: ['support', 'thread'],
  queryFn: ({ signal }) => perform(supportThread, {}, { signal }),
});

export const helpQuery = queryOptions({
  queryKey: ['support', 'help'],
  queryFn: ({ signal }) => perform(supportHelp, {}, { signal }),
});

/** Each attempt has its own idempotency key: the server recognizes the message by its id. */
export function sendOwn(draft: SupportDraft): Promise<SupportMessage> {
  return performWithReauth(sendSupport, { input: draftFields(draft), key: newIdempotencyKey() });
}

export const draftFields = ({ message_id, text, upload, contact, about }: SupportDraft) => ({
  message_id,
  text,
  upload,
  contact_name: contact?.name,
  contact_phone: contact && shownPeer(contact.phone),
  about_type: about?.type,
  about_id: about?.id,
});
