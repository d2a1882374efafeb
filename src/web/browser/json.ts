/** What a text says as JSON; `undefined` for one that is missing or broken. Anybody may have written it. */
export function readJson(text: string | null | undefined): unknown {
  if (text === undefined || text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
