/** The selection with this key toggled. */
export function toggled(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Whether all, some or none of the shown rows are selected. */
export function selectionState(
  selected: ReadonlySet<string>,
  shown: readonly string[],
): 'none' | 'some' | 'all' {
  const count = shown.filter((key) => selected.has(key)).length;
  if (count === 0) return 'none';
  return count === shown.length ? 'all' : 'some';
}

/** Selects all shown rows, or none if all were selected; other pages are unchanged. */
export function allToggled(
  selected: ReadonlySet<string>,
  shown: readonly string[],
): ReadonlySet<string> {
  return selectionState(selected, shown) === 'all'
    ? new Set([...selected].filter((key) => !shown.includes(key)))
    : new Set([...selected, ...shown]);
}

/** Selects or deselects the shown rows between two, by the new state of the last one. */
export function rangeToggled(
  selected: ReadonlySet<string>,
  shown: readonly string[],
  { from, to }: { from: string; to: string },
): ReadonlySet<string> {
  const [one, other] = [shown.indexOf(from), shown.indexOf(to)];
  if (one === -1 || other === -1) return toggled(selected, to);
  const range = shown.slice(Math.min(one, other), Math.max(one, other) + 1);
  return selected.has(to)
    ? new Set([...selected].filter((key) => !range.includes(key)))
    : new Set([...selected, ...range]);
}
