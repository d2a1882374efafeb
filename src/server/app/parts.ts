import {
  type Exports,
  type Sessions,
  eraseDue,
  openExports,
  timezoneOf,
} from '#server/domains/accounts/accounts.ts';
import { type RowExports, openRowExports } from '#server/domains/exports/exports.ts';
import type { Media } from '#server/domains/media/media.ts';
import { placeIn } from '#server/infra/made-files.ts';
import { accountDataOf } from '#server/app/account-data.ts';
import type { Infra, Pools } from '#server/app/infra.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import {
  type Campaigns,
  openCampaigns,
  campaignResults,
} from '#server/domains/campaigns/campaigns.ts';
import { type Messages, messageRows } from '#server/domains/messages/messages.ts';

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
    place: placeIn(store, dataFolder, 'exports/'),
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
    place: placeIn(store, dataFolder, 'exports/rows/'),
    sources: { messages: messageRows, campaign: campaignResults(sql) },
    timezoneOf,
    isElsewhere,
    report,
  });
