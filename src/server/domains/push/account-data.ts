import type { Sql } from '#server/infra/postgres/database.ts';
import { type Holding, atOnce } from '#server/infra/account-data.ts';

/** The browsers that get an account's notices: by whose push service, and since when. */
export const pushHolding = ({ house }: { house: Sql }): Holding => ({
  subjects: (accountId) => [
    {
      name: 'pemberitahuan',
      rows: () =>
        atOnce(
          () => house`
            select service, created_at, refreshed_at from push_subscriptions
            where account_id = ${accountId} order by created_at`,
        ),
    },
  ],
  // What waits to be sent goes with its browser.
  erase: async ({ accountId }) => {
    await house`delete from push_subscriptions where account_id = ${accountId}`;
  },
});
