import type { AdjustCause } from '#contract/operator/books.ts';

export const contraOf: Record<AdjustCause, string> = {
  goodwill: 'exp:goodwill',
  correction: 'inc:correction',
};

export const causeOf = (glAccount: string | null): AdjustCause =>
  glAccount === contraOf.correction ? 'correction' : 'goodwill';
