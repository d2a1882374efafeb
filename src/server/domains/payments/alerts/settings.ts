import { rupiah } from '#contract/base/money.ts';
import { type SaldoAlert, getSaldoAlert, saveSaldoAlert } from '#contract/saldo/alert.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';

type Deps = { sql: Sql };

type Stored = { threshold: number | null; fired_at: Date | null };

/** The acts of the low-saldo alert. */
export const alertActs = ({ sql }: Deps): readonly ActHandler[] => [
  handle(getSaldoAlert, ({ caller: { accountId } }) =>
    asAccount(sql, accountId, (tx) => alertOf(tx, accountId)),
  ),
  handle(saveSaldoAlert, ({ caller: { accountId } }, { threshold }) =>
    asAccount(sql, accountId, (tx) => saveAlert(tx, accountId, threshold ?? null)),
  ),
];

/** An account's alert; off until it was set. */
export async function alertOf(tx: Tx, accountId: string): Promise<SaldoAlert> {
  const [stored] = await tx<Stored[]>`
    select threshold, fired_at from saldo_alerts where account_id = ${accountId}`;
  return shown(stored);
}

/**
 * Sets the threshold, or turns the alert off (null). A saldo that is below it already has not fallen below
 * it: the next fall is told. When it was told last is kept, so that no change of the threshold tells twice
 * within six hours.
 */
export async function saveAlert(
  tx: Tx,
  accountId: string,
  threshold: number | null,
): Promise<SaldoAlert> {
  const { available } = await walletOf(tx, accountId);
  const isArmed = threshold !== null && available >= threshold;
  const [stored] = await tx<Stored[]>`
    insert into saldo_alerts (account_id, threshold, armed)
    values (${accountId}, ${threshold}, ${isArmed})
    on conflict (account_id) do update
      set threshold = excluded.threshold,
        -- The same again changes nothing: a fall that is not told yet still is.
        armed = case when saldo_alerts.threshold = excluded.threshold then saldo_alerts.armed
          else excluded.armed end
    returning threshold, fired_at`;
  return shown(stored);
}

const shown = (stored: Stored | undefined): SaldoAlert => ({
  threshold: stored && stored.threshold !== null ? rupiah(stored.threshold) : null,
  fired_at: stored?.fired_at ?? null,
});
