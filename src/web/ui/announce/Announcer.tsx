import { useStore } from '#web/browser/store.ts';
import { announcements } from '#web/ui/announce/announce.ts';

/** The page's one live region for `announce()`; always there, so that it is listened to. */
export function Announcer() {
  const { text, turn } = useStore(announcements);
  // The same words twice must differ, or they are not read again.
  return (
    <div role="status" className="sr-only">
      {text}
      {turn % 2 === 1 && '\u00a0'}
    </div>
  );
}
