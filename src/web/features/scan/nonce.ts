import { readJson } from '#web/browser/json.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';

const NAME = 'scan-nonce';

/** This tab's nonce from the consent to this link; `undefined` without consent. */
export const readNonce = (data: string): string | undefined =>
  nonceIn(storageGet('tab', NAME), data);

export const saveNonce = (data: string, nonce: string): void =>
  storageSet('tab', NAME, JSON.stringify([data, nonce]));

function nonceIn(text: string | undefined, data: string): string | undefined {
  const pair = readJson(text);
  if (!Array.isArray(pair) || pair[0] !== data || typeof pair[1] !== 'string') return undefined;
  return pair[1];
}
