const ENTRY = 'forgot-grant';

/** What the right code gave: one change of the password, until a moment by this browser's clock. */
export type ForgotGrant = {
  grant: string;
  /** Whose password it is, in digits: for the browser's own list of passwords. */
  phone: string;
  /** In ms since 1970. */
  expiresAt: number;
};

/** Private windows may have no storage: then it lives as long as the page. */
let memory: string | undefined;

/** Kept for this tab alone, and forgotten with `undefined`. */
export function saveGrant(grant: ForgotGrant | undefined): void {
  const text = grant && JSON.stringify(grant);
  memory = text;
  try {
    if (text === undefined) sessionStorage.removeItem(ENTRY);
    else sessionStorage.setItem(ENTRY, text);
  } catch {
    // The copy in memory does.
  }
}

/** The grant of this tab while it is good; `undefined` when there is none, or no longer. */
export function readGrant(): ForgotGrant | undefined {
  try {
    return grantIn(sessionStorage.getItem(ENTRY) ?? memory);
  } catch {
    return grantIn(memory);
  }
}

/** Reads what was kept; anybody may have written it. */
export function grantIn(text: string | undefined, now = Date.now()): ForgotGrant | undefined {
  if (text === undefined) return undefined;
  try {
    const kept: unknown = JSON.parse(text);
    return isGrant(kept) && kept.expiresAt > now ? kept : undefined;
  } catch {
    return undefined;
  }
}

function isGrant(kept: unknown): kept is ForgotGrant {
  if (typeof kept !== 'object' || kept === null) return false;
  const { grant, phone, expiresAt } = kept as Record<string, unknown>;
  return typeof grant === 'string' && typeof phone === 'string' && Number.isFinite(expiresAt);
}
