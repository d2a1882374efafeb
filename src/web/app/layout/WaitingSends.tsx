import { Link } from '#web/browser/router/Link.tsx';
import { createPortal } from 'react-dom';
import { formatNumber } from '#contract/base/money.ts';
import { useOutgoing } from '#web/features/messages/conversations/thread/outgoing.ts';
import styles from '#web/app/layout/WaitingSends.module.css';
import { OFFLINE_PLACE, useOnline } from '#web/ui/layout/OfflineBar.tsx';

/** Under the bar of who is offline: how many texts wait for a network, on whatever page one is. */
export function WaitingSends() {
  const waiting = useOutgoing().filter(({ why }) => why === undefined);
  const offline = !useOnline();
  const last = offline ? waiting.at(-1) : undefined;
  const bar = document.getElementById(OFFLINE_PLACE);
  if (!last || !bar) return null;
  return createPortal(
    <p className={styles['line']}>
      {formatNumber(waiting.length)} pesan menunggu tersambung.
      <Link
        to="/message-history"
        search={{ view: 'percakapan', open: last.tokenId, peer: last.peer }}
      >
        Lihat
      </Link>
    </p>,
    bar,
  );
}
