import type { MessageRow } from '#contract/messages.ts';
import type { Refused } from '#contract/messages/history.ts';
import styles from '#web/features/messages/selection/RefusedList.module.css';
import { nameAndNumberOf } from '#contract/messages/peer.ts';

type Props = { title: string; refused: readonly Refused[]; messages: readonly MessageRow[] };

const NAMED_MAX = 5;

export function RefusedList({ title, refused, messages }: Props) {
  if (refused.length === 0) return null;
  const names = new Map(messages.map((message) => [message.id, nameAndNumberOf(message)]));
  const byReason = Map.groupBy(refused, ({ error }) => error.msg);
  return (
    <div className={styles['refused']}>
      <p className={styles['title']}>{title}</p>
      <ul>
        {[...byReason].map(([reason, some]) => (
          <li key={reason}>
            <p>{reason}</p>
            <p className={styles['names']}>
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
