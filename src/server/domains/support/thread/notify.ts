import { isolated } from '#contract/base/names.ts';
import { publicId } from '#contract/base/ids.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { queueNotice } from '#server/domains/push/push.ts';
import type { SupportDeps } from '#server/domains/support/deps.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { type ThreadMessage, previewOf, shownStatus, type Thread } from './line.ts';

const ANSWERING = ['support', 'admin'] as const;

/** The tag of a browser's notices of a thread: the newest replaces older ones. */
export const inboxTag = (accountId: string): string => `support-${publicId('account', accountId)}`;

const inboxUrl = (accountId: string): string =>
  `/operator/layanan?open=${publicId('account', accountId)}`;

/** Announces messages to open tabs of both sides, to the customer only those they may see. */
export async function announceMessages(
  tx: Tx,
  { accountId, name }: { accountId: string; name: string },
  lines: readonly ThreadMessage[],
): Promise<void> {
  for (const line of lines) {
    const data = {
      account_id: publicId('account', accountId),
      id: publicId('support', line.message_id),
      seq: line.seq,
      side: line.side,
      name: line.side === 'customer' ? name : (line.author ?? ''),
      at: line.at.toISOString(),
    };
    if (!line.internal) await appendEvent(tx, { accountId, kind: 'support.message', data });
    await tx`select notify_operators('support.message', ${json(data)})`;
  }
}

/**
 * Announces changed marks, status or assignment to open tabs of both sides.
 *
 * @param isShown false for changes that only operators see.
 */
export async function announceChange(tx: Tx, thread: Thread, isShown = true): Promise<void> {
  const { account_id: accountId, customer_read, operator_read, shown_seq } = thread;
  const facts = { account_id: publicId('account', accountId), customer_read };
  const data = { ...facts, operator_read, status: thread.status };
  await tx`select notify_operators('support.changed', ${json(data)})`;
  if (!isShown) return;
  await appendEvent(tx, {
    accountId,
    kind: 'support.changed',
    data: {
      ...facts,
      operator_read: Math.min(operator_read, shown_seq),
      status: shownStatus(thread),
    },
  });
}

/** Notifies browsers of the other side of a message, without its text unless the user enabled that. */
export function notifyOtherSide(
  tx: Tx,
  { systemAccountId }: Pick<SupportDeps, 'systemAccountId'>,
  { accountId, name, line }: { accountId: string; name: string; line: ThreadMessage },
): Promise<void> {
  if (line.side === 'customer') {
    return queueNotice(tx, {
      accountId: systemAccountId,
      title: `${isolated(name)} menulis ke layanan pelanggan`,
      body: 'Buka percakapannya untuk membalas.',
      url: inboxUrl(accountId),
      tag: inboxTag(accountId),
      roles: ANSWERING,
    });
  }
  return queueNotice(tx, {
    accountId,
    title: 'Balasan dari layanan pelanggan',
    body: 'Buka percakapan untuk membacanya.',
    text: previewOf(line),
    url: '/customer-service',
    tag: 'support',
  });
}
