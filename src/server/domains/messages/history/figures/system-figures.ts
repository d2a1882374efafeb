import { idFloor } from '#contract/base/ids.ts';
import { civilDate } from '#contract/base/time.ts';
import type { MessageStatus } from '#contract/messages.ts';
import type { SystemToken } from '#contract/operator/system-token.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { countsBySpan } from '#server/domains/messages/history/counts.ts';
import { failureOf } from '#server/domains/messages/history/rows.ts';

/** What the installation's own token has sent; `to` is a whole number. */
export type SystemFigures = Pick<SystemToken, 'today' | 'failures' | 'last'>;

const LAST = 10;
const DAY_MS = 86_400_000;

/** Under which figure of the day a status counts. */
const figureOf: Partial<Record<MessageStatus, keyof SystemFigures['today']>> = {
  scheduled: 'waiting',
  accepted: 'waiting',
  queued: 'waiting',
  sending: 'waiting',
  sent: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  failed: 'failed',
  expired: 'expired',
};

/** Figures of the installation's own messages, of which texts are not read. */
export function systemFigures(
  sql: Sql,
  { accountId, tokenId }: { accountId: string; tokenId: string },
  now: Date,
): Promise<SystemFigures> {
  const today = civilDate(now);
  const tomorrow = civilDate(new Date(now.getTime() + DAY_MS));
  return asAccount(sql, accountId, async (tx) => {
    const counts = await tx<{ status: MessageStatus; n: number }[]>`
      select status, sum(messages)::bigint as n
      from ${countsBySpan(tx, 'day', { accountId, from: today, before: tomorrow })} c
      where direction = 'out' and token_id = ${tokenId} group by status`;
    const failed = await tx<{ failure: string | null; count: number }[]>`
      select failure, count(*)::int as count from messages
      where account_id = ${accountId} and token_id = ${tokenId} and status = 'failed'
        and message_id >= ${idFloor(now.getTime() - DAY_MS)}
      group by failure order by count desc, failure`;
    const last = await tx<Last[]>`
      select peer as to, status, failure, created_at as at from messages
      where account_id = ${accountId} and token_id = ${tokenId} and direction = 'out'
      order by message_id desc limit ${LAST}`;
    const figures = { waiting: 0, sent: 0, delivered: 0, failed: 0, expired: 0 };
    for (const { status, n } of counts) {
      const figure = figureOf[status];
      if (figure) figures[figure] += n;
    }
    return {
      today: figures,
      failures: failed.map(({ failure, count }) => ({ failure: failureOf({ failure }), count })),
      last: last.map((one) => ({ ...one, failure: failureOf(one) })),
    };
  });
}

type Last = { to: string; status: MessageStatus; failure: string | null; at: Date };
