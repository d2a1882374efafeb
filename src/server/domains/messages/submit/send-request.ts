import type { Rupiah } from '#contract/base/money.ts';
import type { CloudPrices } from '#server/domains/pricing/pricing.ts';
import type { RefusalCode } from '#contract/base/refusals.ts';

/** One message to accept; its price is frozen here. */
export type Item = {
  id: string;
  tokenId: string;
  peer: string;
  type: string;
  body: object;
  price: Rupiah;
  ref?: string | undefined;
  hash: Buffer;
  /** 0 otp, 1 normal, 2 bulk */
  priority: number;
  /** Earliest time; default: now. */
  readyAt?: Date | undefined;
  expiresAt?: Date | undefined;
  /** A text that must not be stored in `messages`. */
  secret?: string | undefined;
};

/**
 * Data for writing an answer, besides its results. Stored with the request's key, so that a repeat gets exactly the
 * first answer, regardless of later changes.
 */
export type AnswerContext = {
  /** Time of the request, in ms since 1970: a message due at once then stays so. */
  at: number;
  price: Rupiah;
  cloudPrices?: CloudPrices;
  simulated: boolean;
  language: string;
  /**
   * Fields that the caller added to the answer; a different shape under the same key is another request.
   */
  shape: string;
  /** Messages refused before the others were accepted, by their index in the request. */
  refused?: readonly { index: number; code: RefusalCode; facts: unknown }[];
};

/** One request: all its items are answered together, under one idempotency key. */
export type SendRequest = {
  accountId: string;
  tokenId: string;
  /** The caller's idempotency key, and the hash of the whole request. */
  key?: string | undefined;
  hash: Buffer;
  /** Left out when the first answer is stored elsewhere. */
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
  /**
   * Its cost by the account's plan, charged or not; null in old answers, for which the item's price applies.
   */
  price: number | null;
};

export type Placed = {
  results: readonly ItemResult[];
  saldo: Rupiah;
  /** True when this key had been answered before: nothing new was accepted. */
  replayed: boolean;
  context: AnswerContext | undefined;
};

/** The answer to a request: its results, the refusal of the whole, or its own error. */
export type Answer = Placed | Error;
