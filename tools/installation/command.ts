import type { Config } from '#server/infra/config.ts';

export type Call = {
  given: readonly string[];
  /** The settings. @throws StartError when they are invalid. */
  config: () => Config;
  env: Readonly<Record<string, string | undefined>>;
  print: (line: string) => void;
};

export type Command = {
  /** Its name and arguments: `add <phone> <name> [roles]`. */
  usage: string;
  says: string;
  /** @returns the exit code. @throws StartError with one sentence, for bad input. */
  run: (call: Call) => Promise<number>;
};

export const typed = ({ usage }: Pick<Command, 'usage'>): string => `npm run operator -- ${usage}`;

/**
 * The first argument that a command does not accept, by its usage: `<name>` and `[name]` take one word each, `[--flag]`
 * and `[--flag N]` their own.
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
