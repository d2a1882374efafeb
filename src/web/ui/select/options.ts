export type Option = { value: string; label: string; disabled?: boolean };

/** The maximum for a plain select; longer lists are searchable. */
export const OPTIONS_PLAIN_MAX = 12;

/** All values of a field with their labels, after one for none of them. */
export const optionsOf = (all: string, labels: Readonly<Record<string, string>>): Option[] => [
  { value: '', label: all },
  ...Object.entries(labels).map(([value, label]) => ({ value, label })),
];

const plain = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();

/**
 * The options that match the typed text: their label contains every word, ignoring case and accents. Labels that start
 * with it come first; otherwise in their order.
 */
export function matchingOptions(options: readonly Option[], typed: string): readonly Option[] {
  const query = plain(typed);
  if (query === '') return options;
  const words = query.split(/\s+/);
  const first: Option[] = [];
  const others: Option[] = [];
  for (const option of options) {
    const label = plain(option.label);
    if (!words.every((word) => label.includes(word))) continue;
    (label.startsWith(query) ? first : others).push(option);
  }
  return [...first, ...others];
}

/** The only option with exactly this label, ignoring case and accents. */
export function optionNamed(options: readonly Option[], typed: string): Option | undefined {
  const query = plain(typed);
  const named = options.filter(({ label, disabled }) => !disabled && plain(label) === query);
  return named.length === 1 ? named[0] : undefined;
}

/**
 * The option `by` steps from `value` (`undefined`: before the first or after the last), skipping disabled ones; single
 * steps wrap, longer ones stop at the ends.
 */
export function stepOption(
  options: readonly Option[],
  value: string | undefined,
  by: number,
): string | undefined {
  const open = options.filter(({ disabled }) => !disabled);
  const here = open.findIndex((option) => option.value === value);
  const last = open.length - 1;
  if (here === -1) return (by > 0 ? open[0] : open[last])?.value;
  const next = here + by;
  if (Math.abs(by) > 1) return open[Math.max(0, Math.min(last, next))]?.value;
  return open[(next + open.length) % open.length]?.value;
}
