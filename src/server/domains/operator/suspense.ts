import type { InputOf, PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import type { SuspenseItem, listSuspense } from '#contract/operator/money/suspense.ts';
import { accountNames, operatorNames } from '#server/domains/accounts/accounts.ts';
import {
  type SuspenseRow,
  noteSuspense,
  suspenseOf,
  suspensePage,
} from '#server/domains/payments/payments.ts';
import { beginIn } from '#server/infra/postgres/distribution/scope.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { DeskDeps } from './deps.ts';

/** A page of what lies in suspense, the oldest first. */
export async function suspenseItems(
  { allAccountsSql, now }: DeskDeps,
  input: InputOf<typeof listSuspense>,
): Promise<PageOf<SuspenseItem>> {
  const { rows, total } = await suspensePage(allAccountsSql, input);
  return { rows: await itemsOf(allAccountsSql, rows, now()), total };
}

type SuspenseNote = { provider: string; txn: string; note: string; operatorId: string };

/**
 * Leaves a payment in suspense, with a note of why.
 *
 * @throws Refusal `not_found`, `suspense_resolved`.
 */
export async function keepItem(
  { allAccountsSql, now }: DeskDeps,
  kept: SuspenseNote,
): Promise<SuspenseItem> {
  const { account_id: accountId } = await suspenseOf(allAccountsSql, kept);
  return beginIn(allAccountsSql, accountId, async (tx) => {
    const at = now();
    const [item] = await itemsOf(tx, [await noteSuspense(tx, { ...kept, at })], at);
    if (!item) throw new Error('a payment vanished');
    return item;
  });
}

async function itemsOf(
  sql: Sql | Tx,
  rows: readonly SuspenseRow[],
  at: Date,
): Promise<SuspenseItem[]> {
  const accounts = await accountNames(
    sql,
    rows.map(({ account_id }) => account_id),
  );
  const operators = await operatorNames(
    sql,
    rows.flatMap(({ notes }) => notes.map(({ operator_id }) => operator_id)),
  );
  const waiting = await proposalsAbout(sql, rows, at);
  return rows.map(({ account_id, topup_id, notes, provider, txn, amount, at: came }) => {
    const proposal = waiting.get(`${provider} ${txn}`);
    return {
      provider,
      txn,
      amount,
      at: came,
      account_id: publicId('account', account_id),
      account_name: accounts.get(account_id) ?? '',
      topup_id: publicId('topup', topup_id),
      notes: notes.map(({ note, operator_id, at: noted }) => ({
        note,
        operator: operators.get(operator_id) ?? 'Operator',
        at: new Date(noted),
      })),
      waiting: proposal === undefined ? null : publicId('adjustment', proposal),
    };
  });
}

async function proposalsAbout(
  sql: Sql | Tx,
  rows: readonly SuspenseRow[],
  at: Date,
): Promise<ReadonlyMap<string, string>> {
  const found = await sql<{ provider: string; txn_id: string; adjustment_id: string }[]>`
    select provider, txn_id, adjustment_id from adjustments
    where status = 'pending' and expires_at > ${at}
      and txn_id = any(${rows.map(({ txn }) => txn)}::text[])`;
  return new Map(
    found.map(({ provider, txn_id, adjustment_id }) => [`${provider} ${txn_id}`, adjustment_id]),
  );
}
