import { type Finding, checkLedger } from '#server/domains/ledger/check.ts';
import { verifySeals } from '#server/domains/ledger/seals.ts';
import { bankFindings } from '#server/domains/payments/payments.ts';
import { verifyAudit } from '#server/infra/acts/chain.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Command } from './command.ts';
import { dataFolderOf, withInstallation } from './open.ts';

const linesOf = ({ invariant, description: says, ok, offenders }: Finding): string[] => [
  `${invariant.padEnd(8)} ${ok ? 'ok ' : 'RED'}  ${says}`,
  ...offenders.map((row) => `              ${JSON.stringify(row)}`),
];

/** The chain of seals: the first day that differs from its seal. */
async function readSeals(
  allAccountsSql: Sql,
  folder: string,
): Promise<{ isSealed: boolean; line: string }> {
  const { seals, difference } = await verifySeals(allAccountsSql, { folder });
  const says = difference
    ? `${difference.day} is the first day that differs from its seal: ${difference.why}`
    : `${seals} ${seals === 1 ? 'day is' : 'days are'} as they were sealed`;
  const line = `${'seals'.padEnd(8)} ${difference ? 'RED' : 'ok '}  ${says}`;
  return { isSealed: difference === undefined, line };
}

/** The audit log: each modified entry, by its chain, number and day. */
async function readAudit(
  allAccountsSql: Sql,
  folder: string,
): Promise<{ isWhole: boolean; lines: string[] }> {
  const { lines, chains, findings } = await verifyAudit(allAccountsSql, folder);
  const isWhole = findings.length === 0;
  const says = isWhole
    ? `${lines} lines of the audit log in ${chains} chains are as they were written`
    : `${findings.length} places of the audit log differ`;
  const offenders = findings.map((finding) => `              ${JSON.stringify(finding)}`);
  return {
    isWhole,
    lines: [`${'audit'.padEnd(8)} ${isWhole ? 'ok ' : 'RED'}  ${says}`, ...offenders],
  };
}

/** The period in which the bank's own balances are compared. */
const COMPARED_MS = 35 * 86_400_000;

async function readBank(allAccountsSql: Sql): Promise<{ isFitting: boolean; lines: string[] }> {
  const found = await bankFindings(allAccountsSql, new Date(Date.now() - COMPARED_MS));
  const isFitting = found.length === 0;
  const says = isFitting
    ? 'what was imported fits the balances of the bank'
    : 'what was imported does not fit the balances of the bank';
  const offenders = found.map(
    ({ code, count, examples }) => `              ${code}: ${count} (${examples.join(', ')})`,
  );
  return {
    isFitting,
    lines: [`${'bank'.padEnd(8)} ${isFitting ? 'ok ' : 'RED'}  ${says}`, ...offenders],
  };
}

/** Checks every invariant of the money, in one snapshot. */
export const ledgerCheck: Command = {
  usage: 'ledger:check',
  says: 'checks the books: every invariant of the money, the chain of seals, the audit log, and the balances of the bank',
  run: async ({ config: read, print }) => {
    const config = read();
    return withInstallation(config, 'ledger-check', async ({ allAccountsSql }) => {
      const findings = await checkLedger(allAccountsSql);
      for (const line of findings.flatMap(linesOf)) print(line);
      const { isSealed, line } = await readSeals(allAccountsSql, dataFolderOf(config));
      print(line);
      const { isWhole, lines } = await readAudit(allAccountsSql, dataFolderOf(config));
      lines.forEach(print);
      const bank = await readBank(allAccountsSql);
      bank.lines.forEach(print);
      return !isSealed || !isWhole || !bank.isFitting || findings.some(({ ok }) => !ok) ? 1 : 0;
    });
  },
};
