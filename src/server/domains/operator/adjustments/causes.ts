import type { AdjustCause } from '#contract/operator/money/desk.ts';

/** The contra account of an adjustment, by its cause. */
export const contraOf: Record<AdjustCause, string> = {
  goodwill: 'exp:goodwill',
  correction: 'inc:correction',
};

/** The cause that an operator selected, from the contra account. */
export const causeOf = (glAccount: string | null): AdjustCause =>
  glAccount === contraOf.correction ? 'correction' : 'goodwill';
