import type { SupportMessage } from '#contract/support.ts';

export type Base = { seq: number };

/**
 * The newest answer by another operator since the draft was begun.
 *
 * @param lines of the thread, in any order
 */
export const answeredSince = (
  lines: readonly SupportMessage[],
  { seq }: Base,
): SupportMessage | undefined =>
  lines
    .filter((line) => line.seq > seq && line.side === 'operator' && !line.mine && !line.internal)
    .toSorted((a, b) => b.seq - a.seq)[0];
