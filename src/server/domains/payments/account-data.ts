import { publicId } from '#contract/base/ids.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { type AccountData, type Row, atOnce, inPages } from '#server/infra/account-data.ts';

type Deps = {
  /** The pool that sees one account at a time. */
  sql: Sql;
  /** Sees all: bank lines belong to the installation. */
  allAccountsSql: Sql;
};

/**
 * An account's top-ups, their slips, the transfers that paid them, and when it wants to be told of a low
 * saldo. Amounts are never erased; slips and names of payers are.
 */
export const paymentsAccountData = ({ sql, allAccountsSql }: Deps): AccountData => ({
  subjects: (accountId) => [
    { name: 'peringatan-saldo', rows: () => atOnce(() => alertsOf(sql, accountId)) },
    { name: 'isi-saldo', rows: () => topupsOf(sql, accountId) },
    { name: 'bukti-transfer', rows: () => proofsOf(sql, accountId) },
    { name: 'pengembalian-dana', rows: () => refundsOf(sql, accountId) },
    { name: 'transfer-masuk', rows: () => transfersOf(allAccountsSql, accountId) },
  ],
  erase: async ({ accountId }) => {
    await allAccountsSql`delete from saldo_alerts where account_id = ${accountId}`;
    await allAccountsSql`select erase_payers(${accountId})`;
  },
});

const alertsOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select threshold, fired_at from saldo_alerts where account_id = ${accountId}`,
  );

type Named = Row & { topup_id: string };

async function* topupsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const topups = inPages<Named>(
    { sql, accountId },
    (tx, last, limit) => tx<Named[]>`
      select topup_id, status, method, provider, provider_ref, base, ppn, unique_code, total,
        credited, received, bank_name, bank_number, bank_holder, va_bank, va_number, created_at, expires_at, paid_at, note
      from topups where account_id = ${accountId} ${last ? tx`and topup_id > ${last.topup_id}` : tx``}
      order by topup_id limit ${limit}`,
  );
  for await (const { topup_id, ...facts } of topups) {
    yield { id: publicId('topup', topup_id), ...facts };
  }
}

type Proof = Named & { file_id: string };

async function* proofsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const proofs = inPages<Proof>(
    { sql, accountId },
    (tx, last, limit) => tx<Proof[]>`
      select topup_id, file_id, name, mime, at from topup_proofs
      where account_id = ${accountId}
        ${last ? tx`and (topup_id, file_id) > (${last.topup_id}::uuid, ${last.file_id}::uuid)` : tx``}
      order by topup_id, file_id limit ${limit}`,
  );
  for await (const { topup_id, file_id, ...facts } of proofs) {
    yield { topup: publicId('topup', topup_id), file: publicId('file', file_id), ...facts };
  }
}

type Refund = Named & { refund_id: string };

async function* refundsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const refunds = inPages<Refund>(
    { sql, accountId },
    (tx, last, limit) => tx<Refund[]>`
      select refund_id, topup_id, provider, amount, way, status, reason, reference, created_at, done_at
      from refunds
      where account_id = ${accountId} ${last ? tx`and refund_id > ${last.refund_id}` : tx``}
      order by refund_id limit ${limit}`,
  );
  for await (const { refund_id: _, topup_id, ...facts } of refunds) {
    yield { topup: publicId('topup', topup_id), ...facts };
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
