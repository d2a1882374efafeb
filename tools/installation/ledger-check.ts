import { type Finding, checkLedger } from '#server/domains/ledger/check.ts';
import { verifySeals } from '#server/domains/ledger/seals/verify.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Command } from './command.ts';
import { dataFolderOf, withInstallation } from './open.ts';

const linesOf = ({ invariant, description: says, ok, offenders }: Finding): string[] => [
  `${invariant.padEnd(8)} ${ok ? 'ok ' : 'RED'}  ${says}`,
  ...offenders.map((row) => `              ${JSON.stringify(row)}`),
];

/** The chain of seals: which day is the first that is not as it was sealed. */
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

/** Everything that must hold of the money, asked at one instant. */
export const ledgerCheck: Command = {
  usage: 'ledger:check',
  says: 'checks the books: every invariant of the money, and the chain of seals',
  run: async ({ config: read, print }) => {
    const config = read();
    return withInstallation(config, 'ledger-check', async ({ allAccountsSql }) => {
      const findings = await checkLedger(allAccountsSql);
      for (const line of findings.flatMap(linesOf)) print(line);
      const { isSealed, line } = await readSeals(allAccountsSql, dataFolderOf(config));
      print(line);
      return !isSealed || findings.some(({ ok }) => !ok) ? 1 : 0;
    });
  },
};
