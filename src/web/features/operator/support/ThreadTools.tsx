import { useQueryClient } from '@tanstack/react-query';
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
import { isolated } from '#contract/base/names.ts';
import { civilDate, formatDateTimeZone, formatTime, WIB } from '#contract/base/time.ts';
import {
  assignInbox,
  closeInbox,
  inboxTranscript,
  type OperatorThread,
  reopenInbox,
  snoozeInbox,
} from '#contract/operator/support.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import { showThread } from '#web/features/operator/support/inbox.ts';
import styles from '#web/features/operator/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
import {
  inWib,
  SNOOZE_DAYS_MAX,
  snoozeFault,
  snoozeTimes,
} from '#web/features/operator/support/times.ts';
import { useNow, Waiting } from '#web/features/operator/support/Waiting.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { saveFrom } from '#web/ui/copy/saveFile.ts';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords, plusDays } from '#web/ui/date/dates.ts';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { Dropdown, MenuButton, MenuSeparator } from '#web/ui/menu/Dropdown.tsx';
import { nextTime } from '#web/ui/time/time.ts';
import { TimeSelect } from '#web/ui/time/TimeSelect.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type ThreadActs = ReturnType<typeof useThreadActs>;

/** The operator's actions on a customer's thread: one at a time, with the last error. */
export function useThreadActs(accountId: string) {
  const client = useQueryClient();
  const [error, setError] = useState<Error>();
  const options = {
    onSuccess: (thread: OperatorThread) => showThread(client, thread),
    onError: setError,
  };
  const assign = useAct(assignInbox, options);
  const snooze = useAct(snoozeInbox, options);
  const close = useAct(closeInbox, options);
  const reopen = useAct(reopenInbox, options);
  const transcript = useAct(inboxTranscript, {
    onSuccess: ({ url }) => saveFrom(url, ''),
    onError: setError,
  });
  const all = { assign, snooze, close, reopen, transcript };
  const busy = (Object.keys(all) as (keyof typeof all)[]).find((name) => all[name].busy);
  /** Ignores a second press while the first is running. */
  const once = (work: () => Promise<unknown>) => {
    if (busy) return;
    setError(undefined);
    void work().catch(() => undefined);
  };
  const thread = { account_id: accountId };
  const reopenThread = () => once(() => reopen.perform(thread));
  return {
    busy,
    error,
    /** `undefined` unassigns. */
    assign: (operatorId: string | undefined) =>
      once(() => assign.perform({ ...thread, ...(operatorId && { operator_id: operatorId }) })),
    snooze: (until: Date) => once(() => snooze.perform({ ...thread, until: until.toISOString() })),
    /** The same for a caller that shows the error itself: @throws what the act throws. */
    snoozeNow: async (until: Date) => {
      await snooze.perform({ ...thread, until: until.toISOString() });
    },
    close: () =>
      once(async () => {
        await close.perform(thread);
        toast('Percakapan selesai. Pelanggan diminta memberi nilai.', {
          tone: 'success',
          action: { label: 'Buka lagi', onAction: reopenThread },
        });
      }),
    reopen: reopenThread,
    transcript: () => once(() => transcript.perform(thread)),
  };
}

type Props = { thread: OperatorThread; acts: ThreadActs };

/** The assignment and the snooze of a thread. An error shows below, until the next action. */
export function ThreadTools({ thread, acts }: Props) {
  const now = useNow();
  const { waiting_since, waited_minutes, status, last_seq } = thread;
  return (
    <div className="grid gap-8 flex-none py-8 px-16 border-b surface">
      <div
        className={classes('row wrap gap-8', styles['row'])}
        role="group"
        aria-label="Tindakan untuk percakapan ini"
      >
        <Assignee thread={thread} acts={acts} />
        {status !== 'closed' && last_seq > 0 && <Snooze thread={thread} acts={acts} />}
        {waiting_since && status === 'open' && (
          <span className="inline-flex ms-auto">
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
  <div className="flex gap-8 flex-none">
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
          busy={acts.busy === 'assign'}
          aria-label={`Yang menangani: ${isolated(name)}`}
          icon={
            assignee ? (
              <Avatar name={assignee.name} size="xs" decorative />
            ) : (
              <UserRound size={16} />
            )
          }
        >
          <bdi className="clip">{name}</bdi>
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
            busy={acts.busy === 'snooze'}
            icon={<AlarmClock size={16} />}
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
        icon={<CircleCheck size={16} />}
        onClick={acts.close}
      >
        <span className="sr-only-below-768">Selesai</span>
      </Button>
    );
  }
  return (
    <Button
      size="sm"
      variant="subtle"
      busy={acts.busy === 'reopen'}
      icon={<RotateCcw size={16} />}
      onClick={acts.reopen}
    >
      <span className="sr-only-below-768">Buka lagi</span>
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
        busy={acts.busy === 'transcript'}
        aria-label="Tindakan lain"
      >
        <Ellipsis size={18} />
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

type SnoozeProps = {
  onClose: () => void;
  /** Its error is shown, and the dialog stays. */
  onSnooze: (until: Date) => Promise<void>;
};

function SnoozeDialog({ onClose, onSnooze }: SnoozeProps) {
  const [now] = useState(() => new Date());
  const today = civilDate(now, WIB);
  const days = { required: true, today, min: today, max: plusDays(today, SNOOZE_DAYS_MAX) };
  const [day, setDay] = useState<string | null>(today);
  const [time, setTime] = useState(
    () => nextTime(formatTime(now, WIB).replace('.', ':'), true) ?? '08:00:00',
  );
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async () => {
    const until = inWib(day ?? '', time);
    const wrong = snoozeFault(until, new Date());
    setFault(wrong);
    if (wrong || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await onSnooze(until);
    } catch (no) {
      setError(no);
    } finally {
      setBusy(false);
    }
  };
  return (
    <FormModal
      onClose={onClose}
      title="Tunda sampai"
      size="sm"
      shape="sheet"
      submit="Tunda"
      busy={busy}
      onSubmit={() => void send()}
    >
      <RefusalAlert error={error} />
      <DatePicker
        single
        autoApply
        label="Tanggal"
        labels={dateWords}
        value={day}
        onChange={setDay}
        {...days}
      />
      <TimeSelect
        half
        label="Jam (WIB)"
        value={time}
        onChange={setTime}
        error={fault}
        help="Pesan pelanggan memunculkannya lagi lebih awal."
      />
    </FormModal>
  );
}
