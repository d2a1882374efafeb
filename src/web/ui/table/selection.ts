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

/** The shown rows from one to another as the last of them is turned over: all chosen, or none. */
export function rangeToggled(
  chosen: ReadonlySet<string>,
  shown: readonly string[],
  { from, to }: { from: string; to: string },
): ReadonlySet<string> {
  const [one, other] = [shown.indexOf(from), shown.indexOf(to)];
  if (one === -1 || other === -1) return toggled(chosen, to);
  const range = shown.slice(Math.min(one, other), Math.max(one, other) + 1);
  return chosen.has(to)
    ? new Set([...chosen].filter((key) => !range.includes(key)))
    : new Set([...chosen, ...range]);
}
