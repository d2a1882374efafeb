import { useCallback, useRef, useState } from 'react';
import { sentenceOf } from '#web/api/errors.ts';
import { toast } from '#web/ui/toast/toasts.ts';

/**
 * Loads more when the end of a list comes into view: put `edge` on the element after its last row. A failure is shown
 * in a toast; scrolling there again or `read` retries.
 */
export function useMore(readOn: () => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const reading = useRef(false);
  const latest = useRef(readOn);
  latest.current = readOn;
  const read = useCallback(async () => {
    if (reading.current) return;
    reading.current = true;
    setBusy(true);
    try {
      await latest.current();
    } catch (error) {
      toast(sentenceOf(error), { tone: 'danger' });
    } finally {
      reading.current = false;
      setBusy(false);
    }
  }, []);
  const edge = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return undefined;
      const observer = new IntersectionObserver(
        (entries) => {
          if (entries.some(({ isIntersecting }) => isIntersecting)) void read();
        },
        { rootMargin: '200px' },
      );
      observer.observe(element);
      return () => observer.disconnect();
    },
    [read],
  );
  return { busy, read: () => void read(), edge };
}
