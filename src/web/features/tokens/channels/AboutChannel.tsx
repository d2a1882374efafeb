import { TriangleAlert } from 'lucide-react';
import type { ChannelName } from '#contract/tokens.ts';
import styles from '#web/features/tokens/channels/channels.module.css';
import { aboutChannel } from '#web/features/tokens/channels/channelWords.ts';

export function AboutChannel({ channel }: { channel: ChannelName }) {
  const { can, needs, risk } = aboutChannel[channel];
  return (
    <>
      <span>{can}</span>
      {risk && (
        <span className={styles['risk']}>
          <TriangleAlert size={16} aria-hidden="true" />
          <span>{risk}</span>
        </span>
      )}
      <span>{needs}</span>
    </>
  );
}
