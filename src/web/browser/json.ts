/** Parses JSON from an untrusted text; `undefined` if it is missing or broken. */
export function readJson(text: string | null | undefined): unknown {
  if (text === undefined || text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
