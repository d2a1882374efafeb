import { readJson } from '#web/browser/json.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { isCode, type SentCode } from '#web/api/sentCode.ts';

/** Stores pending codes, which survive the closing of their dialog, and a reload. */
export const saveSentCodes = (name: string, codes: readonly SentCode[] | undefined): void =>
  storageSet('tab', name, codes && JSON.stringify(codes));

/** The stored codes, if there are exactly so many and all are valid; otherwise `undefined`. */
export function loadSentCodes(name: string, count: number): readonly SentCode[] | undefined {
  const codes = codesIn(storageGet('tab', name));
  const hold = codes.length === count && codes.every(({ expiresAt }) => expiresAt > Date.now());
  return hold ? codes : undefined;
}

/** Parses stored text, which other code may have written. */
function codesIn(text: string | undefined): readonly SentCode[] {
  const found = readJson(text);
  return Array.isArray(found) && found.every(isCode) ? found : [];
}
