import { nameAndNumberOf } from '#contract/messages/peer.ts';
import type { Delivery } from '#contract/webhooks.ts';
import { Link } from '#web/browser/router/Link.tsx';

export function Peer({ delivery: { peer, name, message_id: id } }: { delivery: Delivery }) {
  if (peer === null) return null;
  const who = <span className="num">{nameAndNumberOf({ peer, peer_name: name })}</span>;
  if (id === null) return who;
  return (
    <Link to="/message-history" search={{ open: id }}>
      {who}
    </Link>
  );
}
