import { Refusal } from '#contract/base/refusals.ts';
import { wibMidnight } from '#contract/base/time.ts';
import type { Scope } from '#contract/rest/scopes.ts';
import {
  type AddressRange,
  isWithin,
  readAddress,
  readRange,
  showRange,
} from '#contract/tokens/addresses.ts';

/** What calls with a token's keys may do, from where, and until when. */
export type HeldAccess = {
  scopes: readonly Scope[];
  /** Addresses and ranges; none: from anywhere. */
  allowedAddresses: readonly string[];
  /** The last day, `YYYY-MM-DD` in WIB; null: it does not expire. */
  expiresOn: string | null;
  /** Whether calls may carry the key in their address. */
  keyInAddress: boolean;
};

const DAY_MS = 86_400_000;

/** The moment at which a token with this last day expires: WIB has no summer time. */
export const endOfDay = (day: string): Date => new Date(wibMidnight(day).getTime() + DAY_MS);

/**
 * Whether a token may be used at this moment and from this address.
 *
 * @throws Refusal `token_expired`, `address_not_allowed`
 */
export function checkAccess(
  { expiresOn, allowedAddresses }: Pick<HeldAccess, 'expiresOn' | 'allowedAddresses'>,
  { address, now }: { address: string; now: Date },
): void {
  if (expiresOn !== null && now >= endOfDay(expiresOn)) {
    throw new Refusal('token_expired', { day: expiresOn });
  }
  if (allowedAddresses.length > 0 && !isListed(allowedAddresses, address)) {
    throw new Refusal('address_not_allowed', { address: shownAddress(address) });
  }
}

/** Whether a token may do this. @throws Refusal `scope_missing` */
export function allowScope({ scopes }: Pick<HeldAccess, 'scopes'>, scope: Scope): void {
  if (!scopes.includes(scope)) throw new Refusal('scope_missing', { scope });
}

/** A caller's address in its one spelling; what a proxy gave that is none tells nobody anything. */
export function shownAddress(address: string): string {
  const read = readAddress(address);
  return read ? showRange(read) : '?';
}

/** Lists as they were read, each once: a look-up of a key is used for many calls. */
const readLists = new WeakMap<readonly string[], readonly AddressRange[]>();

function isListed(list: readonly string[], address: string): boolean {
  const caller = readAddress(address);
  if (!caller) return false;
  let ranges = readLists.get(list);
  if (!ranges) {
    ranges = list.flatMap((one) => readRange(one) ?? []);
    readLists.set(list, ranges);
  }
  return ranges.some((range) => isWithin(caller, range));
}
