import { formatAgo, formatDateTime } from '#contract/base/time.ts';
import { useUser } from '#web/api/user.ts';

/** A time in the time zone of the signed-in user: `21 Nov 2026, 09.05`. */
export function DateTime({ at }: { at: Date }) {
  const { timezone } = useUser();
  return (
    <time className="num" dateTime={at.toISOString()}>
      {formatDateTime(at, timezone)}
    </time>
  );
}

/** A time in words, counted from now (`5 menit lalu`); the time itself as its tooltip. */
export function TimeAgo({ at, className }: { at: Date; className?: string }) {
  const { timezone } = useUser();
  return (
    <time dateTime={at.toISOString()} title={formatDateTime(at, timezone)} className={className}>
      {formatAgo(at, undefined, timezone)}
    </time>
  );
}
