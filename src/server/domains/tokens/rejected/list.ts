import { PAGE_SIZE, type InputOf, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { type RejectedCall, REJECTED_DAYS, listRejectedCalls } from '#contract/tokens/rejected.ts';
import { handle } from '#server/infra/acts/act.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { identifier } from '#server/infra/postgres/sql.ts';
import { requireToken } from '#server/domains/tokens/row.ts';

export const listRejectedCallsHandler = ({ sql }: { sql: Sql }) =>
  handle(listRejectedCalls, ({ caller }, input) => rejectedCallsOf(sql, caller.accountId, input));

type CallRow = Omit<RejectedCall, 'token'> & { token_id: string; name: string };

/** A page of an account's rejected calls, the newest first unless sorted otherwise. */
function rejectedCallsOf(
  sql: Sql,
  accountId: string,
  { page = 0, sort_by = 'last_at', sort_type, token_id, code }: InputOf<typeof listRejectedCalls>,
): Promise<PageOf<RejectedCall>> {
  return asAccount(sql, accountId, async (tx) => {
    if (token_id !== undefined) await requireToken(tx, accountId, token_id, { alsoDeleted: true });
    const direction = sort_type === 'asc' ? tx`asc` : tx`desc`;
    const found = tx`
      r.account_id = ${accountId}
      and r.last_at > clock_timestamp() - make_interval(days => ${REJECTED_DAYS})
      and (${token_id ?? null}::uuid is null or r.token_id = ${token_id ?? null})
      and (${code ?? null}::text is null or r.code = ${code ?? null})`;
    const [rows, [count]] = await Promise.all([
      tx<CallRow[]>`
        select encode(r.fingerprint, 'hex') || extract(epoch from r.hour)::bigint as id, r.token_id,
          t.name, r.dialect, r.method, r.path, r.code, r.status, r.address, r.facts, r.calls,
          r.first_at, r.last_at
        from rejected_calls r join tokens t using (account_id, token_id)
        where ${found}
        order by ${identifier(`r.${sort_by}`)} ${direction}, r.last_at desc, r.fingerprint
        limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
      tx<{ total: number }[]>`select count(*) as total from rejected_calls r where ${found}`,
    ]);
    return {
      rows: rows.map(({ token_id: id, name, ...row }) => ({
        ...row,
        token: { id: publicId('token', id), name },
      })),
      total: count?.total ?? 0,
    };
  });
}

const ROWS_AT_ONCE = 5_000;

/** Erases rejected calls after their time; for the clean-up job. */
export async function pruneRejectedCalls(allAccountsSql: Sql): Promise<void> {
  let erased = ROWS_AT_ONCE;
  while (erased === ROWS_AT_ONCE) {
    const { count } = await allAccountsSql`
      delete from rejected_calls where ctid = any(array(
        select ctid from rejected_calls
        where last_at < clock_timestamp() - make_interval(days => ${REJECTED_DAYS})
        limit ${ROWS_AT_ONCE}))`;
    erased = count;
  }
}
