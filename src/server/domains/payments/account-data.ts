import { publicId } from '#contract/base/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type AccountData, type Row, inPages } from '#server/infra/account-data.ts';

type Deps = {
  /** The pool that sees one account at a time. */
  sql: Sql;
  /** Sees all: bank lines belong to the installation. */
  allAccountsSql: Sql;
};

/** An account's top-ups, and the transfers that paid them. Amounts are never erased; names of payers are. */
export const paymentsAccountData = ({ sql, allAccountsSql }: Deps): AccountData => ({
  subjects: (accountId) => [
    { name: 'isi-saldo', rows: () => topupsOf(sql, accountId) },
    { name: 'transfer-masuk', rows: () => transfersOf(allAccountsSql, accountId) },
  ],
  erase: async ({ accountId }) => void (await allAccountsSql`select erase_payers(${accountId})`),
});

type Named = Row & { topup_id: string };

async function* topupsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const topups = inPages<Named>(
    { sql, accountId },
    (tx, last, limit) => tx<Named[]>`
      select topup_id, status, base, ppn, unique_code, total, credited, received, bank_name,
        bank_number, bank_holder, created_at, expires_at, paid_at, note
      from topups where account_id = ${accountId} ${last ? tx`and topup_id > ${last.topup_id}` : tx``}
      order by topup_id limit ${limit}`,
  );
  for await (const { topup_id, ...facts } of topups) {
    yield { id: publicId('topup', topup_id), ...facts };
  }
}

const LINES_AT_ONCE = 500;

type Line = Named & { hash: string };

/** Bank lines belong to the installation: they are read by the top-ups they paid. */
async function* transfersOf(allAccountsSql: Sql, accountId: string): AsyncGenerator<Row> {
  let last: Line | undefined;
  for (;;) {
    const page: Line[] = await allAccountsSql<Line[]>`
      select topup_id, hash, bank, amount, description as sender, reference, at, received_at
      from bank_lines
      where account_id = ${accountId}
        ${last ? allAccountsSql`and (topup_id, hash) > (${last.topup_id}::uuid, ${last.hash}::text)` : allAccountsSql``}
      order by topup_id, hash limit ${LINES_AT_ONCE}`;
    for (const { topup_id, hash: _, ...facts } of page) {
      yield { topup: publicId('topup', topup_id), ...facts };
    }
    if (page.length < LINES_AT_ONCE) return;
    last = page.at(-1);
  }
}
