import { ArrowDownLeft } from 'lucide-react';
import { messageStatusLabel, type MessageStatus } from '#contract/messages.ts';
import styles from '#web/features/messages/messages.module.css';
import { classes } from '#web/ui/classes.ts';
import { markOf } from '#web/features/messages/labels.ts';
import { Ticks } from '#web/ui/chat/Ticks.tsx';

type Props = { status: MessageStatus; iconOnly?: boolean };

export function StatusMark({ status, iconOnly = false }: Props) {
  const mark = markOf(status);
  if (mark) return <Ticks mark={mark} word={messageStatusLabel[status]} iconOnly={iconOnly} />;
  return (
    <span className={classes('inline-flex align-baseline gap-6 muted nowrap', styles['received'])}>
      <ArrowDownLeft size={16} />
      <span className={iconOnly ? 'sr-only' : undefined}>{messageStatusLabel[status]}</span>
    </span>
  );
}
