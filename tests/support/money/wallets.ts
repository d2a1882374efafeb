import { rupiah } from '#contract/base/money.ts';
import { postEntry } from '#server/domains/ledger/ledger.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { changeOf } from '#tests/support/database/changes.ts';

export const changeWallets = changeOf('wallets', ['accountId']);

export const giveSaldo = (
  tx: Tx,
  accountId: string,
  amount: number,
  entry: Partial<Parameters<typeof postEntry>[1]> = {},
) =>
  postEntry(tx, {
    accountId,
    kind: 'bonus',
    delta: rupiah(amount),
    contra: 'exp:bonus',
    refType: 'test',
    refId: accountId,
    idemKey: newId(),
    actor: 'test',
    ...entry,
  });

type EntryRow = {
  kind: string;
  delta: number;
  heldDelta?: number;
  contra: string;
  available?: number;
  held?: number;
  refType?: string;
  memo?: string;
  createdAt?: Date;
};

export async function insertEntries(
  owner: Sql | Tx,
  accountId: string,
  entries: readonly EntryRow[],
): Promise<void> {
  await owner`
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after, ref_type,
      ref_id, actor, memo, created_at
    )
    select ${accountId}, seq, kind, delta, coalesce("heldDelta", 0), contra,
      coalesce(available, 0), coalesce(held, 0), coalesce("refType", 'test'),
 seq::text, 'test', memo, coalesce("createdAt", clock_timestamp())
    from jsonb_to_recordset(${json(entries.map((entry, at) => ({ ...entry, seq: at + 1 })))}) as r(
      seq bigint, kind text, delta bigint, "heldDelta" bigint, contra text, available bigint,
      held bigint, "refType" text, memo text, "createdAt" timestamptz
    )`;
  const available = entries.at(-1)?.available ?? 0;
  await changeWallets(owner, { accountId }, { seq: entries.length, available });
}
