import { join } from 'node:path';
import { endAllSessions } from '#server/domains/accounts/accounts.ts';
import { pauseRestored } from '#server/domains/campaigns/campaigns.ts';
import { skipPositions } from '#server/domains/events/events.ts';
import { type Finding, checkLedger } from '#server/domains/ledger/ledger.ts';
import { deleteUnfinishedUploads } from '#server/domains/media/media.ts';
import { markPossibleDuplicates } from '#server/domains/messages/messages.ts';
import { forgetUnfinished } from '#server/infra/backup/runs.ts';
import { startEmbedded } from '#server/infra/embedded-postgres/embedded.ts';
import { countOthers } from '#server/infra/postgres/check.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { RELEASE } from './infra.ts';
import { updateSchema } from '#server/infra/postgres/functions.ts';
import { StartError } from '#server/infra/start-error.ts';

export type Restored = {
  /** Messages possibly sent after the backup; when resent, they are marked as possible duplicates. */
  mayHaveLeft: number;
  /** The violated ledger invariants; empty when all hold. */
  broken: Finding[];
};

/**
 * Makes a freshly unpacked database ready to use: PostgreSQL recovers it, and events after the backup are taken into
 * account.
 *
 * @param dataFolder no process may run in it.
 */
export async function finishRestore(dataFolder: string): Promise<Restored> {
  const server = await startEmbedded({ dataFolder });
  try {
    return await reckonWithRestore(server.url);
  } finally {
    await server.stop();
  }
}

/**
 * Migrates a restored database and accounts for events after the backup
 * (docs/running/backup-and-restore.md#what-a-restore-means).
 *
 * @param url the owner's address; no application may be connected.
 * @throws StartError when one is connected.
 */
export async function reckonWithRestore(url: string): Promise<Restored> {
  const owner = openDatabase(url, { max: 1, as: 'owner', name: 'restore' });
  const allAccountsSql = openDatabase(url, { max: 1, as: 'all accounts', name: 'restore' });
  try {
    if ((await countOthers(owner)) > 0) {
      throw new StartError('Kabari runs on this database; stop it first.');
    }
    await updateSchema(owner, join(import.meta.dirname, '..'), RELEASE);
    const mayHaveLeft = await markPossibleDuplicates(owner);
    await pauseRestored(owner);
    await skipPositions(owner);
    await endAllSessions(owner);
    await deleteUnfinishedUploads(owner);
    await forgetUnfinished(owner);
    const broken = (await checkLedger(allAccountsSql)).filter(({ ok }) => !ok);
    return { mayHaveLeft, broken };
  } finally {
    await Promise.all([owner.end({ timeout: 5 }), allAccountsSql.end({ timeout: 5 })]);
  }
}
