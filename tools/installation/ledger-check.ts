import { type Finding, checkLedger } from '#server/domains/ledger/check.ts';
import { verifySeals } from '#server/domains/ledger/seals/verify.ts';
import { type Config, readConfig } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { defaultDataFolder } from '#server/infra/embedded-postgres/home.ts';
import { StartError } from '#server/infra/start-error.ts';
import { openInstallation } from './open.ts';

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
  const { allAccountsSql, close } = await openInstallation(config, 'ledger-check');
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
