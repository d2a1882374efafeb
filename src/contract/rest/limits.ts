/** Messages in one request, at most. */
export const MESSAGES_MAX = 1000;

export const API_LIMITS = {
  /** JSON body of one request, in bytes (docs/threats.md, T41). */
  bodyBytes: 1_048_576,
  idempotencyKeyMax: 255,
  /** Messages on a page, at most. */
  pageMax: 100,
} as const;

/** Letters of a file's caption, at most. */
export const CAPTION_MAX = 1024;

/** Under which all of the API lies. */
export const API_PREFIX = '/v1';

/** Letters of a place and of a contact card, at most. */
export const PLACE_MAX = { name: 200, address: 400 } as const;
export const CARD_MAX = { name: 200, organization: 200 } as const;
