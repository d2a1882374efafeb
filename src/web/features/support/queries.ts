import { shownPeer } from '#contract/messages/peer.ts';
import { queryOptions } from '@tanstack/react-query';
import { sendSupport, supportHelp, supportThread, type SupportMessage } from '#contract/support.ts';
import { performWithReauth, perform } from '#web/api/act.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import type { SupportDraft } from '#web/features/support/port.ts';

/** A customer's own thread, in caches, drafts and the outbox. */
export const OWN = 'own';

/** How one's own thread stands. */
export const threadQuery = queryOptions({
  queryKey: ['support', 'thread'],
  queryFn: ({ signal }) => perform(supportThread, {}, { signal }),
});

/** What probably is the matter, as the account stands now. */
export const helpQuery = queryOptions({
  queryKey: ['support', 'help'],
  queryFn: ({ signal }) => perform(supportHelp, {}, { signal }),
});

/** Writes to one's own thread. Each try has a key of its own: the server knows the line by its id. */
export function sendOwn(draft: SupportDraft): Promise<SupportMessage> {
  return performWithReauth(sendSupport, { input: draftFields(draft), key: newIdempotencyKey() });
}

/** A draft as the acts of both sides take it. */
export const draftFields = ({ message_id, text, upload, contact, about }: SupportDraft) => ({
  message_id,
  text,
  upload,
  contact_name: contact?.name,
  contact_phone: contact && shownPeer(contact.phone),
  about_type: about?.type,
  about_id: about?.id,
});
