import { type LineKind, type EntryKind, entryKindLabel } from '#contract/saldo.ts';
import { publicId } from '#contract/base/ids.ts';
import { wibMidnight } from '#contract/base/time.ts';
import type { StatementRow } from '#server/domains/billing/invoices/pdf/statement-pdf.ts';
import { inPages } from '#server/infra/account-data.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';

/** Which entries: of these days in WIB, both included, and of this kind alone. */
export type StatementQuery = { from: string; to: string; kind?: LineKind | undefined };

/** Entries `(after, last]` of a wallet, and the available saldo before and after all of them. */
export type Range = { after: number; last: number; opening: number; closing: number };

const DAY_MS = 86_400_000;

/** The entries of some days; they are never changed, so they may be read page by page. */
export function rangeOf(sql: Sql, accountId: string, { from, to }: StatementQuery): Promise<Range> {
  const until = new Date(wibMidnight(to).getTime() + DAY_MS);
  return asAccount(sql, accountId, async (tx) => {
    const [range] = await tx<Range[]>`
      with places as (
        select entries_before(${accountId}, ${wibMidnight(from)}) as after,
          entries_before(${accountId}, ${until}) as last
      )
      select after, greatest(after, last) as last,
        coalesce((select available_after from wallet_entries
          where account_id = ${accountId} and seq = after), 0) as opening,
        coalesce((select available_after from wallet_entries
          where account_id = ${accountId} and seq = greatest(after, last)), 0) as closing
      from places`;
    if (!range) throw new Error('a statement without a range');
    return range;
  });
}

/** A hold and what came back of it are one matter: what messages cost. */
const kindsOf = (kind: LineKind | undefined): readonly EntryKind[] | null => {
  if (kind === undefined) return null;
  return kind === 'hold' ? ['hold', 'release'] : [kind];
};

/** What changed the available saldo: a capture only ends a hold, whose amount left with the hold. */
const chosen = (
  tx: Tx,
  accountId: string,
  { range, kind }: { range: Range; kind: LineKind | undefined },
) => {
  const kinds = kindsOf(kind);
  return tx`account_id = ${accountId} and seq > ${range.after} and seq <= ${range.last}
    and d_available <> 0 ${kinds === null ? tx`` : tx`and kind = any(${[...kinds]}::text[])`}`;
};

type Which = { range: Range; kind: LineKind | undefined };

/** True when there are more than so many. */
export async function isLongerThan(
  sql: Sql,
  accountId: string,
  { max, ...which }: Which & { max: number },
): Promise<boolean> {
  const [found] = await asAccount(
    sql,
    accountId,
    (tx) => tx<{ n: number }[]>`
      select count(*) as n from (
        select from wallet_entries where ${chosen(tx, accountId, which)} limit ${max + 1}
      ) counted`,
  );
  return (found?.n ?? 0) > max;
}

type Entry = {
  seq: number;
  created_at: Date;
  kind: EntryKind;
  d_available: number;
  available_after: number;
  n_items: number;
  ref_type: string;
  ref_id: string;
  memo: string | null;
};

/** The rows of a statement, oldest first, page by page: never whole in memory. */
export async function* statementRows(
  sql: Sql,
  accountId: string,
  which: Which,
): AsyncGenerator<StatementRow> {
  const entries = inPages<Entry>(
    { sql, accountId },
    (tx, last, limit) => tx<Entry[]>`
      select seq, created_at, kind, d_available, available_after, n_items, ref_type, ref_id, memo
      from wallet_entries
      where ${chosen(tx, accountId, which)} and seq > ${last?.seq ?? 0}
      order by seq limit ${limit}`,
  );
  for await (const entry of entries) {
    yield {
      seq: entry.seq,
      at: entry.created_at,
      kind: entryKindLabel[entry.kind],
      text: textOf(entry),
      amount: entry.d_available,
      after: entry.available_after,
    };
  }
}

const ofMessages: ReadonlySet<EntryKind> = new Set(['hold', 'release', 'correction']);

function textOf({ kind, n_items, ref_type, ref_id, memo }: Entry): string {
  if (ref_type === 'topup') return publicId('topup', ref_id);
  if (memo !== null) return memo;
  return ofMessages.has(kind) ? `${n_items} pesan` : '';
}
