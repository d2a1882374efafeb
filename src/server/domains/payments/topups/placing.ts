import type { Rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { TOPUPS_DAY_MAX, TOPUPS_OPEN_MAX } from '#contract/saldo-summary.ts';
import type { TopupMethod } from '#contract/saldo.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

export type TopupRequest = {
  accountId: string;
  key: string;
  /** The amount before PPN and kode unik. */
  base: Rupiah;
  method: TopupMethod;
  invoiceId?: string;
};

/** Locks the account's row, so that its top-ups are created one after another; refuses inactive ones. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  const [holder] = await tx<{ account: string; wallet: string }[]>`
    select a.status as account, w.status as wallet
    from accounts a join wallets w using (account_id)
    where a.account_id = ${accountId} for no key update of a`;
  if (holder?.account !== 'active') throw new Refusal('account_suspended', {});
  if (holder.wallet !== 'active') throw new Refusal('wallet_frozen', {});
}

/** The earlier top-up of a key. @throws Refusal `idempotency_conflict` when it has another amount or method. */
export async function existingTopup(
  tx: Tx,
  { accountId, key, base, method }: TopupRequest,
): Promise<string | undefined> {
  const [existing] = await tx<{ topup_id: string; base: number; method: string }[]>`
    select topup_id, base, method from topups
    where account_id = ${accountId} and request_key = ${key}`;
  if (existing && (existing.base !== base || existing.method !== method)) {
    throw new Refusal('idempotency_conflict', {});
  }
  return existing?.topup_id;
}

const DAY_MS = 86_400_000;

type LimitedTopups = { waiting: number; unpaid: number };

/** Counts the top-ups that limit another one: the waiting ones, and the unsuccessful ones of the last 24 hours. */
export async function limitedTopups(tx: Tx, accountId: string, now: Date): Promise<LimitedTopups> {
  const [counted] = await tx<LimitedTopups[]>`
    select
      (select count(*) from topups
        where account_id = ${accountId} and status in ('creating', 'pending')
          and expires_at > ${now}) as waiting,
      (select count(*) from topups
        where account_id = ${accountId} and status in ('expired', 'cancelled', 'review', 'rejected')
          and (provider = 'bank' or provider_ref is not null)
          and created_at > ${new Date(now.getTime() - DAY_MS)}) as unpaid`;
  return counted ?? { waiting: 0, unpaid: 0 };
}

/**
 * Refuses another top-up at the limit of waiting ones, and at the limit of unpaid ones within a day: each blocks an
 * amount for a week, or costs requests to a gateway.
 *
 * @throws Refusal `topup_too_many`, `topup_too_often`.
 */
export async function refuseTooMany(tx: Tx, accountId: string, now: Date): Promise<void> {
  const { waiting, unpaid } = await limitedTopups(tx, accountId, now);
  if (waiting >= TOPUPS_OPEN_MAX) {
    throw new Refusal('topup_too_many', { limit: TOPUPS_OPEN_MAX });
  }
  if (unpaid >= TOPUPS_DAY_MAX) {
    throw new Refusal('topup_too_often', { limit: TOPUPS_DAY_MAX });
  }
}
