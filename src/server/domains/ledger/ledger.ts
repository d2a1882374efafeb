import { type Rupiah, rupiah } from '#contract/base/money.ts';
import type { EntryKind } from '#contract/saldo.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** Opens the account's wallet, empty; a second time changes nothing. */
export async function openWallet(tx: Tx, accountId: string): Promise<void> {
  await tx`select open_wallet(${accountId})`;
}

export type Entry = {
  accountId: string;
  kind: EntryKind;
  /** What is added to the available saldo; negative subtracts. */
  delta: Rupiah;
  /** The general-ledger account on the other side. */
  contra: string;
  refType: string;
  refId: string;
  /** Repeating it with the same facts changes nothing. */
  idemKey: string;
  actor: string;
  memo?: string;
};

/**
 * One entry that is not a batch of messages. Call it in the transaction of its cause.
 *
 * @returns `applied: false` when this `idemKey` had been posted before, with the same facts.
 * @throws PostgresError `WA002` when the key was used with other facts (our bug), and a violation of
 *   `saldo_not_negative` when the saldo is too small.
 */
export async function postEntry(
  tx: Tx,
  entry: Entry,
): Promise<{ seq: number; applied: boolean; available: Rupiah }> {
  const [posted] = await tx<{ o_seq: number; o_applied: boolean; o_available: number }[]>`
    select * from post_entry(
      ${entry.accountId}, ${entry.kind}, ${entry.delta}, ${entry.contra}, ${entry.refType},
      ${entry.refId}, ${entry.idemKey}, ${entry.actor}, ${entry.memo ?? null}
    )`;
  if (!posted) throw new Error('post_entry returned no row');
  return { seq: posted.o_seq, applied: posted.o_applied, available: rupiah(posted.o_available) };
}

export type Wallet = {
  available: Rupiah;
  held: Rupiah;
  seq: number;
  status: 'active' | 'frozen' | 'closed';
};

/** The account's wallet as it stands. */
export async function walletOf(sql: Sql | Tx, accountId: string): Promise<Wallet> {
  const [wallet] = await sql<
    { available: number; held: number; seq: number; status: Wallet['status'] }[]
  >`
    select available, held, seq, status from wallets where account_id = ${accountId}`;
  if (!wallet) throw new Error('an account without a wallet');
  return { ...wallet, available: rupiah(wallet.available), held: rupiah(wallet.held) };
}

export { BATCHER_LIMITS, WalletBatcher } from './batcher.ts';
export { checkLedger } from './check.ts';
export { ledgerAccountData } from './account-data.ts';
export { ledgerActs } from './statement.ts';
