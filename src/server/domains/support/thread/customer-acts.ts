import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import * as support from '#contract/support.ts';
import type { SupportDoing } from '#contract/events.ts';
import { readCard } from '#server/domains/support/cards.ts';
import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import { readHelp } from '#server/domains/support/help.ts';
import { type ActHandler, type Call, handle, openBuckets } from '#server/infra/acts.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { closeThread, rateThread, markRead } from './closing.ts';
import { readThreadMessages, viewMessage, viewThread, emptyThread, readThread } from './line.ts';
import { sendThreadMessage, transactionOf, nameOf } from './send.ts';
import { transcriptLink } from '#server/domains/support/transcript.ts';
import { publicId } from '#contract/base/ids.ts';
import { operatorNames } from '#server/domains/accounts/accounts.ts';

const viewerOf = ({ caller: { userId } }: Call<'customer'>): Viewer => ({
  side: 'customer',
  userId,
});

export function customerActs(deps: SupportDeps): readonly ActHandler[] {
  const type = openTyping(deps);
  const view = (thread: Parameters<typeof viewThread>[1]) => viewThread(deps, thread, 'customer');
  const threadOf = (accountId: string) =>
    asAccount(deps.sql, accountId, (tx) => readThread(tx, accountId));
  return [
    handle(support.supportThread, async ({ caller: { accountId } }) =>
      view((await threadOf(accountId)) ?? emptyThread(accountId, deps.now())),
    ),
    handle(support.supportUnread, async ({ caller: { accountId } }) => ({
      total: (await threadOf(accountId))?.customer_unread ?? 0,
    })),
    handle(support.supportMessages, (call, input) =>
      messagesPage(deps, { ...input, accountId: call.caller.accountId, viewer: viewerOf(call) }),
    ),
    handle(support.supportCard, ({ caller: { accountId } }, { about_type: type, about_id: id }) =>
      asAccount(deps.sql, accountId, (tx) =>
        readCard(tx, { accountId, type, id, now: deps.now(), by: 'customer' }),
      ),
    ),
    handle(support.sendSupport, (call, input) =>
      sendThreadMessage(deps, input, { accountId: call.caller.accountId, viewer: viewerOf(call) }),
    ),
    handle(support.readSupport, async ({ caller: { accountId } }, { seq }) =>
      view(await markRead(deps, { accountId, side: 'customer', seq })),
    ),
    handle(support.typeSupport, async ({ caller: { accountId, userId } }) => {
      await type({ accountId, viewer: { side: 'customer', userId } });
      return {};
    }),
    handle(support.closeSupport, async ({ caller: { accountId } }) =>
      view(
        await closeThread(
          deps,
          { accountId, side: 'customer' },
          'Percakapan ditutup oleh pelanggan',
        ),
      ),
    ),
    handle(support.rateSupport, async ({ caller: { accountId } }, input) =>
      view(await rateThread(deps, accountId, input)),
    ),
    handle(support.supportTranscript, async ({ caller: { accountId } }) => ({
      url: transcriptLink(deps, accountId),
    })),
    handle(support.supportHelp, async ({ caller: { accountId, isSuspended } }) => ({
      // Suspended users read the reason on the page, and the pages linked from causes are closed.
      causes: isSuspended ? [] : await readHelp(deps, accountId),
    })),
  ];
}

type MessagesQuery = {
  accountId: string;
  viewer: Viewer;
  start?: number | undefined;
  sort_type?: 'asc' | 'desc' | undefined;
};

/**
 * Messages of a thread from `start` on, the newest first unless sorted otherwise. `total` is a lower bound: one more
 * than shown if the list continues.
 */
export async function messagesPage(
  deps: SupportDeps,
  { accountId, viewer, start = 0, sort_type }: MessagesQuery,
): Promise<PageOf<support.SupportMessage>> {
  const { side } = viewer;
  const order = sort_type === 'asc' ? 'oldest' : 'newest';
  const query = { side, order, offset: start, limit: PAGE_SIZE + 1 } as const;
  const found = await transactionOf(deps, { side, accountId }, async (tx) =>
    readThreadMessages(tx, accountId, query),
  );
  return {
    rows: found.slice(0, PAGE_SIZE).map((line) => viewMessage(deps, line, { accountId, viewer })),
    total: start + found.length,
  };
}

/** Typing is announced once in two seconds; calls in between are dropped. */
const PACE = { burst: 1, perSecond: 0.5 };

type Typing = { accountId: string; viewer: Viewer; doing?: SupportDoing };

/** Announces typing to the other side and to an operator's colleagues. Notes and views go to colleagues only. */
export function openTyping({
  allAccountsSql,
  hub,
  systemAccountId,
}: SupportDeps): (typing: Typing) => Promise<void> {
  const bucket = openBuckets();
  return async ({ accountId, viewer: { side, userId }, doing = 'answer' }) => {
    const what = doing === 'look' ? ' look' : '';
    if (bucket(`${accountId} ${userId}${what}`, PACE) > 0) return;
    const signal = {
      kind: 'support.typing',
      account_id: publicId('account', accountId),
      side,
    } as const;
    if (side === 'customer') {
      const name = await nameOf(allAccountsSql, accountId);
      await hub.signal(systemAccountId, { ...signal, user_id: null, name });
      return;
    }
    const name = (await operatorNames(allAccountsSql, [userId])).get(userId) ?? '';
    if (doing === 'answer') await hub.signal(accountId, { ...signal, user_id: null, name });
    const user_id = publicId('user', userId);
    await hub.signal(systemAccountId, { ...signal, user_id, name, doing });
  };
}
