import { type Sessions, timezoneOf } from '#server/domains/accounts/accounts.ts';
import { campaignResults } from '#server/domains/campaigns/campaigns.ts';
import { type RowExports, openRowExports } from '#server/domains/exports/exports.ts';
import { messageRows } from '#server/domains/messages/messages.ts';
import { placeIn } from '#server/infra/made-files/attempts.ts';
import type { Infra, Pools } from '#server/app/infra.ts';

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
