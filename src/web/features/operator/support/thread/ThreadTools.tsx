import { isolated } from '#contract/base/names.ts';
import {
  AlarmClock,
  Check,
  CircleCheck,
  Ellipsis,
  FileDown,
  RotateCcw,
  UserRound,
} from 'lucide-react';
import { useState } from 'react';
import { formatDateTimeZone } from '#contract/base/time.ts';
import type { OperatorThread } from '#contract/operator/support.ts';
import { useUser } from '#web/api/user.ts';
import { useNow } from '#web/features/operator/support/queue/useNow.ts';
import { Waiting } from '#web/features/operator/support/queue/Waiting.tsx';
import { SnoozeDialog } from '#web/features/operator/support/thread/SnoozeDialog.tsx';
import { snoozeTimes } from '#web/features/operator/support/thread/snoozeTimes.ts';
import styles from '#web/features/operator/support/thread/ThreadTools.module.css';
import type { ThreadActs } from '#web/features/operator/support/thread/useThreadActs.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Dropdown, MenuButton, MenuSeparator } from '#web/ui/menu/Dropdown.tsx';

type Props = { thread: OperatorThread; acts: ThreadActs };

/** The assignment and the snooze of a thread. An error shows below, until the next action. */
export function ThreadTools({ thread, acts }: Props) {
  const now = useNow();
  const { waiting_since, waited_minutes, status, last_seq } = thread;
  return (
    <div className={styles['tools']}>
      <div className={styles['row']} role="group" aria-label="Tindakan untuk percakapan ini">
        <Assignee thread={thread} acts={acts} />
        {status !== 'closed' && last_seq > 0 && <Snooze thread={thread} acts={acts} />}
        {waiting_since && status === 'open' && (
          <span className={styles['end']}>
            <Waiting since={waiting_since} minutes={waited_minutes ?? 0} now={now} />
          </span>
        )}
      </div>
      <RefusalAlert error={acts.error} />
    </div>
  );
}

type EndProps = Props & {
  /** Shows the customer, where there is no room for them beside the thread. */
  onCustomer: (() => void) | undefined;
};

export const ThreadEnd = ({ thread, acts, onCustomer }: EndProps) => (
  <div className={styles['ending']}>
    {thread.last_seq > 0 && <Finish thread={thread} acts={acts} />}
    <More acts={acts} onCustomer={onCustomer} />
  </div>
);

function Assignee({ thread: { assignee, operators }, acts }: Props) {
  const me = useUser().id;
  const name = assignee ? (assignee.mine ? 'Anda' : assignee.name) : 'Belum ditangani';
  return (
    <Dropdown
      label="Siapa yang menangani"
      trigger={(props) => (
        <Button
          {...props}
          size="sm"
          variant="outline"
          tone="neutral"
          busy={acts.busy === 'assign'}
          aria-label={`Yang menangani: ${isolated(name)}`}
          icon={
            assignee ? (
              <Avatar name={assignee.name} size="xs" decorative />
            ) : (
              <UserRound size={16} aria-hidden="true" />
            )
          }
        >
          <bdi>{name}</bdi>
        </Button>
      )}
    >
      {!assignee?.mine && (
        <MenuButton icon={<Check size={18} />} onClick={() => acts.assign(me)}>
          Saya tangani
        </MenuButton>
      )}
      {operators
        .filter(({ id }) => id !== me && id !== assignee?.id)
        .map((one) => (
          <MenuButton
            key={one.id}
            icon={<Avatar name={one.name} size="xs" decorative />}
            onClick={() => acts.assign(one.id)}
          >
            {one.name}
          </MenuButton>
        ))}
      {assignee && (
        <>
          <MenuSeparator />
          <MenuButton onClick={() => acts.assign(undefined)}>Lepaskan</MenuButton>
        </>
      )}
    </Dropdown>
  );
}

function Snooze({ thread: { snoozed_until }, acts }: Props) {
  const zone = useUser().timezone;
  const [choosing, setChoosing] = useState(false);
  return (
    <>
      <Dropdown
        label="Tunda percakapan"
        trigger={(props) => (
          <Button
            {...props}
            size="sm"
            variant="outline"
            tone="neutral"
            busy={acts.busy === 'snooze'}
            icon={<AlarmClock size={16} aria-hidden="true" />}
          >
            {snoozed_until ? formatDateTimeZone(snoozed_until, zone) : 'Tunda'}
          </Button>
        )}
      >
        {snoozeTimes(new Date()).map(({ label, until }) => (
          <MenuButton key={label} onClick={() => acts.snooze(until)}>
            {label}
          </MenuButton>
        ))}
        <MenuSeparator />
        <MenuButton onClick={() => setChoosing(true)}>Pilih waktu…</MenuButton>
      </Dropdown>
      {choosing && (
        <SnoozeDialog
          onClose={() => setChoosing(false)}
          onSnooze={async (until) => {
            await acts.snoozeNow(until);
            setChoosing(false);
          }}
        />
      )}
    </>
  );
}

function Finish({ thread: { status }, acts }: Props) {
  if (status === 'open') {
    return (
      <Button
        size="sm"
        variant="subtle"
        busy={acts.busy === 'close'}
        icon={<CircleCheck size={16} aria-hidden="true" />}
        onClick={acts.close}
      >
        <span className={styles['word']}>Selesai</span>
      </Button>
    );
  }
  return (
    <Button
      size="sm"
      variant="subtle"
      busy={acts.busy === 'reopen'}
      icon={<RotateCcw size={16} aria-hidden="true" />}
      onClick={acts.reopen}
    >
      <span className={styles['word']}>Buka lagi</span>
    </Button>
  );
}

const More = ({ acts, onCustomer }: Pick<EndProps, 'acts' | 'onCustomer'>) => (
  <Dropdown
    label="Tindakan lain"
    align="end"
    trigger={(props) => (
      <Button
        {...props}
        size="sm"
        square
        variant="outline"
        tone="neutral"
        busy={acts.busy === 'transcript'}
        aria-label="Tindakan lain"
      >
        <Ellipsis size={18} aria-hidden="true" />
      </Button>
    )}
  >
    {onCustomer && (
      <MenuButton icon={<UserRound size={18} />} onClick={onCustomer}>
        Lihat pelanggan
      </MenuButton>
    )}
    <MenuButton icon={<FileDown size={18} />} onClick={acts.transcript}>
      Unduh transkrip
    </MenuButton>
  </Dropdown>
);
