import type { Tx } from '#server/infra/postgres/database.ts';

/**
 * The saldo as it stands, for open tabs: what is told later must not carry the saldo of its own time.
 *
 * @returns undefined when the account has no wallet any more.
 */
export async function saldoNow(
  tx: Tx,
  accountId: string,
): Promise<{ available: number; held: number } | undefined> {
  const [saldo] = await tx<{ available: number; held: number }[]>`
    select available, held from wallets where account_id = ${accountId}`;
  return saldo;
}
