import { readJson } from '#web/browser/json.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';

const ENTRY = 'forgot-grant';

/** Permits one change of the password after the right code; expires by this browser's clock. */
export type ForgotGrant = {
  grant: string;
  /** The account's phone in digits, for the browser's password manager. */
  phone: string;
  /** In ms since 1970. */
  expiresAt: number;
};

/** Stores the grant for this tab only; `undefined` removes it. */
export const saveGrant = (grant: ForgotGrant | undefined): void =>
  storageSet('tab', ENTRY, grant && JSON.stringify(grant));

/** The valid grant of this tab; `undefined` when there is none or it has expired. */
export const readGrant = (): ForgotGrant | undefined => grantIn(storageGet('tab', ENTRY));

/** Parses stored text, which other code may have written. */
function grantIn(text: string | undefined): ForgotGrant | undefined {
  const found = readJson(text);
  return isGrant(found) && found.expiresAt > Date.now() ? found : undefined;
}

function isGrant(found: unknown): found is ForgotGrant {
  if (typeof found !== 'object' || found === null) return false;
  const { grant, phone, expiresAt } = found as Record<string, unknown>;
  return typeof grant === 'string' && typeof phone === 'string' && Number.isFinite(expiresAt);
}
