import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import type { Rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { PaymentFlagKind } from '#contract/operator/payments.ts';
import type { TopupStatus } from '#contract/saldo.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

export type FlaggedRow = {
  topup_id: string;
  account_id: string;
  provider: string;
  status: TopupStatus;
  total: Rupiah;
  credited: Rupiah;
  kind: PaymentFlagKind;
  returned: Rupiah | null;
  at: Date;
};

/** SQL: orders `o` with their top-ups `t` whose gateway refunded money, not yet settled. */
export const flagged = (sql: Sql | Tx) => sql`
  gateway_orders o join topups t using (account_id, topup_id)
  where o.flag is not null and o.settled_at is null and t.status <> 'rejected'
    and o.topup_id not in (select topup_id from refunds offset 0)`;

export async function flaggedPage(
  sql: Sql,
  { page = 0, sort_type }: { page?: number | undefined; sort_type?: 'asc' | 'desc' | undefined },
): Promise<PageOf<FlaggedRow>> {
  const order = sort_type === 'desc' ? sql`desc` : sql`asc`;
  const [found, [counted]] = await Promise.all([
    sql<FlaggedRow[]>`
      select t.topup_id, t.account_id, t.provider, t.status, t.total, t.credited, o.flag as kind, o.returned,
        o.flagged_at as at
      from ${flagged(sql)}
      order by o.flagged_at ${order}, t.topup_id ${order}
      limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
    sql<{ total: number }[]>`select count(*) as total from ${flagged(sql)}`,
  ]);
  return { rows: found, total: counted?.total ?? 0 };
}

type Settling = { topupId: string; flaggedAt: Date; operatorId: string; reason: string; at: Date };

/**
 * Settles the flag of a gateway's refund as the operator saw it; moves no money. A later, different report by the
 * gateway flags the order again.
 *
 * @throws Refusal `not_found`, `payment_flag_changed` when it was settled or flagged again meanwhile.
 */
export async function settleFlag(
  sql: Sql,
  { topupId, flaggedAt, operatorId, reason, at }: Settling,
): Promise<void> {
  const settled = await sql`
    update gateway_orders set settled_at = ${at}, settled_by = ${operatorId}, settled_reason = ${reason}
    where topup_id = ${topupId} and flagged_at = ${flaggedAt} and settled_at is null`;
  if (settled.count > 0) return;
  const known = await sql`
    select from gateway_orders where topup_id = ${topupId} and flag is not null`;
  if (known.length > 0) throw new Refusal('payment_flag_changed', {});
  throw new Refusal('not_found', { what: 'Penarikan pembayaran' });
}
