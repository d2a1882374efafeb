/** Second tries and the last lines of `npm test`. */

const FILES_MAX = 3;

/** Tests of money and stored data: a failure there is never a matter of timing. */
const never = [
  /^tests[\\/]chaos[\\/]/,
  /(^|[\\/-])(ledger|payments?|billing|topups?|saldo|wallets?|statements?|prices?|accept|settle)/i,
];

/**
 * The test files that may be run once more, in a new process: browser tests depend on the machine's load. Manual runs
 * get no second try, nor do runs with other failures.
 *
 * @param broken the paths of the failed files, from the root of the repository
 * @param tried how many files of this run had their second try already
 */
export function secondTry(broken, tried = 0, env = process.env) {
  if (env.CI !== 'true' || broken.length + tried > FILES_MAX) return [];
  return broken.some((file) => never.some((pattern) => pattern.test(file))) ? [] : broken;
}

/** The files that were tried twice, as lines: each is a bug to fix, even if it passed. */
export const triedTwice = (files) =>
  files.length === 0
    ? ''
    : `\nTried twice, and to be mended:\n${files.map((file) => `  ~ ${file}\n`).join('')}`;

const SHOWN = 10;

/**
 * The slowest test files, slowest first, as lines.
 *
 * @param files each with its `name` and its duration in `seconds`; of one name the longest counts
 * @returns no line at all when there are no files
 */
export function slowest(files) {
  const longest = new Map();
  for (const { name, seconds } of files) {
    longest.set(name, Math.max(seconds, longest.get(name) ?? 0));
  }
  const first = [...longest].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN);
  if (first.length === 0) return '';
  const lines = first.map(([name, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${name}\n`);
  return `\nThe slowest files:\n${lines.join('')}`;
}
