import { readJson } from '#web/client/json.ts';

const ENTRY = 'scan-nonce';

/** Private windows may have no storage: then it lives as long as the page. */
let memory: string | null = null;

/** What this tab was given for agreeing to this link; `undefined` when it did not. */
export function readNonce(data: string): string | undefined {
  let text = memory;
  try {
    text = sessionStorage.getItem(ENTRY) ?? memory;
  } catch {
    // The copy in memory does.
  }
  return nonceIn(text, data);
}

export function saveNonce(data: string, nonce: string): void {
  memory = JSON.stringify([data, nonce]);
  try {
    sessionStorage.setItem(ENTRY, memory);
  } catch {
    // The copy in memory does.
  }
}

/** The nonce of this link in what was kept; another link's is of no use. */
export function nonceIn(text: string | null, data: string): string | undefined {
  const kept = readJson(text);
  if (!Array.isArray(kept) || kept[0] !== data || typeof kept[1] !== 'string') return undefined;
  return kept[1];
}
