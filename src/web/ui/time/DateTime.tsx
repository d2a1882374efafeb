import { formatDateTime } from '#contract/base/time.ts';
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
