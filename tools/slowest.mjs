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
