import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { type Topup, getTopup, listTopups } from '#contract/saldo.ts';
import { handle } from '#server/infra/acts.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { type TopupRow, findTopup, statusAt, topupColumns, topupOf } from './topup.ts';

type ReadDeps = { sql: Sql; now: () => Date };

export const listTopupsHandler = ({ sql, now }: ReadDeps) =>
  handle(listTopups, ({ caller }, input) =>
    topupsOf(sql, caller.accountId, { ...input, now: now() }),
  );

export const getTopupHandler = ({ sql, now }: ReadDeps) =>
  handle(getTopup, ({ caller: { accountId } }, { topup_id: topupId }) =>
    asAccount(sql, accountId, (tx) => findTopup(tx, { accountId, topupId, now: now() })),
  );

/** One top-up of an account, for operators. @throws Refusal `not_found`. */
export const topupOfAccount = (
  allAccountsSql: Sql,
  topup: { accountId: string; topupId: string; now: Date },
): Promise<Topup> => asAccount(allAccountsSql, topup.accountId, (tx) => findTopup(tx, topup));

type Query = InputOf<typeof listTopups> & { now: Date };

/** A page of the account's top-ups, the newest first unless asked otherwise. */
function topupsOf(sql: Sql, accountId: string, query: Query): Promise<PageOf<Topup>> {
  const { now, status, page = 0 } = query;
  return asAccount(sql, accountId, async (tx) => {
    const filter = tx`account_id = ${accountId}
      ${status === undefined ? tx`` : tx`and ${statusAt(tx, now)} = ${status}`}`;
    const [found, [counted]] = await Promise.all([
      tx<TopupRow[]>`
        select ${topupColumns(tx, now)} from topups where ${filter}
        order by topup_id ${query.sort_type === 'asc' ? tx`asc` : tx`desc`}
        limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
      tx<{ total: number }[]>`select count(*) as total from topups where ${filter}`,
    ]);
    return { rows: found.map(topupOf), total: counted?.total ?? 0 };
  });
}
