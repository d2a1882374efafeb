import * as inbox from '#contract/operator/support.ts';
import { deleteCanned, listCanned, saveCanned } from '#server/domains/support/canned/canned.ts';
import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import { closeThread, reopenThread } from '#server/domains/support/thread/closing.ts';
import { linesPage } from '#server/domains/support/thread/customer-acts.ts';
import { markRead } from '#server/domains/support/thread/marks.ts';
import type { Thread } from '#server/domains/support/thread/row.ts';
import { sendLine } from '#server/domains/support/thread/send.ts';
import { transcriptLink } from '#server/domains/support/transcript/transcript.ts';
import { openTyping } from '#server/domains/support/thread/typing.ts';
import { type ActHandler, type Call, handle } from '#server/infra/acts/act.ts';
import { assignThread, snoozeThread } from './assign.ts';
import { findCustomer } from './customer.ts';
import { inboxThread } from './get.ts';
import { inboxCounts, inboxPage } from './list.ts';

const side = 'operator';
const viewerOf = ({ caller: { userId } }: Call<'operator'>): Viewer => ({ side, userId });

/** The acts of operators: the inbox, and one customer's thread. */
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
      return linesPage(deps, { ...query, accountId, viewer: viewerOf(call) });
    }),
    handle(inbox.sendInbox, (call, { account_id: accountId, internal, ...given }) =>
      sendLine(deps, given, {
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
