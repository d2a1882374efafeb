import type { MessageRow } from '#contract/messages.ts';
import type { Refused } from '#contract/messages/history.ts';
import styles from '#web/features/messages/messages.module.css';
import { classes } from '#web/ui/classes.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';

type Props = { title: string; refused: readonly Refused[]; messages: readonly MessageRow[] };

const NAMED_MAX = 5;

export function RefusedList({ title, refused, messages }: Props) {
  if (refused.length === 0) return null;
  const names = new Map(messages.map((message) => [message.id, nameAndNumberOf(message)]));
  const byReason = Map.groupBy(refused, ({ error }) => error.msg);
  return (
    <div className={classes('mt-16 small py-12 px-16 rounded sunken', styles['refused'])}>
      <p className="mb-8 strong">{title}</p>
      <ul>
        {[...byReason].map(([reason, some]) => (
          <li key={reason}>
            <p>{reason}</p>
            <p className="muted num break-anywhere">
              <bdi>
                {some
                  .slice(0, NAMED_MAX)
                  .map(({ message_id: id }) => names.get(id) ?? id)
                  .join(', ')}
              </bdi>
              {some.length > NAMED_MAX && `, dan ${some.length - NAMED_MAX} lagi`}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
