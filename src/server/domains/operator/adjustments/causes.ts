import type { AdjustCause } from '#contract/operator/books.ts';

/** The account on the other side of an adjustment. */
export const contraOf: Record<AdjustCause, string> = {
  goodwill: 'exp:goodwill',
  correction: 'inc:correction',
};

/** What an adjustment was booked against, as operators chose it. */
export const causeOf = (glAccount: string | null): AdjustCause =>
  glAccount === contraOf.correction ? 'correction' : 'goodwill';
