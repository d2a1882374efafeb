import { readJson } from '#web/browser/json.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';

const NAME = 'scan-nonce';

/** What this tab was given for agreeing to this link; `undefined` when it did not. */
export const readNonce = (data: string): string | undefined =>
  nonceIn(storageGet('tab', NAME), data);

export const saveNonce = (data: string, nonce: string): void =>
  storageSet('tab', NAME, JSON.stringify([data, nonce]));

/** The nonce of this link in what was stored; another link's is of no use. */
function nonceIn(text: string | undefined, data: string): string | undefined {
  const pair = readJson(text);
  if (!Array.isArray(pair) || pair[0] !== data || typeof pair[1] !== 'string') return undefined;
  return pair[1];
}
