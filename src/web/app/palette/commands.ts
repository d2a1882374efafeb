import type { LucideIcon } from 'lucide-react';

export type Command = {
  id: string;
  label: string;
  words?: string;
  group: 'Halaman' | 'Tindakan' | 'Pesan' | 'Percakapan' | 'Tampilan' | 'Akun';
  Icon: LucideIcon;
  /** Its shortcut: `g h`. */
  keys?: string;
  run: () => unknown;
};

export type Group<C> = { title: string; commands: readonly C[] };

const FIND_MAX = 40;
const RECENT_MAX = 5;

const plain = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();

type Known = Pick<Command, 'label' | 'words'>;

/** The distance of a command from the query: smaller is better; `undefined` if it does not match. */
function distance({ label, words = '' }: Known, query: string): number | undefined {
  const name = plain(label);
  const starts = ` ${name}`;
  const sought = query.split(/\s+/);
  if (name.startsWith(query)) return 0;
  if (sought.every((word) => starts.includes(` ${word}`))) return 1;
  if (sought.every((word) => name.includes(word))) return 2;
  const all = ` ${name} ${plain(words)}`;
  return sought.every((word) => all.includes(` ${word}`)) ? 3 : undefined;
}

/**
 * The commands that match the query, best first. Each word must be in the name or begin a synonym; case and accents are
 * ignored.
 */
export function fitting<C extends Known>(commands: readonly C[], typed: string): readonly C[] {
  const query = plain(typed);
  if (query === '') return commands;
  return commands
    .map((command) => ({ command, far: distance(command, query) }))
    .filter((one): one is { command: C; far: number } => one.far !== undefined)
    .toSorted((one, other) => one.far - other.far)
    .map(({ command }) => command);
}

/**
 * The palette's rows. Without a query: recent commands, then the rest by group. With one: the matches; the search for a
 * number comes first, for a name last.
 *
 * @param recent ids, newest first; unknown ids are ignored.
 * @param find makes the command that searches the messages; `undefined` where there is none.
 */
export function arrange<C extends Command>(
  commands: readonly C[],
  typed: string,
  recent: readonly string[],
  find: ((text: string) => C) | undefined,
): readonly Group<C>[] {
  if (plain(typed) !== '') {
    const fits = fitting(commands, typed);
    const text = findable(typed);
    const found = text !== undefined && find ? [find(text)] : [];
    const all = isNumber(typed) ? [...found, ...fits] : [...fits, ...found];
    return all.length === 0 ? [] : [{ title: 'Hasil', commands: all }];
  }
  const known = (id: string): readonly C[] => {
    const text = id.startsWith(FIND) ? id.slice(FIND.length) : undefined;
    if (text !== undefined) return find ? [find(text)] : [];
    return commands.filter((command) => command.id === id);
  };
  const last = recent.flatMap(known).slice(0, RECENT_MAX);
  const rest = commands.filter(({ id }) => !last.some((one) => one.id === id));
  const groups = [...new Set(rest.map(({ group }) => group))].map((title) => ({
    title,
    commands: rest.filter(({ group }) => group === title),
  }));
  return last.length === 0 ? groups : [{ title: 'Terakhir dipakai', commands: last }, ...groups];
}

const FIND = 'find ';

export const findId = (text: string): string => FIND + text;

export const withRecent = (recent: readonly string[], id: string): readonly string[] =>
  [id, ...recent.filter((one) => one !== id)].slice(0, RECENT_MAX);

export const isNumber = (typed: string): boolean =>
  /^\+?[\d\s().-]+$/.test(typed.trim()) && typed.replace(/\D/g, '').length >= 3;

/**
 * The text to search the messages for: not a single letter, which matches everyone, and not a part of a longer text,
 * which would match something else.
 */
export function findable(typed: string): string | undefined {
  const text = typed.trim();
  return text.length >= 2 && text.length <= FIND_MAX ? text : undefined;
}
