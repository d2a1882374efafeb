import { publicId } from '#contract/base/ids.ts';
import {
  type AccountData,
  type Row,
  atOnce,
  eraseRows,
  inPages,
} from '#server/infra/account-data.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

type Deps = { sql: Sql; allAccountsSql: Sql };

/** An account's webhooks, without their secrets, and what was sent by them. A closed account's send nothing more. */
export const webhooksAccountData = ({ sql, allAccountsSql }: Deps): AccountData => ({
  subjects: (accountId) => [
    { name: 'webhook', rows: () => atOnce(() => webhooksOf(sql, accountId)) },
    { name: 'pengiriman-webhook', rows: () => deliveriesOf(sql, accountId) },
    { name: 'percobaan-webhook', rows: () => attemptsOf(sql, accountId) },
  ],
  close: async (accountId) => {
    await allAccountsSql`
      update webhooks set state = 'off', off_reason = coalesce(off_reason, 'owner'), due_at = null
      where account_id = ${accountId}`;
  },
  erase: async ({ accountId }) => {
    for (const table of [
      'webhook_attempts',
      'webhook_deliveries',
      'webhook_lanes',
      'webhooks',
    ] as const) {
      await eraseRows(allAccountsSql, table, accountId);
    }
  },
});

const webhooksOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(sql, accountId, async (tx) => {
    const found = await tx<(Row & { token_id: string })[]>`
      select token_id, url, format, kinds, state, off_reason, failing_since, created_at, changed_at
      from webhooks where account_id = ${accountId} order by token_id`;
    return found.map(({ token_id, ...facts }) => ({
      token: publicId('token', token_id),
      ...facts,
    }));
  });

type Delivery = Row & { webhook_id: string; position: number; delivery_id: string };

async function* deliveriesOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const found = inPages<Delivery>(
    { sql, accountId },
    (tx, last, limit) => tx<Delivery[]>`
      select webhook_id, position, delivery_id, type, at, state, attempts, last_status, last_error, ended_at
      from webhook_deliveries where account_id = ${accountId}
        ${last ? tx`and (webhook_id, position) > (${last.webhook_id}, ${last.position})` : tx``}
      order by webhook_id, position limit ${limit}`,
  );
  for await (const { webhook_id: _, delivery_id, position: seq, ...facts } of found) {
    yield { id: publicId('delivery', delivery_id), seq, ...facts };
  }
}

type Attempt = Row & { delivery_id: string; n: number };

async function* attemptsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const found = inPages<Attempt>(
    { sql, accountId },
    (tx, last, limit) => tx<Attempt[]>`
      select delivery_id, n, at, ms, status, error, answer from webhook_attempts
      where account_id = ${accountId}
        ${last ? tx`and (delivery_id, n) > (${last.delivery_id}, ${last.n})` : tx``}
      order by delivery_id, n limit ${limit}`,
  );
  for await (const { delivery_id, ...facts } of found) {
    yield { delivery: publicId('delivery', delivery_id), ...facts };
  }
}
