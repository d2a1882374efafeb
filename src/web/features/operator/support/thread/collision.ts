import type { SupportMessage } from '#contract/support.ts';

/** What a thread held when somebody began to write: its newest line. */
export type Base = { seq: number };

/**
 * What another operator has answered since somebody began to write; the newest of it.
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
