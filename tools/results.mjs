/** What `npm test` makes of its results: which files it runs again, and its last lines. */

const FILES_MAX = 3;

/** What counts money or keeps data: a failure there is never luck. */
const never = [
  /^tests[\\/]chaos[\\/]/,
  /(^|[\\/-])(ledger|payments?|billing|topups?|saldo|wallets?|statements?|prices?|accept|settle)/i,
];

/**
 * The test files that may be run once more, in a fresh process: what a browser shows hangs on the
 * machine's haste too. By hand there is no second try, and where anything else broke it would not help.
 *
 * @param broken the paths of the files that did not hold, from the root of the repository
 * @param tried how many files of this run had their second try already
 */
export function secondTry(broken, tried = 0, env = process.env) {
  if (env.CI !== 'true' || broken.length + tried > FILES_MAX) return [];
  return broken.some((file) => never.some((pattern) => pattern.test(file))) ? [] : broken;
}

/** The files that were tried twice, as lines: each is a bug of today, also where it held. */
export const triedTwice = (files) =>
  files.length === 0
    ? ''
    : `\nTried twice, and to be mended:\n${files.map((file) => `  ~ ${file}\n`).join('')}`;

const SHOWN = 10;

/**
 * The test files that took longest, slowest first, as lines for whoever wants `npm test` faster.
 *
 * @param files each with its `name` and how long it took, in `seconds`; of one name the longest counts
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
