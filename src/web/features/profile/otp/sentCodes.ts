import { readJson } from '#web/browser/json.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { isCode, type SentCode } from '#web/api/sentCode.ts';

/** Saves codes that are waited for over the closing of their dialog, and over a reload. */
export const saveSentCodes = (name: string, codes: readonly SentCode[] | undefined): void =>
  storageSet('tab', name, codes && JSON.stringify(codes));

/** So many codes that are waited for and still hold; `undefined` for anything else. */
export function loadSentCodes(name: string, count: number): readonly SentCode[] | undefined {
  const codes = codesIn(storageGet('tab', name));
  const hold = codes.length === count && codes.every(({ expiresAt }) => expiresAt > Date.now());
  return hold ? codes : undefined;
}

/** Reads what was stored; anybody may have written it. */
function codesIn(text: string | undefined): readonly SentCode[] {
  const found = readJson(text);
  return Array.isArray(found) && found.every(isCode) ? found : [];
}
