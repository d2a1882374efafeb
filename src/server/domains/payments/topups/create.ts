import type { TopupDeps } from '#server/domains/payments/deps.ts';
import { randomInt } from 'node:crypto';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Topup, type TopupMethod, createTopup } from '#contract/saldo.ts';
import { placeGatewayTopup } from '#server/domains/payments/gateways/orders.ts';
import { offeredLimits } from '#server/domains/payments/gateways/methods.ts';
import { handle } from '#server/infra/acts.ts';
import { isSimulatedBank } from '#server/infra/config.ts';
import { type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { type TopupRequest, existingTopup, lockAccount, refuseTooMany } from './placing.ts';
import { findTopup } from './topup.ts';

const HOUR_MS = 3_600_000;
const TO_PAY_MS = 24 * HOUR_MS;
/** Reservation of the amount after that: a late transfer must not pay another top-up. */
const RESERVED_AFTER_MS = 7 * 24 * HOUR_MS;
const CODES_TRIED = 30;

export const createTopupHandler = (deps: TopupDeps) =>
  handle(createTopup, async ({ caller, key }, { amount, method = 'bank' }) => {
    const { minimum, maximum } = offeredLimits(deps, method);
    if (amount < minimum || amount > maximum) {
      throw new Refusal('topup_amount_unfit', { minimum, maximum });
    }
    return placeTopup(deps, { accountId: caller.accountId, key, base: rupiah(amount), method });
  });

type AnyRequest = Omit<TopupRequest, 'method'> & { method?: TopupMethod | undefined };

/**
 * Creates a top-up, by bank transfer unless the request has another method. Call it outside a transaction, because it
 * may send a request to a gateway.
 * Safe to repeat: a `key` already used by this account returns its first top-up.
 *
 * @throws Refusal `topup_too_many`, `topup_too_often`, `topup_amount_busy`, `topup_amount_unfit`, `gateway_down`,
 *   `wallet_frozen`, `account_suspended`, `idempotency_conflict` when the key was used for another amount.
 */
export function placeTopup(
  deps: TopupDeps,
  { method = 'bank', ...request }: AnyRequest,
): Promise<Topup> {
  return method === 'bank'
    ? placeTransfer(deps, { ...request, method })
    : placeGatewayTopup(deps, { ...request, method });
}

async function placeTransfer(deps: TopupDeps, request: TopupRequest): Promise<Topup> {
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
        bank_name, bank_number, bank_holder, simulated, created_at, expires_at, invoice_id
      ) values (
        ${accountId}, ${topupId}, ${request.key}, ${base}, ${ppn}, ${code}, ${base + ppn + code},
        ${base + code - income}, ${income}, ${BANK_NAME}, ${BANK_NUMBER}, ${BANK_HOLDER},
        ${isSimulatedBank(BANK_NUMBER)}, ${now}, ${expiresAt}, ${request.invoiceId ?? null}
      )`;
    return findTopup(tx, { accountId, topupId, now });
  });
}

type Reservation = { accountId: string; topupId: string; bank: string; net: Rupiah; until: Date };

/**
 * Random candidates for the kode unik, 1 to 999, without those that make a round sum of `net`: a customer who forgets
 * the kode unik transfers a round sum, which must not pay another top-up.
 */
export function codesFor(net: Rupiah): number[] {
  const codes = new Set<number>();
  while (codes.size < CODES_TRIED) {
    const code = randomInt(1, 1000);
    if ((net + code) % 10 !== 0) codes.add(code);
  }
  return [...codes];
}

async function reserve(tx: Tx, reservation: Reservation): Promise<number> {
  const [reserved] = await tx<{ code: number | null }[]>`
    select reserve_transfer(
      ${reservation.accountId}, ${reservation.topupId}, ${reservation.bank}, ${reservation.net}, ${codesFor(reservation.net)}::int[],
      ${reservation.until}
    ) as code`;
  const code = reserved?.code ?? undefined;
  if (code === undefined) throw new Refusal('topup_amount_busy', {});
  return code;
}
