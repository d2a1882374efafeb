import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type {
  Adjustment,
  AdjustmentKind,
  AdjustmentStatus,
  listAdjustments,
} from '#contract/operator/books.ts';
import {
  accountNames,
  isSecondFor,
  operatorNames,
  type OperatorTies,
  tiesOf,
} from '#server/domains/accounts/accounts.ts';
import { refundStates } from '#server/domains/payments/payments.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { onCoordinator } from '#server/infra/postgres/distribution/scope.ts';
import { causeOf } from './causes.ts';

export type AdjustmentRow = {
  account_id: string;
  adjustment_id: string;
  kind: AdjustmentKind;
  gl_account: string | null;
  amount: number;
  status: AdjustmentStatus;
  reason: string;
  needs_second: boolean;
  reference: string | null;
  payee: string | null;
  message_id: string | null;
  topup_id: string | null;
  proposed_by: string;
  proposed_at: Date;
  expires_at: Date;
  decided_by: string | null;
  decided_at: Date | null;
  decision_note: string | null;
};

const statusAt = (sql: Sql | Tx, at: Date) => sql`
  case when status = 'pending' and expires_at <= ${at} then 'expired' else status end`;

const columns = (sql: Sql | Tx, at: Date) => sql`
  account_id, adjustment_id, kind, gl_account, amount, ${statusAt(sql, at)} as status, reason, needs_second,
  reference, payee, message_id, topup_id, proposed_by, proposed_at, expires_at, decided_by, decided_at,
  decision_note`;

type Viewer = { at: Date; operatorId: string };

export async function adjustmentsPage(
  sql: Sql,
  { status, account_id, page = 0, sort_type }: InputOf<typeof listAdjustments>,
  viewer: Viewer,
): Promise<PageOf<Adjustment>> {
  const stored = status === 'expired' ? 'pending' : status;
  const matches = sql`
    (${status ?? null}::text is null
      or (status = ${stored ?? null} and ${statusAt(sql, viewer.at)} = ${status ?? null}))
    and (${account_id ?? null}::uuid is null or account_id = ${account_id ?? null}::uuid)`;
  const [found, [counted]] = await Promise.all([
    sql<AdjustmentRow[]>`
      select ${columns(sql, viewer.at)} from adjustments where ${matches}
      order by adjustment_id ${sort_type === 'asc' ? sql`asc` : sql`desc`}
      limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
    sql<{ total: number }[]>`select count(*) as total from adjustments where ${matches}`,
  ]);
  return { rows: await adjustmentsOf(sql, found, viewer), total: counted?.total ?? 0 };
}

/** @throws Refusal `not_found`. */
export async function adjustmentOf(tx: Sql | Tx, id: string, viewer: Viewer): Promise<Adjustment> {
  const found = await tx<AdjustmentRow[]>`
    select ${columns(tx, viewer.at)} from adjustments where adjustment_id = ${id}`;
  const [one] = await adjustmentsOf(tx, found, viewer);
  if (!one) throw new Refusal('not_found', { what: 'Usulan' });
  return one;
}

export async function pendingAdjustments(
  sql: Sql | Tx,
  { related, isNew }: OperatorTies,
  at: Date,
): Promise<{ count: number; for_you: number }> {
  const [found] = await sql<{ count: number; for_you: number }[]>`
    select count(*) as count,
      count(*) filter (where not ${isNew} and proposed_by <> all(${[...related]}::uuid[])) as for_you
    from adjustments where status = 'pending' and expires_at > ${at}`;
  return found ?? { count: 0, for_you: 0 };
}

async function adjustmentsOf(
  sql: Sql | Tx,
  found: readonly AdjustmentRow[],
  { operatorId }: Viewer,
): Promise<Adjustment[]> {
  const people = found.flatMap(({ proposed_by, decided_by }) => [proposed_by, decided_by ?? []]);
  const accounts = await accountNames(
    sql,
    found.map(({ account_id }) => account_id),
  );
  const operators = await operatorNames(sql, people.flat());
  const refunds = await refundStates(
    sql,
    found.flatMap(({ kind, adjustment_id }) => (kind === 'payment_refund' ? adjustment_id : [])),
  );
  const ties = await onCoordinator(() => tiesOf(sql, operatorId));
  const nameOf = (id: string) => operators.get(id) ?? 'Operator';
  return found.map((row) => ({
    id: publicId('adjustment', row.adjustment_id),
    account_id: publicId('account', row.account_id),
    account_name: accounts.get(row.account_id) ?? '',
    kind: row.kind,
    cause: row.kind === 'adjust' ? causeOf(row.gl_account) : null,
    amount: rupiah(row.amount),
    status: row.status,
    reason: row.reason,
    needs_second: row.needs_second,
    reference: row.reference,
    payee: row.payee,
    message_id: row.message_id && publicId('message', row.message_id),
    topup_id: row.topup_id && publicId('topup', row.topup_id),
    refund: refunds.get(row.adjustment_id) ?? null,
    proposed_by: nameOf(row.proposed_by),
    proposed_at: row.proposed_at,
    is_own: row.proposed_by === operatorId,
    can_approve: isSecondFor(ties, row.proposed_by),
    expires_at: row.expires_at,
    decided_by: row.decided_by && nameOf(row.decided_by),
    decided_at: row.decided_at,
    decision_note: row.decision_note,
  }));
}
