import * as inbox from '#contract/operator/support.ts';
import type { OperatorThread } from '#contract/operator/support.ts';
import { deleteCanned, listCanned, saveCanned } from '#server/domains/support/canned.ts';
import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import { closeThread, reopenThread, markRead } from '#server/domains/support/thread/closing.ts';
import { messagesPage, openTyping } from '#server/domains/support/thread/customer-acts.ts';
import {
  type Thread,
  emptyThread,
  readThread,
  existingThread,
  viewThread,
} from '#server/domains/support/thread/line.ts';
import {
  sendThreadMessage,
  eventMessage,
  reopened,
  withMessage,
  writeAll,
} from '#server/domains/support/thread/send.ts';
import { transcriptLink } from '#server/domains/support/transcript.ts';
import { type ActHandler, type Call, handle } from '#server/infra/acts.ts';
import { findCustomer, inboxCounts, inboxPage, assigneeOf } from './list.ts';
import { publicId } from '#contract/base/ids.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { answeringOperators } from '#server/domains/accounts/accounts.ts';
import { planNameOf } from '#server/domains/billing/billing.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import { countFailed } from '#server/domains/messages/messages.ts';
import { waitedMinutes } from '#server/domains/support/hours.ts';
import { tokensOf } from '#server/domains/tokens/tokens.ts';
import { isolated } from '#contract/base/names.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { WIB, formatDateTimeZone } from '#contract/base/time.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

const side = 'operator';
const viewerOf = ({ caller: { userId } }: Call<'operator'>): Viewer => ({ side, userId });

export function inboxActs(deps: SupportDeps): readonly ActHandler[] {
  const type = openTyping(deps);
  const view = ({ caller }: Call<'operator'>, known: Thread) =>
    inboxThread(deps, { accountId: known.account_id, operatorId: caller.userId, known });
  return [
    handle(inbox.listInbox, ({ caller }, input) =>
      inboxPage(deps, { ...input, operatorId: caller.userId }),
    ),
    handle(inbox.countInbox, ({ caller }) => inboxCounts(deps, caller.userId)),
    handle(inbox.getInboxThread, ({ caller }, { account_id: accountId }) =>
      inboxThread(deps, { accountId, operatorId: caller.userId }),
    ),
    handle(inbox.inboxMessages, async (call, { account_id: accountId, ...query }) => {
      await findCustomer(deps.allAccountsSql, accountId);
      return messagesPage(deps, { ...query, accountId, viewer: viewerOf(call) });
    }),
    handle(inbox.sendInbox, (call, { account_id: accountId, internal, ...given }) =>
      sendThreadMessage(deps, given, {
        accountId,
        viewer: viewerOf(call),
        internal: internal !== undefined,
      }),
    ),
    handle(inbox.readInbox, async (call, { account_id: accountId, seq }) =>
      view(call, await markRead(deps, { accountId, side, seq })),
    ),
    handle(inbox.typeInbox, async (call, { account_id: accountId, doing }) => {
      await findCustomer(deps.allAccountsSql, accountId);
      await type({ accountId, viewer: viewerOf(call), ...(doing && { doing }) });
      return {};
    }),
    handle(inbox.assignInbox, async (call, { account_id: accountId, operator_id: operatorId }) =>
      view(call, await assignThread(deps, { accountId, operatorId })),
    ),
    handle(inbox.snoozeInbox, async (call, { account_id: accountId, until }) =>
      view(call, await snoozeThread(deps, { accountId, until: new Date(until) })),
    ),
    handle(inbox.closeInbox, async (call, { account_id: accountId }) =>
      view(call, await closeThread(deps, { accountId, side }, 'Percakapan ditutup')),
    ),
    handle(inbox.reopenInbox, async (call, { account_id: accountId }) =>
      view(call, await reopenThread(deps, { accountId, side })),
    ),
    handle(inbox.inboxTranscript, async (_, { account_id: accountId }) => {
      await findCustomer(deps.allAccountsSql, accountId);
      return { url: transcriptLink(deps, accountId) };
    }),
    handle(inbox.listCanned, async () => ({ replies: await listCanned(deps) })),
    handle(inbox.saveCanned, ({ caller }, reply) =>
      saveCanned(deps, { ...reply, operatorId: caller.userId }),
    ),
    handle(inbox.deleteCanned, async (_, { name }) => {
      await deleteCanned(deps, name);
      return {};
    }),
  ];
}

const FAILED_MS = 24 * 3_600_000;
const TOKENS_MAX = 20;

/**
 * A customer's thread with facts about the customer.
 *
 * @param known the thread as an act has just left it.
 * @throws Refusal `not_found`.
 */
async function inboxThread(
  deps: SupportDeps,
  { accountId, operatorId, known }: { accountId: string; operatorId: string; known?: Thread },
): Promise<OperatorThread> {
  const { allAccountsSql: sql } = deps;
  const at = deps.now();
  const facts = await findCustomer(sql, accountId);
  const [found, wallet, plan, tokens, failed, operators] = await Promise.all([
    known ?? readThread(sql, accountId),
    walletOf(sql, accountId),
    planNameOf(sql, accountId),
    tokensOf(sql, accountId, TOKENS_MAX),
    countFailed(sql, accountId, new Date(at.getTime() - FAILED_MS)),
    answeringOperators(sql),
  ]);
  const thread = found ?? emptyThread(accountId, at);
  const view = await viewThread(deps, thread, 'operator');
  const names = new Map(operators.map(({ user_id, name }) => [user_id, name]));
  return {
    ...view,
    account_id: publicId('account', accountId),
    account_name: facts.name,
    phone: facts.phone === '' ? '' : formatPhone(facts.phone),
    waiting_since: thread.waiting_since,
    waited_minutes: waitedMinutes(deps.hours(), thread.waiting_since, at),
    snoozed_until: view.status === 'snoozed' ? thread.snoozed_until : null,
    assignee: assigneeOf(thread.assignee, names, operatorId),
    operators: operators.map(({ user_id, name }) => ({ id: publicId('user', user_id), name })),
    customer: {
      since: facts.since,
      status: facts.status,
      available: wallet.available,
      plan,
      tokens: tokens.map(({ id, name, status }) => ({ id, name, status })),
      failed,
    },
  };
}

const SNOOZE_DAYS_MAX = 30;

/**
 * Assigns a thread; without `operatorId` it has no assignee.
 *
 * @throws Refusal `not_found` without a thread, or if the operator does not answer customers.
 */
async function assignThread(
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
    const line = eventMessage(event, words, { at: deps.now(), internal: true });
    const unwritten = { thread: { ...before, assignee }, lines: [] };
    const written = withMessage(unwritten, line, deps.hours());
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
 * Postpones a thread until a time within 30 days; a closed one is open again from then on.
 *
 * @throws Refusal `not_found`, `input_invalid` for another time.
 */
async function snoozeThread(
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
    const line = eventMessage('snoozed', words, { at, internal: true });
    const { thread: after, lines } = withMessage(open, line, hours);
    const snoozed = { ...after, status: 'snoozed' as const, snoozed_until: until };
    await writeAll(tx, deps, { before, written: { thread: snoozed, lines } });
    return snoozed;
  });
  deps.onNews();
  return thread;
}
