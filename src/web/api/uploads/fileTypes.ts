import { fileKinds, mimeOfName } from '#contract/uploads.ts';

/** True if the type is listed or of a listed family such as `image/*`. An empty list accepts all. */
export const acceptsType = (type: string, accepted: readonly string[]): boolean =>
  accepted.length === 0 ||
  accepted.some((one) =>
    one.endsWith('/*') ? type.split('/')[0] === one.slice(0, -2) : one === type,
  );

/**
 * The type of a file: the one the browser reports, without parameters; the one of the extension if the browser reports
 * none or an alias.
 */
export function typeOfFile({ name, type }: { name: string; type: string }): string {
  const declared = type.split(';')[0]?.trim().toLowerCase() ?? '';
  const named = mimeOfName(name);
  if (named === undefined) return declared || 'application/octet-stream';
  const unknown = declared === '' || declared === 'application/octet-stream';
  return unknown || fileKinds[named].alsoDeclared?.includes(declared) ? named : declared;
}

/** Types by their common extensions: `JPG`, `PDF`. */
export const typeNames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(fileKinds).map(([mime, { extensions }]) => [mime, extensions[0].toUpperCase()]),
);

/**
 * Names the expected types: 'Expects A, B or C', or 'Expects A' for one.
 *
 * @param wording `{allButLastType}` and `{lastType}` are replaced.
 * @param shown names for types; `null` hides one, duplicates appear once.
 */
export function expectsText(
  accepted: readonly string[],
  wording = 'Expects {allButLastType} or {lastType}',
  shown: Readonly<Record<string, string | null>> = {},
): string {
  const named = accepted.map((type) => (Object.hasOwn(shown, type) ? shown[type] : type));
  const types = [...new Set(named.filter((name) => typeof name === 'string'))];
  const last = types.pop() ?? '';
  const fitting =
    types.length === 0 ? wording.replace(/\{allButLastType\}.*(?=\{lastType\})/s, '') : wording;
  return fitting
    .replace('{allButLastType}', () => types.join(', '))
    .replace('{lastType}', () => last);
}
