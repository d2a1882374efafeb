import type { QueryClient } from '@tanstack/react-query';
import {
  inboxMessages,
  readInbox,
  sendInbox,
  typeInbox,
  type OperatorThread,
} from '#contract/operator/support.ts';
import type { SupportDoing } from '#contract/events.ts';
import { perform, performWithReauth } from '#web/api/act.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import { customerUrl } from '#web/features/operator/support/address.ts';
import { refreshThread, showThread } from '#web/features/operator/support/queries.ts';
import { draftFields, type SupportDraft, type SupportPort } from '#web/features/support/support.ts';

/** Sends an answer or a note; idempotent per draft. */
export async function sendToCustomer(client: QueryClient, accountId: string, draft: SupportDraft) {
  const input = {
    account_id: accountId,
    ...draftFields(draft),
    internal: draft.internal ? ('1' as const) : undefined,
  };
  const line = await performWithReauth(sendInbox, { input, key: newIdempotencyKey() });
  refreshThread(client, accountId);
  return line;
}

export const tellDoing = (accountId: string, doing: SupportDoing): Promise<unknown> =>
  perform(typeInbox, { account_id: accountId, doing });

type Writing = {
  client: QueryClient;
  thread: OperatorThread | undefined;
  internal: boolean;
};

export const inboxPort = (
  accountId: string,
  { client, thread, internal }: Writing,
): SupportPort => ({
  key: accountId,
  side: 'operator',
  accountId,
  messages: (start, signal) => perform(inboxMessages, { account_id: accountId, start }, { signal }),
  thread,
  send: (draft) => sendToCustomer(client, accountId, draft),
  read: async (seq) => showThread(client, await perform(readInbox, { account_id: accountId, seq })),
  typing: () => tellDoing(accountId, internal ? 'note' : 'answer'),
  hrefOf: ({ type, id }) => customerUrl(accountId, { type, id }),
});
