import { useStore } from '#web/browser/store.ts';
import { announcements } from '#web/ui/announce/announce.ts';

/** The live region for `announce()`; permanent, because screen readers ignore regions added later. */
export function Announcer() {
  const { text, turn } = useStore(announcements);
  // A repeated text must differ, or it is not read again.
  return (
    <div role="status" className="sr-only">
      {text}
      {turn % 2 === 1 && '\u00a0'}
    </div>
  );
}
