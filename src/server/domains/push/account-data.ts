import type { Sql } from '#server/infra/postgres/database.ts';
import { isReachable } from './subscriptions.ts';
import { type AccountData, atOnce } from '#server/infra/account-data.ts';

/** The browsers that get an account's notices: the push service, and since when. */
export const pushAccountData = ({ allAccountsSql }: { allAccountsSql: Sql }): AccountData => ({
  subjects: (accountId) => [
    {
      name: 'pemberitahuan',
      rows: () =>
        atOnce(
          () => allAccountsSql`
            select service, created_at, refreshed_at from push_subscriptions
            where account_id = ${accountId} and ${isReachable(allAccountsSql)} order by created_at`,
        ),
    },
  ],
  // Queued notices are deleted with their browser (cascade).
  erase: async ({ accountId }) => {
    await allAccountsSql`delete from push_subscriptions where account_id = ${accountId}`;
  },
});
