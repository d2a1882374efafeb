import { oneEach } from '#server/infra/postgres/distribution/scope.ts';
import type { DeskMessage } from '#contract/operator/things.ts';
import type { OutputOf } from '#contract/base/act.ts';
import type { readCustomerMessage } from '#contract/operator/things.ts';
import { type Failure } from '#contract/messages.ts';
import { excerptOf } from '#server/domains/messages/content.ts';
import { hoursBefore, idsBefore, readAsAccount } from '#server/domains/messages/history/pages.ts';
import { failureOf, messageRow, readMessages } from '#server/domains/messages/history/rows.ts';
import { readWithTimeline } from '#server/domains/messages/history/timeline.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

type MessageRef = { accountId: string; messageId: string };

/**
 * A message of an account as operators see it: all but what it says. Its `peer` is whole; who shows it hides
 * the middle.
 *
 * @throws Refusal `not_found` when the account has no such message.
 */
export function messageForDesk(sql: Sql, ref: MessageRef): Promise<DeskMessage> {
  return readAsAccount(sql, ref.accountId, async (tx) => {
    const { stored, timeline } = await readWithTimeline(tx, ref, 'id');
    const { excerpt: _text, peer_name: _name, ...row } = messageRow(stored);
    return {
      ...row,
      by_quota: stored.plan_round !== null && stored.charge_state !== 'released',
      ref: stored.ref,
      timeline,
    };
  });
}

/**
 * What a message of an account says, as lists show it, but whole.
 *
 * @throws Refusal `not_found`.
 */
export function textForDesk(
  sql: Sql,
  ref: MessageRef,
): Promise<OutputOf<typeof readCustomerMessage>> {
  return readAsAccount(sql, ref.accountId, async (tx) => {
    const { stored } = await readWithTimeline(tx, ref, 'id');
    const { text, caption } = stored.body as { text?: unknown; caption?: unknown };
    const words = [text, caption].find((one) => typeof one === 'string' && one !== '');
    const shown = typeof words === 'string' ? words : excerptOf(stored.type, stored.body);
    return { type: stored.type, text: shown === '' ? null : shown };
  });
}

export type FailedMessage = {
  messageId: string;
  token: string;
  peer: string;
  failure: Failure;
  at: Date;
};

const FAILED_MAX = 5;

/** The newest messages of an account that failed, found by the counts. */
export function lastFailures(sql: Sql, accountId: string): Promise<FailedMessage[]> {
  const filter = { direction: 'out', statuses: ['failed'] } as const;
  return readAsAccount(sql, accountId, async (tx) => {
    const query = { accountId, filter, limit: FAILED_MAX, cursor: undefined };
    const ids = idsBefore(tx, query, await hoursBefore(tx, query));
    const found = await readMessages(tx, { accountId, ids, order: 'newest' });
    return found.map((stored) => ({
      messageId: stored.message_id,
      token: stored.token_name,
      peer: stored.peer,
      failure: failureOf(stored) ?? 'rejected',
      at: stored.created_at,
    }));
  });
}

/**
 * Whose message it is, by its id. No index has ids over all accounts, which every message would pay for: each
 * account is asked for its own, some 10 ms for 5,000.
 */
export async function holderOfMessage(sql: Sql, messageId: string): Promise<string | undefined> {
  const [found] = await sql<{ id: string }[]>`
    select a.account_id as id from accounts a cross join lateral (
      select 1 from messages m where m.account_id = a.account_id and m.message_id = ${messageId}
      ${oneEach(sql)}
    ) found where not a.is_system limit 1`;
  return found?.id;
}

/** The message that a customer's own reference names, or a channel's id of one that came in. */
export async function messageOfRef(sql: Sql, ref: string): Promise<MessageRef | undefined> {
  const [found] = await sql<MessageRef[]>`
    select a.account_id as "accountId", found.message_id as "messageId"
    from accounts a cross join lateral (
      select message_id from message_refs r
      where r.account_id = a.account_id and r.ref = any(${[ref, `\u0001in:${ref}`]}::text[])
      ${oneEach(sql)}
    ) found where not a.is_system limit 1`;
  return found;
}
