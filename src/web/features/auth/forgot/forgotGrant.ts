import { readJson } from '#web/browser/json.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';

const ENTRY = 'forgot-grant';

/** What the right code gave: one change of the password, until a moment by this browser's clock. */
export type ForgotGrant = {
  grant: string;
  /** Whose password it is, in digits: for the browser's own list of passwords. */
  phone: string;
  /** In ms since 1970. */
  expiresAt: number;
};

/** Stored for this tab alone, and forgotten with `undefined`. */
export const saveGrant = (grant: ForgotGrant | undefined): void =>
  storageSet('tab', ENTRY, grant && JSON.stringify(grant));

/** The grant of this tab while it is good; `undefined` when there is none, or no longer. */
export const readGrant = (): ForgotGrant | undefined => grantIn(storageGet('tab', ENTRY));

/** Reads what was stored; anybody may have written it. */
function grantIn(text: string | undefined): ForgotGrant | undefined {
  const found = readJson(text);
  return isGrant(found) && found.expiresAt > Date.now() ? found : undefined;
}

function isGrant(found: unknown): found is ForgotGrant {
  if (typeof found !== 'object' || found === null) return false;
  const { grant, phone, expiresAt } = found as Record<string, unknown>;
  return typeof grant === 'string' && typeof phone === 'string' && Number.isFinite(expiresAt);
}
