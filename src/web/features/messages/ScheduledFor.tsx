import type { MessageRow } from '#contract/messages.ts';
import { formatDateTimeZone } from '#contract/base/time.ts';
import styles from '#web/features/messages/StatusMark.module.css';

type Props = { message: Pick<MessageRow, 'status' | 'scheduled_at'>; zone: string };

export const ScheduledFor = ({ message: { status, scheduled_at: at }, zone }: Props) =>
  status === 'scheduled' &&
  at && (
    <time className={styles['note']} dateTime={at.toISOString()}>
      Akan dikirim {formatDateTimeZone(at, zone)}
    </time>
  );
