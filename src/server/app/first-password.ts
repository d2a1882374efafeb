import { existsSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type FirstOperator, hasFirstOperatorSignedIn } from '#server/domains/accounts/accounts.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

export type FirstPassword = {
  /** Runs before the commit, so that a failure leaves no operator without a known password. */
  deliverPassword: (operator: FirstOperator) => Promise<void>;
  /** The lines to print at this start; empty once the first operator has signed in. */
  lines: (operator: FirstOperator | undefined) => string;
  /** Removes the file once the first operator has signed in; stops with the signal. */
  forgetOnceUsed: (sql: Sql, signal: AbortSignal) => Promise<void>;
};

const LOOK_MS = 30_000;

/**
 * Shows the password only on a terminal, since other output is a log that is stored and read by others. Otherwise
 * writes it to a file in the data folder that only this user can read.
 */
export function openFirstPassword(dataFolder: string, isTerminal: boolean): FirstPassword {
  const path = join(dataFolder, 'first-operator.txt');
  return {
    deliverPassword: async (operator) => {
      if (isTerminal) return;
      await mkdir(dataFolder, { recursive: true, mode: 0o700 });
      await rm(path, { force: true });
      const file = await open(path, 'wx', 0o600);
      try {
        await file.writeFile(wordsOf(operator));
        await file.sync();
      } finally {
        await file.close();
      }
    },
    lines: (operator) => {
      if (operator && isTerminal) {
        return `The first operator signs in with (shown this once):\n${wordsOf(operator)}\n`;
      }
      if (!existsSync(path)) return '';
      return `How the first operator signs in stands in ${path}, which only this user can read; it is removed after that.\n\n`;
    },
    forgetOnceUsed: async (sql, signal) => {
      while (existsSync(path)) {
        if (await hasFirstOperatorSignedIn(sql).catch(() => false))
          return rm(path, { force: true });
        await pause(LOOK_MS, undefined, { signal, ref: false });
      }
    },
  };
}

const wordsOf = ({ phone, password }: FirstOperator): string =>
  `  phone     ${phone}\n  password  ${password}\n`;
