import { formatPeer } from '#contract/messages/peer.ts';

type Props = { peer: string; name: string | null };

/** A peer: the name with the number below it, or the number alone. */
export function PeerName({ peer, name }: Props) {
  if (name === null) return <span className="num">{formatPeer(peer)}</span>;
  return (
    <span className="grid min-w-0 num">
      <bdi className="truncate strong">{name}</bdi>
      <span className="small faint regular">{formatPeer(peer)}</span>
    </span>
  );
}
