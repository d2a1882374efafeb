import type { Config } from '#server/infra/config.ts';

/** What a command is given. */
export type Call = {
  /** The words behind its name. */
  given: readonly string[];
  /** The settings. @throws StartError when they make no sense. */
  config: () => Config;
  /** The environment that the settings are read from. */
  env: Readonly<Record<string, string | undefined>>;
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

/**
 * The first word that a command does not take, by its usage: `<name>` and `[name]` take one word each,
 * `[--flag]` and `[--flag N]` their own.
 */
export function unknownWord({ usage }: Command, given: readonly string[]): string | undefined {
  const flags = new Map(
    [...usage.matchAll(/\[(--[\w-]+)( \w+)?\]/g)].map(([, flag = '', value]) => [
      flag,
      value !== undefined,
    ]),
  );
  let places = [...usage.matchAll(/<[^>]+>|\[(?!--)[^\]]+\]/g)].length;
  for (let at = 0; at < given.length; at++) {
    const word = given[at] ?? '';
    const takesValue = flags.get(word);
    if (takesValue === true) at++;
    else if (takesValue === undefined && (word.startsWith('--') || places-- <= 0)) return word;
  }
  return undefined;
}
