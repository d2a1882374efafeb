import type { Config } from '#server/infra/config.ts';

/** What a command is given. */
export type Call = {
  /** The words behind its name. */
  given: readonly string[];
  /** The settings. @throws StartError when they make no sense. */
  config: () => Config;
  /** Takes a line of the output. */
  print: (line: string) => void;
};

/** A command of `npm run operator`. */
export type Command = {
  /** Its name, then what it is given: `add <phone> <name> [roles]`. */
  usage: string;
  /** What it does, in a line. */
  says: string;
  /** @returns the exit code. @throws StartError with one sentence, for bad input. */
  run: (call: Call) => Promise<number>;
};

/** How somebody types a command. */
export const typed = ({ usage }: Pick<Command, 'usage'>): string => `npm run operator -- ${usage}`;
