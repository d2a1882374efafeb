import { publicId } from '#contract/base/ids.ts';
import type { SupportDoing } from '#contract/support.ts';
import { operatorNames } from '#server/domains/accounts/accounts.ts';
import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import { openBuckets } from '#server/infra/acts.ts';
import { nameOf } from './transaction.ts';

/** Somebody who types is told of once in two seconds; what comes between says nothing new. */
const PACE = { burst: 1, perSecond: 0.5 };

/** Somebody who types in a thread, or, of operators, has it before their eyes. */
export type Typing = { accountId: string; viewer: Viewer; doing?: SupportDoing };

/**
 * Tells the other side, and an operator's colleagues, that somebody is typing. Notes and looks are the colleagues'
 * alone.
 */
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
