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
import { fileJobStorage } from '#server/infra/made-files.ts';
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

/**
 * Sends a text through the installation's own token; `shown` is what its history shows. The same `key`
 * sends it once.
 */
export type SendText = (phone: string, text: string, shown?: string, key?: string) => Promise<void>;

type ErasureParts = {
  media: Media;
  rowExports: Pick<RowExports, 'accountData'>;
  sendSystemText: SendText;
  sessions: Sessions;
};

/** What accounts hold: how it is taken along, and how it goes. */
export function openErasure(
  { dataFolder, replica, report, secrets, store }: Infra,
  { tenantSql: sql, allAccountsSql }: Pools,
  { media, rowExports, sendSystemText, sessions }: ErasureParts,
): { exports: Exports; eraseDue: () => Promise<void> } {
  /** Archives are read where long work reads; what is erased is erased in the database itself. */
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

/** Messages to many, placed as the public API places them. */
export const openMessagesToMany = (
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

/** Messages, and the results of campaigns, as files that accounts take along. */
export const openFilesOfRows = (
  { dataFolder, replica, report, secrets, store }: Infra,
  { tenantSql: sql, allAccountsSql }: Pools,
  { isElsewhere }: Sessions,
): RowExports =>
  openRowExports({
    sql,
    allAccountsSql,
    reading: replica,
    secrets,
    // Beside the archives, which no backup takes along either.
    place: fileJobStorage(store, dataFolder, 'exports/rows/'),
    sources: { messages: messageRows, campaign: campaignResults(sql) },
    timezoneOf,
    isElsewhere,
    report,
  });

type Deps = Media & {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all. */
  allAccountsSql: Sql;
  secrets: Secrets;
  /** The archives of what is held. */
  archives: AccountData;
  /** The files of rows. */
  rowExports: AccountData;
};

/**
 * Everything that is held of an account, anywhere: what its archive is made of, and what goes with it.
 * Whoever stores something of accounts in a table or a folder stands in this list.
 *
 * In the order of leaving: events tell of messages; links tell messages and simulated phones which
 * numbers an account had, and its people tell everybody which are theirs; so tokens come after the
 * first three, and people last.
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
