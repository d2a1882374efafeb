import { formatPeer } from '#contract/messages/peer.ts';
import type { Delivery } from '#contract/webhooks.ts';
import { Link } from '#web/browser/router/Link.tsx';

export function Peer({ delivery: { peer, message_id: id } }: { delivery: Delivery }) {
  if (peer === null) return null;
  const number = <span className="num">{formatPeer(peer)}</span>;
  if (id === null) return number;
  return (
    <Link to="/message-history" search={{ open: id }}>
      {number}
    </Link>
  );
}
