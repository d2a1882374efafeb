import { AlarmClock, CircleCheck, CornerUpLeft } from 'lucide-react';
import { civilDate, formatDate, formatTime } from '#contract/base/time.ts';
import type { InboxRow } from '#contract/operator/support.ts';
import { useUser } from '#web/api/user.ts';
import { Link } from '#web/browser/router/Link.tsx';
import styles from '#web/features/operator/support/queue/InboxLine.module.css';
import { Waiting } from '#web/features/operator/support/queue/Waiting.tsx';
import { focusBox } from '#web/features/operator/support/thread/openThread.ts';
import { presenceSentence, type Presence } from '#web/features/operator/support/presence.ts';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { chatRow, ChatRowWords } from '#web/ui/chat/list/ChatList.tsx';

type Props = {
  row: InboxRow;
  open: boolean;
  now: Date;
  others: readonly Presence[];
};

export function InboxLine({ row, open, now, others }: Props) {
  const zone = useUser().timezone;
  const { account_id, account_name, last, unread } = row;
  return (
    <li>
      <Link
        to="/operator/layanan"
        change={{ open: account_id }}
        resetScroll={false}
        {...chatRow({ open, unread })}
        data-row="open"
        data-account={account_id}
        // Enter clicks without a pointer's press: then focus moves to the box.
        onClick={({ detail }) => detail === 0 && focusBox(account_id)}
      >
        <Avatar name={account_name} decorative />
        <ChatRowWords
          name={account_name}
          at={last.at}
          time={shortTime(last.at, now, zone)}
          unread={unread}
          preview={<Preview last={last} others={others} />}
        >
          <Foot row={row} now={now} zone={zone} />
        </ChatRowWords>
      </Link>
    </li>
  );
}

function Preview({ last, others }: Pick<InboxRow, 'last'> & Pick<Props, 'others'>) {
  const writing = others.filter(({ doing }) => doing !== 'look');
  if (writing.length > 0) {
    return <bdi className={styles['writing']}>{presenceSentence(writing)}</bdi>;
  }
  return (
    <>
      {last.side === 'operator' && (
        <>
          <CornerUpLeft size={14} aria-hidden="true" className={styles['ours']} />
          <span className="sr-only">Operator: </span>
        </>
      )}
      <bdi>{last.preview || 'Lampiran'}</bdi>
    </>
  );
}

function Foot({ row, now, zone }: Pick<Props, 'row' | 'now'> & { zone: string }) {
  const { waiting_since, waited_minutes, snoozed_until, status, assignee } = row;
  const waits = waiting_since !== null && status === 'open';
  if (!waits && status === 'open' && !assignee) return null;
  return (
    <span className={styles['foot']}>
      {waits && <Waiting since={waiting_since} minutes={waited_minutes ?? 0} now={now} />}
      {status === 'snoozed' && snoozed_until && (
        <span className={styles['state']}>
          <AlarmClock size={14} aria-hidden="true" />
          Ditunda sampai {shortMoment(snoozed_until, now, zone)}
        </span>
      )}
      {status === 'closed' && (
        <span className={styles['state']}>
          <CircleCheck size={14} aria-hidden="true" />
          Selesai
        </span>
      )}
      {assignee && (
        <span className={styles['assignee']}>
          <Avatar name={assignee.name} size="xs" decorative />
          <span className="sr-only">Ditangani {assignee.mine ? 'Anda' : assignee.name}</span>
        </span>
      )}
    </span>
  );
}

function shortTime(at: Date, now: Date, zone: string): string {
  return civilDate(at, zone) === civilDate(now, zone)
    ? formatTime(at, zone)
    : formatDate(at, zone).replace(/ \d{4}$/, '');
}

/** `13.05` today, else `24 Nov, 08.00`. */
function shortMoment(at: Date, now: Date, zone: string): string {
  const day = shortTime(at, now, zone);
  const time = formatTime(at, zone);
  return day === time ? time : `${day}, ${time}`;
}
