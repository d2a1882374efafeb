/** One entry of a select or a combobox. */
export type Option = { value: string; label: string; disabled?: boolean };

/** More entries than this are searched rather than looked through. */
export const OPTIONS_PLAIN_MAX = 12;

const plain = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();

/**
 * The options that fit what was typed: every word of it is somewhere in the label, whatever its
 * case and accents. Labels that start with it come first; otherwise they keep their order.
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

/** The one option whose label is exactly what was typed, but for case and accents. */
export function optionNamed(options: readonly Option[], typed: string): Option | undefined {
  const query = plain(typed);
  const named = options.filter(({ label, disabled }) => !disabled && plain(label) === query);
  return named.length === 1 ? named[0] : undefined;
}

/**
 * Where the arrows lead in a list: `by` options on from `value` (before the first, or behind the
 * last, when it is `undefined`), past those that are disabled; steps of one go round, longer ones
 * stop at the ends.
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
