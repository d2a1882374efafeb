import { useEffect, useRef } from 'react';
import type { SupportMessage } from '#contract/support.ts';
import { isLookedAt, lookOnReturn } from '#web/browser/tab/lookedAt.ts';
import type { SupportPort } from '#web/features/support/port.ts';

/**
 * Reports that the other side's newest message was seen: when it is in view and the tab is looked at, or when the
 * person comes back to it.
 */
export function useReadMark(
  { key, side, read, thread }: SupportPort,
  newestFirst: readonly SupportMessage[],
  atEnd: boolean,
): void {
  const newest = newestFirst.find((line) => line.side !== side && line.side !== 'system')?.seq ?? 0;
  const mark = side === 'customer' ? thread?.customer_read : thread?.operator_read;
  const reported = useRef({ key, seq: 0 });
  const report = useRef(read);
  useEffect(() => {
    report.current = read;
  });
  useEffect(() => {
    if (mark === undefined || !atEnd) return undefined;
    const look = () => {
      const before = reported.current;
      const known = before.key === key ? Math.max(before.seq, mark) : mark;
      if (newest <= known || !isLookedAt()) return;
      reported.current = { key, seq: newest };
      report.current(newest).catch(() => {
        // Unread is better than wrongly read: the next look reports it again.
        reported.current = before;
      });
    };
    return lookOnReturn(look);
  }, [key, newest, mark, atEnd]);
}
