import type { MessageRow } from '#contract/messages.ts';
import { formatDateTimeZone } from '#contract/base/time.ts';

type Props = { message: Pick<MessageRow, 'status' | 'scheduled_at'>; zone: string };

export const ScheduledFor = ({ message: { status, scheduled_at: at }, zone }: Props) =>
  status === 'scheduled' &&
  at && (
    <time className="block tiny muted num ws-normal" dateTime={at.toISOString()}>
      Akan dikirim {formatDateTimeZone(at, zone)}
    </time>
  );
