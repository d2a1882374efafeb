import { retrySentence, waitSentence } from '#contract/messages/failures.ts';
import type { Language } from '#contract/language/language.ts';
import { Failure } from '#contract/messages.ts';
import type { ApiMessage } from '#contract/rest/messages.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

/** What the row of a message does not have: its schedule, and the progress of its sending. */
export type Progress = {
  message_id: string;
  /** ISO 8601; null when it was to leave at once. */
  send_at: string | null;
  /** How its newest try ended, while it waits for the next one; null when none failed. */
  ended: 'retrying' | 'unknown' | null;
  reason: string | null;
  tries: number | null;
  /** Not before; null while a try is under way. */
  next_at: Date | null;
};

/** The progress of some messages, by id; what has left the queue is not tried again. */
export async function readProgress(
  tx: Tx,
  accountId: string,
  messageIds: readonly string[],
): Promise<ReadonlyMap<string, Progress>> {
  const found = await tx<Progress[]>`
    select i.message_id, plan.detail as send_at, last.kind as ended, last.detail as reason,
      d.attempt as tries, case when d.state <> 'sending' then d.ready_at end as next_at
    from unnest(${messageIds}::uuid[]) as i(message_id)
    left join lateral (
      select e.detail from message_events e
      where e.account_id = ${accountId} and e.message_id = i.message_id and e.kind = 'scheduled'
      order by e.n desc limit 1
    ) plan on true
    left join dispatch d on d.account_id = ${accountId} and d.message_id = i.message_id
    left join lateral (
      select e.kind, e.detail from message_events e
      where e.account_id = ${accountId} and e.message_id = d.message_id
        and e.kind in ('retrying', 'unknown')
      order by e.n desc limit 1
    ) last on true`;
  return new Map(found.map((one) => [one.message_id, one]));
}

/** That a try failed and another one follows by itself; null when that is not so. */
export function retryingOf(
  progress: Progress | undefined,
  language: Language,
): ApiMessage['retrying'] {
  if (!progress || progress.ended === null) return null;
  const reason = Failure().safeParse(progress.reason);
  const code = reason.success ? reason.data : 'no_answer';
  return {
    code,
    detail: progress.ended === 'unknown' ? waitSentence(language) : retrySentence(code, language),
    tries: progress.tries ?? 0,
    next_try_at: progress.next_at,
  };
}
