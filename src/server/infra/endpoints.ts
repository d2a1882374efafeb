import { type IdKind, uuidOf } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Language } from '#contract/language/language.ts';
import type { AnswerOf, ApiEndpoint, BodyOf, QueryOf } from '#contract/rest.ts';
import type { ChannelName, Scope, TokenStatus } from '#contract/tokens.ts';

/** The token of an API key, as it was when the key was last looked up. */
export type KeyHolder = {
  accountId: string;
  tokenId: string;
  accountStatus: 'active' | 'suspended' | 'closed';
  status: TokenStatus;
  channel: ChannelName;
  simulated: boolean;
  phone: string | null;
  /** The maximum of messages accepted per WIB day. */
  dailyLimit: number;
  /** The start of the look-up, by `performance.now()`: later changes may be missing. */
  readAtMs: number;
  scopes: readonly Scope[];
  /** Addresses and ranges that may call; empty: any address. */
  allowedAddresses: readonly string[];
  /** Its last day, `YYYY-MM-DD` in WIB; null: it does not expire. */
  expiresOn: string | null;
  keyInAddress: boolean;
};

/** The token that an endpoint works for. */
export type ApiToken = Pick<KeyHolder, 'accountId' | 'tokenId'>;

/** The language of an answer, and the origin of its file links. */
export type ApiReader = { language: Language; origin: string };

/** A call of an endpoint of `/v1`, authenticated, limited and validated. */
export type ApiCall<Name extends ApiEndpoint> = {
  sender: KeyHolder;
  reader: ApiReader;
  /** The id in the path as it was written; '' where the path has none. */
  id: string;
  query: QueryOf<Name>;
  body: BodyOf<Name>;
  /** The caller's own name for itself. */
  agent: string;
};

/** Handlers of endpoints by name. One of status 204 returns nothing. */
export type ApiHandlers<Name extends ApiEndpoint> = {
  [N in Name]: (call: ApiCall<N>) => Promise<AnswerOf<N> extends undefined ? void : AnswerOf<N>>;
};

/**
 * The UUID of an id that a caller wrote.
 * @param what the record in the refusal's sentence
 * @throws Refusal `not_found` for anything but an id of this kind
 */
export function uuidIn(kind: IdKind, id: string, what: string): string {
  const uuid = uuidOf(kind, id);
  if (uuid === undefined) throw new Refusal('not_found', { what });
  return uuid;
}
