import { TriangleAlert } from 'lucide-react';
import type { ChannelName } from '#contract/tokens.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { classes } from '#web/ui/classes.ts';
import { aboutChannel } from '#web/features/tokens/channels/channelWords.ts';

export function AboutChannel({ channel }: { channel: ChannelName }) {
  const { can, needs, risk } = aboutChannel[channel];
  return (
    <>
      <span>{can}</span>
      {risk && (
        <span className={classes('grid gap-8 text-warning', styles['risk'])}>
          <TriangleAlert size={16} className="mt-2" />
          <span>{risk}</span>
        </span>
      )}
      <span>{needs}</span>
    </>
  );
}
