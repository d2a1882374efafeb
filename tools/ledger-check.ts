import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, checkLedger } from '#server/domains/ledger/check.ts';
import { verifySeals } from '#server/domains/ledger/seals/verify.ts';
import { type Config, readConfig } from '#server/infra/config.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { defaultDataFolder } from '#server/infra/embedded-postgres/home.ts';
import { runningEmbedded, startEmbedded } from '#server/infra/embedded-postgres/embedded.ts';
import { StartError } from '#server/infra/start-error.ts';

type Opened = { allAccountsSql: Sql; close: () => Promise<void> };

/** A pool of the application, or undefined when nobody answers at the address. */
async function reach(url: string): Promise<Opened | undefined> {
  const allAccountsSql = openDatabase(url, { max: 1, as: 'all accounts', name: 'ledger-check' });
  const close = () => allAccountsSql.end({ timeout: 1 });
  try {
    await allAccountsSql`select 1`;
    return { allAccountsSql, close };
  } catch {
    await close();
    return undefined;
  }
}

/** The database of this installation: DATABASE_URL's, the running application's, or ours for the moment. */
async function openPool(config: Config): Promise<Opened> {
  if (config.DATABASE_URL !== undefined) {
    const opened = await reach(config.DATABASE_URL);
    if (!opened) throw new StartError('The database at DATABASE_URL does not answer.');
    return opened;
  }
  const folder = config.KABARI_DATA ?? defaultDataFolder();
  if (!existsSync(join(folder, 'postgres', 'PG_VERSION'))) {
    throw new StartError(`There is no database in ${folder} yet; npm start makes it.`);
  }
  const url = runningEmbedded(folder);
  const running = url === undefined ? undefined : await reach(url);
  if (running) return running;
  const server = await startEmbedded({ dataFolder: folder });
  const opened = await reach(server.url);
  if (!opened) {
    await server.stop();
    throw new StartError('The database was started and does not answer.');
  }
  const close = async () => {
    await opened.close();
    await server.stop();
  };
  return { allAccountsSql: opened.allAccountsSql, close };
}

function print({ invariant, description: says, ok, offenders }: Finding): void {
  console.log(`${invariant.padEnd(8)} ${ok ? 'ok ' : 'RED'}  ${says}`);
  for (const row of offenders) console.log(`              ${JSON.stringify(row)}`);
}

/** The chain of seals: which day is the first that is not as it was sealed. */
async function printSeals(allAccountsSql: Sql, config: Config): Promise<boolean> {
  const folder = config.KABARI_DATA ?? defaultDataFolder();
  const { seals, difference } = await verifySeals(allAccountsSql, { folder });
  const says = difference
    ? `${difference.day} is the first day that differs from its seal: ${difference.why}`
    : `${seals} ${seals === 1 ? 'day is' : 'days are'} as they were sealed`;
  console.log(`${'seals'.padEnd(8)} ${difference ? 'RED' : 'ok '}  ${says}`);
  return difference === undefined;
}

try {
  const config = readConfig(process.env);
  const { allAccountsSql, close } = await openPool(config);
  try {
    const findings = await checkLedger(allAccountsSql);
    findings.forEach(print);
    const isSealed = await printSeals(allAccountsSql, config);
    if (!isSealed || findings.some(({ ok }) => !ok)) process.exitCode = 1;
  } finally {
    await close();
  }
} catch (error) {
  process.exitCode = 1;
  console.error(error instanceof StartError ? error.message : error);
}
