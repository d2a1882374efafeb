import { readSubscription } from '#server/domains/billing/billing.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import { newestFailed } from '#server/domains/messages/messages.ts';
import { recentTopups } from '#server/domains/payments/payments.ts';
import type { SupportDeps } from '#server/domains/support/deps.ts';
import { tokensOf } from '#server/domains/tokens/tokens.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { type Cause, causesOf } from './causes.ts';

/** Messages that failed within so many days are looked at, so many at most. */
const FAILED_DAYS = 7;
const FAILED_MAX = 50;
const TOKENS_MAX = 100;

/** What probably is the matter, by what the account shows now; the most pressing first. */
export async function readHelp(
  { sql, now, messagePrice }: SupportDeps,
  accountId: string,
): Promise<Cause[]> {
  const at = now();
  const since = new Date(at.getTime() - FAILED_DAYS * 86_400_000);
  const [account, failed] = await Promise.all([
    asAccount(sql, accountId, async (tx) => {
      const [wallet, tokens, topups, subscription] = await Promise.all([
        walletOf(tx, accountId),
        tokensOf(tx, accountId, TOKENS_MAX),
        recentTopups(tx, accountId, at),
        readSubscription(tx, accountId),
      ]);
      return { wallet, tokens, topups, subscription };
    }),
    newestFailed(sql, accountId, { since, limit: FAILED_MAX }),
  ]);
  return causesOf({ ...account, failed, price: messagePrice() });
}
