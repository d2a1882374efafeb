import { isolated } from '#contract/base/names.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { WIB, formatDateTimeZone } from '#contract/base/time.ts';
import { answeringOperators } from '#server/domains/accounts/accounts.ts';
import type { SupportDeps } from '#server/domains/support/deps.ts';
import { type Thread, existingThread } from '#server/domains/support/thread/row.ts';
import { eventLine, reopened, withLine } from '#server/domains/support/thread/rules.ts';
import { writeAll } from '#server/domains/support/thread/transaction.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

const SNOOZE_DAYS_MAX = 30;

/**
 * Who looks after a thread from now on; nobody in particular without `operatorId`.
 *
 * @throws Refusal `not_found` when there is no thread, or the operator does not answer customers.
 */
export async function assignThread(
  deps: SupportDeps,
  { accountId, operatorId }: { accountId: string; operatorId: string | undefined },
): Promise<Thread> {
  const thread = await deps.allAccountsSql.begin(async (tx) => {
    const before = await existingThread(tx, accountId);
    const assignee = operatorId ?? null;
    if (before.assignee === assignee) return before;
    const words =
      assignee === null
        ? 'Tidak lagi ditugaskan kepada siapa pun'
        : `Ditugaskan kepada ${isolated(await answeringName(tx, assignee))}`;
    const event = assignee === null ? 'unassigned' : 'assigned';
    const line = eventLine(event, words, { at: deps.now(), internal: true });
    const unwritten = { thread: { ...before, assignee }, lines: [] };
    const written = withLine(unwritten, line, deps.hours());
    await writeAll(tx, deps, { before, written });
    return written.thread;
  });
  deps.onNews();
  return thread;
}

async function answeringName(tx: Tx, operatorId: string): Promise<string> {
  const operator = (await answeringOperators(tx)).find(({ user_id }) => user_id === operatorId);
  if (!operator) throw new Refusal('not_found', { what: 'Operator' });
  return operator.name;
}

/**
 * Puts a thread off until a time within 30 days; one that is closed is open again from then on.
 *
 * @throws Refusal `not_found`, `input_invalid` for another time.
 */
export async function snoozeThread(
  deps: SupportDeps,
  { accountId, until }: { accountId: string; until: Date },
): Promise<Thread> {
  const at = deps.now();
  const days = (until.getTime() - at.getTime()) / 86_400_000;
  if (!(days > 0 && days <= SNOOZE_DAYS_MAX)) {
    const fields = { until: `Pilih waktu dalam ${SNOOZE_DAYS_MAX} hari ke depan.` };
    throw new Refusal('input_invalid', { fields });
  }
  const thread = await deps.allAccountsSql.begin(async (tx) => {
    const before = await existingThread(tx, accountId);
    const hours = deps.hours();
    const unwritten = { thread: before, lines: [] };
    const open = before.status === 'closed' ? reopened(unwritten, at, hours) : unwritten;
    const words = `Ditunda sampai ${formatDateTimeZone(until, WIB)}`;
    const line = eventLine('snoozed', words, { at, internal: true });
    const { thread: after, lines } = withLine(open, line, hours);
    const snoozed = { ...after, status: 'snoozed' as const, snoozed_until: until };
    await writeAll(tx, deps, { before, written: { thread: snoozed, lines } });
    return snoozed;
  });
  deps.onNews();
  return thread;
}
