import {
  type Exports,
  type Sessions,
  eraseDue,
  openExports,
  timezoneOf,
  accountsAccountData,
} from '#server/domains/accounts/accounts.ts';
import { type RowExports, openRowExports } from '#server/domains/exports/exports.ts';
import { type Media, mediaAccountData } from '#server/domains/media/media.ts';
import { fileJobStorage } from '#server/infra/file-jobs.ts';
import type { Infra, Pools } from '#server/app/infra.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import {
  type Campaigns,
  openCampaigns,
  campaignResults,
  campaignsAccountData,
} from '#server/domains/campaigns/campaigns.ts';
import {
  type Messages,
  messageRows,
  messagesAccountData,
} from '#server/domains/messages/messages.ts';
import { billingAccountData, invoicesAccountData } from '#server/domains/billing/billing.ts';
import { broadcastsAccountData } from '#server/domains/broadcasts/broadcasts.ts';
import { simulatorAccountData } from '#server/domains/channels/simulator/simulator.ts';
import { channelsAccountData } from '#server/domains/channels/channels.ts';
import { webAccountData } from '#server/domains/channels/web/web.ts';
import { eventsAccountData } from '#server/domains/events/events.ts';
import { ledgerAccountData } from '#server/domains/ledger/ledger.ts';
import { operatorAccountData } from '#server/domains/operator/operator.ts';
import { paymentsAccountData } from '#server/domains/payments/payments.ts';
import { pushAccountData } from '#server/domains/push/push.ts';
import { supportAccountData } from '#server/domains/support/support.ts';
import { webhooksAccountData } from '#server/domains/webhooks/webhooks.ts';
import { tokensAccountData } from '#server/domains/tokens/tokens.ts';
import type { AccountData } from '#server/infra/account-data.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';

/** Sends a text as the system token; `shown` goes into its history. The same `key` sends once. */
export type SendText = (phone: string, text: string, shown?: string, key?: string) => Promise<void>;

type ErasureParts = {
  media: Media;
  rowExports: Pick<RowExports, 'accountData'>;
  sendSystemText: SendText;
  sessions: Sessions;
};

/** Data exports and erasure of accounts. */
export function openErasure(
  { dataFolder, replica, report, secrets, store }: Infra,
  { tenantSql: sql, allAccountsSql }: Pools,
  { media, rowExports, sendSystemText, sessions }: ErasureParts,
): { exports: Exports; eraseDue: () => Promise<void> } {
  /** Archives read from the pool for long reads; erasure uses the primary database. */
  const accountDataSources = (pools: { tenantSql: Sql; allAccountsSql: Sql }) =>
    accountDataOf({
      sql: pools.tenantSql,
      allAccountsSql: pools.allAccountsSql,
      secrets,
      ...media,
      archives: exports.accountData,
      rowExports: rowExports.accountData,
    });
  const exports = openExports({
    sql,
    allAccountsSql,
    secrets,
    place: fileJobStorage(store, dataFolder, 'exports/'),
    accountDataSources: () => accountDataSources(replica),
    catchUp: replica.catchUp,
    sessions,
    sendSystemText,
    report,
  });
  return {
    exports,
    eraseDue: () =>
      eraseDue({
        allAccountsSql,
        sendSystemText,
        accountDataSources: accountDataSources({ tenantSql: sql, allAccountsSql }),
        report,
      }),
  };
}

/** Campaign messages, accepted as the public API accepts them. */
export const createCampaigns = (
  { config, now, report }: Infra,
  { tenantSql: sql, allAccountsSql }: Pools,
  { media, messages }: { media: Media; messages: Messages },
): Campaigns =>
  openCampaigns({
    sql,
    allAccountsSql,
    send: messages.api.send,
    uploads: media.uploads,
    adopt: media.library.adopt,
    pacePerSecond: () => config.LANE_PACE_PER_SECOND,
    now,
    report,
  });

/** Exports of messages and campaign results as files. */
export const createRowExports = (
  { dataFolder, replica, report, secrets, store }: Infra,
  { tenantSql: sql, allAccountsSql }: Pools,
  { isElsewhere }: Sessions,
): RowExports =>
  openRowExports({
    sql,
    allAccountsSql,
    reading: replica,
    secrets,
    // Beside the archives, which backups leave out too.
    place: fileJobStorage(store, dataFolder, 'exports/rows/'),
    sources: { messages: messageRows, campaign: campaignResults(sql) },
    timezoneOf,
    isElsewhere,
    report,
  });

type Deps = Media & {
  sql: Sql;
  allAccountsSql: Sql;
  secrets: Secrets;
  archives: AccountData;
  rowExports: AccountData;
};

/**
 * All stored data of an account: the contents of its archive, and the data erased with it. Every table or folder
 * with account data must appear here.
 *
 * In order of erasure: events refer to messages; messages and simulated phones find an account's numbers by its links,
 * and all domains by its users. So tokens come after the first three, and users last.
 */
export const accountDataOf = (deps: Deps): readonly AccountData[] => [
  eventsAccountData(deps),
  messagesAccountData(deps),
  campaignsAccountData(deps),
  simulatorAccountData(deps),
  channelsAccountData(deps),
  webAccountData(deps),
  webhooksAccountData(deps),
  tokensAccountData(deps),
  ledgerAccountData(deps),
  paymentsAccountData(deps),
  billingAccountData(deps),
  invoicesAccountData(deps),
  operatorAccountData(deps),
  pushAccountData(deps),
  supportAccountData(deps),
  broadcastsAccountData(deps),
  mediaAccountData(deps),
  deps.archives,
  deps.rowExports,
  accountsAccountData(deps),
];
