import { formatDateTime } from '#contract/base/time.ts';
import { useUser } from '#web/api/user.ts';

/** A moment by the clock of the person who is signed in: `21 Nov 2026, 09.05`. */
export function DateTime({ at }: { at: Date }) {
  const { timezone } = useUser();
  return (
    <time className="num" dateTime={at.toISOString()}>
      {formatDateTime(at, timezone)}
    </time>
  );
}
