import type { Delivery } from '#contract/webhooks.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { PeerName } from '#web/features/messages/messages.ts';

export function Peer({ delivery: { peer, peer_name, message_id: id } }: { delivery: Delivery }) {
  if (peer === null) return null;
  const who = <PeerName peer={peer} name={peer_name} />;
  if (id === null) return who;
  return (
    <Link to="/message-history" search={{ open: id }}>
      {who}
    </Link>
  );
}
