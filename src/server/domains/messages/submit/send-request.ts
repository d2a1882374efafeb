import type { Rupiah } from '#contract/base/money.ts';
import type { CloudPrices } from '#server/domains/pricing/pricing.ts';
import type { RefusalCode } from '#contract/base/refusals.ts';

/** One message to place; its price is frozen here. */
export type Item = {
  id: string;
  tokenId: string;
  peer: string;
  type: string;
  body: object;
  price: Rupiah;
  /** The caller's own reference, unique per account, and the hash of its message. */
  ref?: string | undefined;
  hash: Buffer;
  /** 0 otp, 1 normal, 2 bulk */
  priority: number;
  /** Not before; left out: now. */
  readyAt?: Date | undefined;
  expiresAt?: Date | undefined;
  /** A text that must not be stored in `messages`. */
  secret?: string | undefined;
};

/**
 * What an answer is written from, beside its results. Stored with the request's key, so that a repeat is
 * exactly the first answer, whatever has changed since.
 */
export type AnswerContext = {
  /** When the request came, in ms since 1970: what was due at once then stays so. */
  at: number;
  price: Rupiah;
  /** Of a token of the Cloud API: what its messages cost by their categories. */
  cloudPrices?: CloudPrices;
  simulated: boolean;
  /** The language its sentences were written in. */
  language: string;
  /** What the caller added to the answer; another one under the same key is another request. */
  shape: string;
  /** Messages of the request that were refused before its items were placed, by their place among all. */
  refused?: readonly { index: number; code: RefusalCode; facts: unknown }[];
};

/** One request: all its items are answered together, under one idempotency key. */
export type SendRequest = {
  accountId: string;
  tokenId: string;
  /** The caller's idempotency key, and the hash of the whole request. */
  key?: string | undefined;
  hash: Buffer;
  /** Left out where the first answer is stored elsewhere. */
  context?: AnswerContext | undefined;
  items: readonly Item[];
};

export type Outcome =
  | 'accepted'
  | 'duplicate'
  | 'ref_conflict'
  | 'saldo_short'
  | 'limit'
  | 'opted_out'
  | 'not_linked'
  | 'suspended'
  | 'bonus_only'
  | 'frozen';

/** The result of one item; `id` is the first message's for a duplicate. */
export type ItemResult = {
  id: string;
  outcome: Outcome;
  fact: number | null;
  /** What it costs, or would, by the account's plan; null in old answers, of which the item's price holds. */
  price: number | null;
};

export type Placed = {
  results: readonly ItemResult[];
  /** The available saldo after this request. */
  saldo: Rupiah;
  /** True when this key had been answered before: nothing new was placed. */
  replayed: boolean;
  /** The first answer's; `undefined` where none was stored. */
  context: AnswerContext | undefined;
};

/** The answer to a request: its results, the refusal of the whole, or its own error. */
export type Answer = Placed | Error;
