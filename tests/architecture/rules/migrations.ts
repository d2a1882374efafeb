import type { Rule } from './sources.ts';

const FOLDER = 'src/server/migrations/';

/** Changes that break nodes of the previous version, with their descriptions. */
const breakingChanges: readonly (readonly [RegExp, string])[] = [
  [/\bdrop\s+(?:table|view|materialized\s+view)\b/i, 'drops a table'],
  [/\bdrop\s+column\b/i, 'drops a column'],
  [/\brename\s+(?:column\s+)?(?:\w+\s+)?to\b/i, 'renames'],
  [/\balter\s+(?:column\s+)?\w+\s+(?:set\s+data\s+)?type\b/i, 'changes a type'],
  [/\bset\s+not\s+null\b/i, 'makes a column required'],
];

const contract = /^-- contract: (\d{4}_\w+)\b/m;

/**
 * Nodes of the previous version keep running while a migration is applied. A migration that removes something is
 * therefore written for a later version than its replacement, and names the migration that replaced it.
 */
export const contractsAreNamed: Rule = (sources) => {
  const names = [...sources.keys()].filter((file) => file.startsWith(FOLDER)).toSorted();
  return names.flatMap((file) => {
    const name = file.slice(FOLDER.length);
    const text = sources.get(file) ?? '';
    const [, replacing] = contract.exec(text) ?? [];
    if (replacing !== undefined) {
      const isEarlier = names.includes(`${FOLDER}${replacing}.sql`) && `${replacing}.sql` < name;
      return isEarlier ? [] : [`${file} completes ${replacing}, which is no earlier migration`];
    }
    const found = breakingChanges.find(([pattern]) => pattern.test(text.replace(/--.*$/gm, '')));
    return found
      ? [
          `${file} ${found[1]} while nodes of the previous version run: leave it to a later version, with -- contract: NNNN_name`,
        ]
      : [];
  });
};
