import { randomInt } from 'node:crypto';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { TOPUPS_OPEN_MAX, type Topup, createTopup } from '#contract/saldo.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import { handle } from '#server/infra/acts/act.ts';
import type { Config } from '#server/infra/config.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { findTopup } from './topup.ts';

const HOUR_MS = 3_600_000;
/** How long a top-up waits for its transfer. */
const TO_PAY_MS = 24 * HOUR_MS;
/** How long after that its amount stays reserved: a late transfer must not pay another's top-up. */
const RESERVED_AFTER_MS = 7 * 24 * HOUR_MS;
const CODES_TRIED = 30;

export type CreateDeps = {
  sql: Sql;
  prices: Pick<Prices, 'ppnOf'>;
  config: Pick<Config, 'KODE_UNIK' | 'BANK_NAME' | 'BANK_NUMBER' | 'BANK_HOLDER'>;
  now: () => Date;
};

export const createTopupHandler = (deps: CreateDeps) =>
  handle(createTopup, ({ caller, key }, { amount }) =>
    placeTopup(deps, { accountId: caller.accountId, key, base: rupiah(amount) }),
  );

type TopupRequest = {
  accountId: string;
  /** The caller's idempotency key. */
  key: string;
  /** What is bought, before PPN and kode unik. */
  base: Rupiah;
};

/**
 * Creates a top-up and reserves its exact amount on our bank account, for 24 hours to pay and 7 days more.
 *
 * Safe to repeat: a `key` already used by this account returns its first top-up.
 *
 * @throws Refusal `topup_too_many`, `topup_amount_busy`, `wallet_frozen`, `account_suspended`,
 *   `idempotency_conflict` when the key was used for another amount.
 */
export async function placeTopup(deps: CreateDeps, request: TopupRequest): Promise<Topup> {
  const { accountId, base } = request;
  const now = deps.now();
  return asAccount(deps.sql, accountId, async (tx) => {
    await lockAccount(tx, accountId);
    const existing = await existingTopup(tx, request);
    if (existing !== undefined) return findTopup(tx, { accountId, topupId: existing, now });
    await refuseTooMany(tx, accountId, now);

    const topupId = newId();
    const ppn = deps.prices.ppnOf(base, now);
    const { BANK_NAME, BANK_NUMBER, BANK_HOLDER } = deps.config;
    const expiresAt = new Date(now.getTime() + TO_PAY_MS);
    const code = await reserve(tx, {
      accountId,
      topupId,
      bank: BANK_NUMBER,
      net: rupiah(base + ppn),
      until: new Date(expiresAt.getTime() + RESERVED_AFTER_MS),
    });
    const income = deps.config.KODE_UNIK === 'income' ? code : 0;
    await tx`
      insert into topups (
        account_id, topup_id, request_key, base, ppn, unique_code, total, credited, income,
        bank_name, bank_number, bank_holder, created_at, expires_at
      ) values (
        ${accountId}, ${topupId}, ${request.key}, ${base}, ${ppn}, ${code}, ${base + ppn + code},
        ${base + code - income}, ${income}, ${BANK_NAME}, ${BANK_NUMBER}, ${BANK_HOLDER}, ${now},
        ${expiresAt}
      )`;
    return findTopup(tx, { accountId, topupId, now });
  });
}

/** Locks the account's row, so that its top-ups are created one after another; refuses inactive ones. */
async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  const [holder] = await tx<{ account: string; wallet: string }[]>`
    select a.status as account, w.status as wallet
    from accounts a join wallets w using (account_id)
    where a.account_id = ${accountId} for no key update of a`;
  if (holder?.account !== 'active') throw new Refusal('account_suspended', {});
  if (holder.wallet !== 'active') throw new Refusal('wallet_frozen', {});
}

async function existingTopup(
  tx: Tx,
  { accountId, key, base }: TopupRequest,
): Promise<string | undefined> {
  const [existing] = await tx<{ topup_id: string; base: number }[]>`
    select topup_id, base from topups where account_id = ${accountId} and request_key = ${key}`;
  if (existing && existing.base !== base) throw new Refusal('idempotency_conflict', {});
  return existing?.topup_id;
}

async function refuseTooMany(tx: Tx, accountId: string, now: Date): Promise<void> {
  const [open] = await tx<{ waiting: number }[]>`
    select count(*) as waiting from topups
    where account_id = ${accountId} and status = 'pending' and expires_at > ${now}`;
  if ((open?.waiting ?? 0) >= TOPUPS_OPEN_MAX) {
    throw new Refusal('topup_too_many', { limit: TOPUPS_OPEN_MAX });
  }
}

type Reservation = { accountId: string; topupId: string; bank: string; net: Rupiah; until: Date };

/** The kode unik that makes `net` an amount that is not reserved: 1 to 999, at random. */
async function reserve(tx: Tx, reservation: Reservation): Promise<number> {
  const codes = new Set<number>();
  while (codes.size < CODES_TRIED) codes.add(randomInt(1, 1000));
  const [reserved] = await tx<{ code: number | null }[]>`
    select reserve_transfer(
      ${reservation.accountId}, ${reservation.topupId}, ${reservation.bank}, ${reservation.net}, ${[...codes]}::int[],
      ${reservation.until}
    ) as code`;
  const code = reserved?.code ?? undefined;
  if (code === undefined) throw new Refusal('topup_amount_busy', {});
  return code;
}
