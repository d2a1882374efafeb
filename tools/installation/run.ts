import { inspect } from 'node:util';
import { readConfig } from '#server/infra/config.ts';
import { BackupError } from '#server/infra/backup/archive/trouble.ts';
import { StartError } from '#server/infra/start-error.ts';
import { afterRestore, backup, restore } from './backups.ts';
import { type Command, typed, unknownWord } from './command.ts';
import { distribute } from './distribute.ts';
import { doctor } from './doctor.ts';
import { moveFiles } from './files.ts';
import { ledgerCheck } from './ledger-check.ts';
import { rotateKey } from './rotate-key.ts';
import { add, resetPassword, resetSecondFactor, vouch } from './people.ts';

const commands: readonly Command[] = [
  add,
  resetPassword,
  resetSecondFactor,
  vouch,
  ledgerCheck,
  backup,
  restore,
  afterRestore,
  moveFiles,
  rotateKey,
  distribute,
  doctor,
];

function list(): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  const lines = commands.map(({ usage, says }) => `  ${usage.padEnd(width)}  ${says}`);
  return ['npm run operator -- <command>', '', ...lines].join('\n');
}

type Options = {
  env: Readonly<Record<string, string | undefined>>;
  /** Prints a line of the output; `warn` prints one of the error output. */
  print: (line: string) => void;
  complain: (line: string) => void;
};

/**
 * Runs the command that the words name; without words, lists them all.
 *
 * @returns the exit code; bad input prints one sentence on the error output, and returns 1.
 */
export async function runOperator(
  [name, ...given]: readonly string[],
  { env, print, complain }: Options,
): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help') {
    print(list());
    return 0;
  }
  const command = commands.find(({ usage }) => usage.split(' ')[0] === name);
  try {
    if (!command) {
      throw new StartError(`There is no command ${name}; npm run operator lists them.`);
    }
    const unknown = unknownWord(command, given);
    if (unknown !== undefined) {
      throw new StartError(`${name} does not know ${unknown}: ${typed(command)}`);
    }
    return await command.run({ given, config: () => readConfig(env), env, print });
  } catch (error) {
    const isExpected = error instanceof StartError || error instanceof BackupError;
    complain(isExpected ? error.message : inspect(error));
    return 1;
  }
}
