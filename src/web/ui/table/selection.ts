/** The chosen keys with this one turned over. */
export function toggled(chosen: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** How many of the shown rows are chosen, as the box above them says it. */
export function chosenOf(
  chosen: ReadonlySet<string>,
  shown: readonly string[],
): 'none' | 'some' | 'all' {
  const count = shown.filter((key) => chosen.has(key)).length;
  if (count === 0) return 'none';
  return count === shown.length ? 'all' : 'some';
}

/** All shown rows chosen, or none of them when they all were; those of other pages stay as they are. */
export function allToggled(
  chosen: ReadonlySet<string>,
  shown: readonly string[],
): ReadonlySet<string> {
  return chosenOf(chosen, shown) === 'all'
    ? new Set([...chosen].filter((key) => !shown.includes(key)))
    : new Set([...chosen, ...shown]);
}
