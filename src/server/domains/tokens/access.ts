import type { KeyHolder } from '#server/infra/endpoints.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { wibMidnight, civilDate } from '#contract/base/time.ts';
import { type Scope, type Token, type TokenAccess, confirmToken } from '#contract/tokens.ts';
import {
  type AddressRange,
  isWithin,
  readAddress,
  readRange,
  showRange,
  ACCESS_LIMITS,
  updateTokenAccess,
} from '#contract/token-access.ts';
import type { InputOf } from '#contract/base/act.ts';
import { handle } from '#server/infra/acts.ts';
import { asAccount, type Tx } from '#server/infra/postgres/database.ts';
import { readToken, tokenNotFound, type TokensDeps, needsReview } from './row.ts';

export type HeldAccess = Pick<
  KeyHolder,
  'scopes' | 'allowedAddresses' | 'expiresOn' | 'keyInAddress'
>;

const DAY_MS = 86_400_000;

/** The expiry of a token with this last day: WIB has no summer time. */
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

/** @throws Refusal `scope_missing` */
export function allowScope({ scopes }: Pick<HeldAccess, 'scopes'>, scope: Scope): void {
  if (!scopes.includes(scope)) throw new Refusal('scope_missing', { scope });
}

/** The normal form of a caller's address; invalid text from a proxy is not repeated. */
export function shownAddress(address: string): string {
  const read = readAddress(address);
  return read ? showRange(read) : '?';
}

/** Parsed lists, cached because a look-up of a key is used for many calls. */
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

export const updateTokenAccessHandler = (deps: TokensDeps) =>
  handle(updateTokenAccess, ({ caller }, input) => changeAccess(deps, caller.accountId, input));

/**
 * Changes the scopes, addresses and expiry of a token. Takes effect for its calls within a second.
 *
 * @throws Refusal `input_invalid` for a last day that is over, or too far; `cooling_down` if it allows more than before
 * while the account gets no new key.
 */
export function changeAccess(
  { sql, subscribers, now }: Pick<TokensDeps, 'sql' | 'subscribers' | 'now'>,
  accountId: string,
  { token_id, scopes, addresses, expires_on, key_in_address }: InputOf<typeof updateTokenAccess>,
): Promise<Token> {
  return asAccount(sql, accountId, async (tx) => {
    // Locks what the change is compared with.
    await tx`
      select from tokens where account_id = ${accountId} and token_id = ${token_id} for no key update`;
    const { access: before } = await readToken(tx, accountId, token_id);
    const after = {
      scopes: [...new Set(scopes)],
      addresses,
      expires_on: expires_on || null,
      key_in_address: key_in_address === undefined ? before.key_in_address : key_in_address === '1',
    };
    refuseDay(before, after, civilDate(now()));
    if (isWider(before, after)) await refuseCooling(tx, accountId);
    const changed = await tx`
      update tokens
      set scopes = ${after.scopes}::text[], allowed_addresses = ${after.addresses}::text[],
        expires_on = ${after.expires_on}::date, key_in_address = ${after.key_in_address}
      where account_id = ${accountId} and token_id = ${token_id} and deleted_at is null`;
    if (changed.count === 0) throw tokenNotFound();
    await subscribers.tokenChanged(tx, { accountId, tokenId: token_id });
    return readToken(tx, accountId, token_id);
  });
}

/** The last day must be today or later; an unchanged one may be over. */
function refuseDay(before: TokenAccess, { expires_on: day }: TokenAccess, today: string): void {
  if (day === null || day === before.expires_on) return;
  const last = `${Number(today.slice(0, 4)) + ACCESS_LIMITS.years}${today.slice(4)}`;
  const invalidDay = (sentence: string) =>
    new Refusal('input_invalid', { fields: { expires_on: sentence } });
  if (day < today) throw invalidDay('Hari ini sudah lewat. Pilih hari ini atau sesudahnya.');
  if (day > last) throw invalidDay(`Paling lama ${ACCESS_LIMITS.years} tahun dari sekarang.`);
}

/** Whether the change allows more: another scope, address, a later end, or the key in the URL. */
export function isWider(before: TokenAccess, after: TokenAccess): boolean {
  if (after.scopes.some((scope) => !before.scopes.includes(scope))) return true;
  if (after.key_in_address && !before.key_in_address) return true;
  const isLater =
    before.expires_on !== null &&
    (after.expires_on === null || after.expires_on > before.expires_on);
  return isLater || reachesFurther(before.addresses, after.addresses);
}

function reachesFurther(before: readonly string[], after: readonly string[]): boolean {
  if (before.length === 0) return false;
  if (after.length === 0) return true;
  const known = before.flatMap((one) => readRange(one) ?? []);
  const given = after.flatMap((one) => readRange(one) ?? []);
  return !given.every((range) => known.some((outer) => isWithin(range, outer)));
}

/** Hours after a password reset by code, or a change of number, in which no API key is issued. */
const COOL_DOWN_HOURS = 24;

/**
 * Refuses to issue an API key while the account cools down. Locks the account's row: a concurrent reset waits, and then
 * finds the new token among those to be reviewed.
 *
 * @throws Refusal `cooling_down` with the hours left, rounded up, by the database's clock.
 */
export async function refuseCooling(tx: Tx, accountId: string): Promise<void> {
  const [account] = await tx<{ hours: number | null }[]>`
    select ceil(
      extract(epoch from cooling_since - clock_timestamp()) / 3600 + ${COOL_DOWN_HOURS}
    )::int as hours
    from accounts where account_id = ${accountId} for no key update`;
  const hours = account?.hours ?? 0;
  if (hours > 0) throw new Refusal('cooling_down', { hours });
}

export const confirmTokenHandler = (deps: TokensDeps) =>
  handle(confirmToken, ({ caller }, input) => endReview(deps, caller.accountId, input.token_id));

/**
 * The owner confirms a token: it needs no review until the next reset or change of number. A token without review stays
 * unchanged.
 *
 * @throws Refusal `not_found` if the account has no such token.
 */
function endReview(
  { sql, subscribers }: TokensDeps,
  accountId: string,
  tokenId: string,
): Promise<Token> {
  return asAccount(sql, accountId, async (tx) => {
    // The cool-down that was reviewed, not the present time: a concurrent reset requires a new review.
    const [account] = await tx<{ since: string | null }[]>`
      select cooling_since::text as since from accounts where account_id = ${accountId}`;
    const confirmed = await tx`
      update tokens t set confirmed_since = a.cooling_since
      from (values (${account?.since ?? null}::text::timestamptz)) as a(cooling_since)
      where ${needsReview(tx)}
        and t.account_id = ${accountId} and t.token_id = ${tokenId} and t.deleted_at is null`;
    if (confirmed.count > 0) await subscribers.tokenChanged(tx, { accountId, tokenId });
    return readToken(tx, accountId, tokenId);
  });
}
