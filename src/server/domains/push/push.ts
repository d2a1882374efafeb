import type { ActHandler } from '#server/infra/acts.ts';
import type { PushDeps } from './deps.ts';
import {
  pushConfigHandler,
  registerPushHandler,
  unregisterPushHandler,
  renewPushHandler,
  isReachable,
} from './subscriptions.ts';
import { testPushHandler } from './delivery.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type AccountData, atOnce } from '#server/infra/account-data.ts';

/** Account data: browsers that get the account's notices, with push service and time. */
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

export {
  type Received,
  forgetNotices,
  queueNotice,
  queueNotices,
  sweepPush,
  type PushSender,
  startPushSender,
} from './delivery.ts';
export type { PushDeps } from './deps.ts';
export { readVapid } from './vapid.ts';
export { sealedSubscriptions } from './subscriptions.ts';

export const pushActs = (deps: PushDeps): readonly ActHandler[] => [
  pushConfigHandler(deps),
  registerPushHandler(deps),
  renewPushHandler(deps),
  unregisterPushHandler(deps),
  testPushHandler(deps),
];
