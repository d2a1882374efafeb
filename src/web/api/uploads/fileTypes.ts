import { fileKinds, mimeOfName } from '#contract/uploads.ts';

/** Whether a type is in the list: equal, or of a family such as `image/*`. An empty list takes all. */
export const acceptsType = (type: string, accepted: readonly string[]): boolean =>
  accepted.length === 0 ||
  accepted.some((one) =>
    one.endsWith('/*') ? type.split('/')[0] === one.slice(0, -2) : one === type,
  );

/**
 * The type a file is judged by: what the browser declares, without parameters; the type of the name's
 * ending where the browser knows none, or calls that kind by another of its names.
 */
export function typeOfFile({ name, type }: { name: string; type: string }): string {
  const declared = type.split(';')[0]?.trim().toLowerCase() ?? '';
  const named = mimeOfName(name);
  if (named === undefined) return declared || 'application/octet-stream';
  const unknown = declared === '' || declared === 'application/octet-stream';
  return unknown || fileKinds[named].alsoDeclared?.includes(declared) ? named : declared;
}

/** The types by the endings that people know them by: `JPG`, `PDF`. */
export const typeNames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(fileKinds).map(([mime, { extensions }]) => [mime, extensions[0].toUpperCase()]),
);

/**
 * Which types are expected, for people: 'Expects A, B or C', and 'Expects A' when it is one.
 *
 * @param wording `{allButLastType}` and `{lastType}` are where the types go.
 * @param shown names for types; `null` hides one, and the same name twice is said once.
 */
export function expectsText(
  accepted: readonly string[],
  wording = 'Expects {allButLastType} or {lastType}',
  shown: Readonly<Record<string, string | null>> = {},
): string {
  const named = accepted.map((type) => (Object.hasOwn(shown, type) ? shown[type] : type));
  const types = [...new Set(named.filter((name) => typeof name === 'string'))];
  const last = types.pop() ?? '';
  // One type has nothing before the "or".
  const fitting =
    types.length === 0 ? wording.replace(/\{allButLastType\}.*(?=\{lastType\})/s, '') : wording;
  return fitting
    .replace('{allButLastType}', () => types.join(', '))
    .replace('{lastType}', () => last);
}
