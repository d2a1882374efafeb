import { Link } from '#web/browser/router/Link.tsx';
import { useUser } from '#web/api/user.ts';
import { createPortal } from 'react-dom';
import { formatNumber } from '#contract/base/money.ts';
import { waitingTexts } from '#web/features/messages/conversations/thread/sending/waitingTexts.ts';
import { useStore } from '#web/browser/store.ts';
import { supportWaiting } from '#web/features/support/outbox/waiting.ts';
import styles from '#web/app/layout/frame.module.css';
import { classes } from '#web/ui/classes.ts';
import { useServerAway } from '#web/api/server.ts';
import { OFFLINE_PLACE, useOnline } from '#web/ui/layout/OfflineBar.tsx';

/** The number of texts that wait for a network or the server, below the bar that says so. */
export function WaitingSends() {
  const waiting = useStore(waitingTexts);
  const lines = useStore(supportWaiting);
  const offline = !useOnline();
  const away = useServerAway();
  const operator = useUser().role === 'operator';
  const count = waiting.length + lines;
  const bar = document.getElementById(OFFLINE_PLACE);
  if (!(offline || away) || count === 0 || !bar) return null;
  const last = waiting.at(-1);
  return createPortal(
    <p
      className={classes('row justify-center gap-8 small text-warning leading-ui', styles['line'])}
    >
      {formatNumber(count)} pesan menunggu tersambung.
      {last ? (
        <Link
          to="/message-history"
          search={{ view: 'percakapan', open: last.tokenId, peer: last.peer }}
        >
          Lihat
        </Link>
      ) : (
        <Link to={operator ? '/operator/layanan' : '/customer-service'}>Lihat</Link>
      )}
    </p>,
    bar,
  );
}
