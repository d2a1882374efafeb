import { formatPeer } from '#contract/messages/peer.ts';
import styles from '#web/features/messages/PeerName.module.css';

type Props = { peer: string; name: string | null };

/** A peer: the name with the number below it, or the number alone. */
export function PeerName({ peer, name }: Props) {
  if (name === null) return <span className="num">{formatPeer(peer)}</span>;
  return (
    <span className={styles['peer']}>
      <bdi className={styles['name']}>{name}</bdi>
      <span className={styles['number']}>{formatPeer(peer)}</span>
    </span>
  );
}
