import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  ExternalLink,
  TriangleAlert,
  Eye,
  PencilLine,
  AlarmClock,
  Check,
  CircleCheck,
  Ellipsis,
  FileDown,
  RotateCcw,
  UserRound,
} from 'lucide-react';
import {
  Suspense,
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  useMemo,
} from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { isolated } from '#contract/base/names.ts';
import { formatDate, civilDate, formatDateTimeZone, formatTime, WIB } from '#contract/base/time.ts';
import {
  type OperatorThread,
  assignInbox,
  closeInbox,
  inboxTranscript,
  reopenInbox,
  snoozeInbox,
} from '#contract/operator/support.ts';
import { tokenStatusLabel, type TokenStatus } from '#contract/tokens.ts';
import { useUser } from '#web/api/user.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { Loaded } from '#web/features/operator/OperatorFrame.tsx';
import {
  customerUrl,
  goInbox,
  openThread,
  tellDoing,
  threadQuery,
  cannedReplies,
  inboxPort,
  showThread,
} from '#web/features/operator/support/inbox.ts';
import { noticeTag } from '#web/features/operator/support/live.tsx';
import styles from '#web/features/operator/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
import { closeSupportNotices, SupportChat } from '#web/features/support/support.ts';
import { statusTone } from '#web/features/tokens/tokens.ts';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { takeFocus } from '#web/ui/chat/thread/boxFocus.ts';
import { threadBack, ThreadHead } from '#web/ui/chat/thread/ThreadHead.tsx';
import { ThreadSkeleton } from '#web/ui/chat/thread/ThreadSkeleton.tsx';
import { useKeyboardInset } from '#web/ui/chat/thread/useKeyboardInset.ts';
import { useMedia } from '#web/ui/layout/useMedia.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { useCollision } from '#web/features/operator/support/collision.ts';
import { presenceSentence, usePresence } from '#web/features/operator/support/presence.ts';
import { repliesQuery } from '#web/ui/chat/replies/stored.ts';
import { useReplies } from '#web/ui/chat/replies/useReplies.tsx';
import { useAct } from '#web/api/query.ts';
import {
  inWib,
  SNOOZE_DAYS_MAX,
  snoozeFault,
  snoozeTimes,
} from '#web/features/operator/support/times.ts';
import { useNow, Waiting } from '#web/features/operator/support/Waiting.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { saveFrom } from '#web/ui/copy/saveFile.ts';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords, plusDays } from '#web/ui/date/dates.ts';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { Dropdown, MenuButton, MenuSeparator } from '#web/ui/menu/Dropdown.tsx';
import { nextTime } from '#web/ui/time/time.ts';
import { TimeSelect } from '#web/ui/time/TimeSelect.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

export function Thread({ accountId }: { accountId: string }) {
  const panes = useRef<HTMLDivElement>(null);
  const query = useQuery(threadQuery(accountId));
  const { data: thread, error } = query;
  const acts = useThreadActs(accountId);
  const roomy = useMedia('(min-width: 1280px)');
  const [customer, setCustomer] = useState(false);
  useKeyboardInset(panes);
  useTellLooking(accountId);
  useEffect(() => {
    openThread.set(accountId);
    const stop = panes.current ? takeFocus(panes.current) : undefined;
    return () => {
      stop?.();
      openThread.set(undefined);
    };
  }, [accountId]);
  useNoticesClosed(accountId, thread?.last_seq);
  return (
    <div ref={panes} className="flex grow min-h-0">
      {/* Escape bubbles up from the focused element. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <section
        className="column fill min-h-0 paper"
        aria-label={`Percakapan ${isolated(thread?.account_name ?? '')}`}
        data-thread
        onKeyDown={(event) => leave(event, accountId)}
      >
        <Head thread={thread}>
          {thread && (
            <ThreadEnd
              thread={thread}
              acts={acts}
              onCustomer={roomy ? undefined : () => setCustomer(true)}
            />
          )}
        </Head>
        {thread && <ThreadTools thread={thread} acts={acts} />}
        {!thread && error ? (
          <WentWrong query={query} />
        ) : (
          <Suspense fallback={<ThreadSkeleton />}>
            <Answer accountId={accountId} thread={thread} />
          </Suspense>
        )}
      </section>
      {roomy && (thread || !error) && (
        <aside
          className={classes('flex-none p-16 surface overflow-y', styles['customer'])}
          aria-label="Pelanggan"
        >
          <Loaded query={query}>{(data) => <CustomerPanel thread={data} />}</Loaded>
        </aside>
      )}
      {thread && (
        <Drawer
          open={customer && !roomy}
          onClose={() => setCustomer(false)}
          size="sm"
          title="Pelanggan"
        >
          <CustomerPanel thread={thread} />
        </Drawer>
      )}
    </div>
  );
}

function useNoticesClosed(accountId: string, newest: number | undefined): void {
  useEffect(() => {
    const seen = () => closeSupportNotices(noticeTag(accountId));
    seen();
    document.addEventListener('visibilitychange', seen);
    return () => document.removeEventListener('visibilitychange', seen);
  }, [accountId, newest]);
}

/** Escape focuses the thread's row in the queue; if the queue is hidden, it closes the thread. */
function leave(event: KeyboardEvent, accountId: string): void {
  if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]'))
    return;
  event.preventDefault();
  const row = document.querySelector<HTMLElement>(`[data-account="${accountId}"]`);
  if (row && row.getClientRects().length > 0) row.focus();
  else goInbox({ open: undefined });
}

type HeadProps = { thread: OperatorThread | undefined; children: ReactNode };

function Head({ thread, children }: HeadProps) {
  const name = thread?.account_name ?? '';
  return (
    <ThreadHead
      back={
        <Link
          to="/operator/layanan"
          change={{ open: undefined }}
          {...threadBack('Kembali ke antrean')}
        />
      }
      avatar={<Avatar name={name} decorative />}
      name={name || 'Percakapan'}
      about={thread && (thread.phone || 'Tanpa nomor')}
    >
      {children}
    </ThreadHead>
  );
}

const LOOK_MS = 20_000;

/** Reports to other operators, periodically, that this one looks at a thread. */
function useTellLooking(accountId: string): void {
  useEffect(() => {
    const tell = () => {
      if (document.hidden || !navigator.onLine) return;
      tellDoing(accountId, 'look').catch(() => undefined);
    };
    tell();
    const timer = setInterval(tell, LOOK_MS);
    document.addEventListener('visibilitychange', tell);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tell);
    };
  }, [accountId]);
}

const statusChips = {
  active: undefined,
  suspended: { tone: 'warning', word: 'Ditangguhkan' },
  closed: { tone: 'danger', word: 'Akun ditutup' },
} as const;

function CustomerPanel({ thread }: { thread: OperatorThread }) {
  const zone = useUser().timezone;
  const { account_id, account_name, phone, customer, rating } = thread;
  const state = statusChips[customer.status];
  return (
    <div className="stack content-start gap-20">
      <header className="grid justify-items-start gap-4">
        <h3 className="larger break-anywhere">
          <bdi>{account_name}</bdi>
        </h3>
        <p className="muted num">{phone || 'Tanpa nomor'}</p>
        {state && <StatusChip tone={state.tone}>{state.word}</StatusChip>}
      </header>
      <dl className="grid">
        <Fact term="Saldo">
          <Money amount={customer.available} />
        </Fact>
        <Fact term="Paket">{customer.plan}</Fact>
        <Fact term="Pelanggan sejak">{formatDate(customer.since, zone)}</Fact>
        <Fact term="Gagal 24 jam">
          {customer.failed > 0 ? (
            <Link
              href={customerUrl(account_id)}
              className="inline-flex align-center text-danger strong gap-4"
            >
              <TriangleAlert size={14} />
              {formatNumber(customer.failed)} pesan
            </Link>
          ) : (
            'Tidak ada'
          )}
        </Fact>
        {rating.score !== null && <Fact term="Nilai terakhir">{rating.score} dari 5</Fact>}
      </dl>
      <Tokens accountId={account_id} tokens={customer.tokens} />
      <Link href={customerUrl(account_id)} className="inline-flex align-center gap-6 w-fit">
        Buka data pelanggan
        <ExternalLink size={14} />
      </Link>
    </div>
  );
}

const Fact = ({ term, children }: { term: string; children: ReactNode }) => (
  <div className="flex justify-between gap-12 py-8 border-b">
    <dt className="faint">{term}</dt>
    <dd className="min-w-0 text-end break-anywhere num">{children}</dd>
  </div>
);

type TokensProps = {
  accountId: string;
  tokens: OperatorThread['customer']['tokens'];
};

const Tokens = ({ accountId, tokens }: TokensProps) => (
  <section aria-label="Token">
    <h4 className="mb-6 small faint strong">Token</h4>
    {tokens.length === 0 ? (
      <p className="muted">Belum punya token.</p>
    ) : (
      <ul className={classes('grid gap-8', styles['tokens'])}>
        {tokens.map(({ id, name, status }) => (
          <li key={id} className="row justify-between gap-8">
            <Link href={customerUrl(accountId, { type: 'token', id })}>
              <bdi>{name}</bdi>
            </Link>
            <StatusChip tone={isTokenStatus(status) ? statusTone[status] : 'neutral'}>
              {isTokenStatus(status) ? tokenStatusLabel[status] : status}
            </StatusChip>
          </li>
        ))}
      </ul>
    )}
  </section>
);

const isTokenStatus = (status: string): status is TokenStatus =>
  Object.hasOwn(tokenStatusLabel, status);

type Props = { accountId: string; thread: OperatorThread | undefined };

function Answer({ accountId, thread }: Props) {
  const client = useQueryClient();
  const [internal, setInternal] = useState(false);
  const port = useMemo(
    () => inboxPort(accountId, { client, thread, internal }),
    [accountId, client, thread, internal],
  );
  const name = thread?.account_name ?? 'pelanggan';
  const { data: replies } = useQuery(repliesQuery(cannedReplies));
  const offer = useReplies({
    replies,
    person: name,
    words: cannedReplies.words,
    onManage: () => goInbox({ replies: '1' }),
  });
  const collision = useCollision(accountId);
  const ended = thread?.customer.status === 'closed';
  return (
    <SupportChat
      port={port}
      name={name}
      blocked={ended && 'Akun ini sudah ditutup. Percakapannya tetap dapat dibaca.'}
      empty={
        <p className={classes('muted text-center p-24', styles['empty'])}>
          Pelanggan ini belum pernah menulis.
        </p>
      }
      above={
        <>
          <OthersHere accountId={accountId} />
          {!ended && <Audience internal={internal} onChange={setInternal} />}
        </>
      }
      composer={{
        internal,
        placeholder: internal ? 'Tulis catatan' : 'Tulis jawaban atau /',
        offer,
        onWrite: collision.onWrite,
        // A note is not an answer, so it cannot collide.
        ...(!internal && { maySend: collision.maySend }),
      }}
    />
  );
}

type AudienceProps = { internal: boolean; onChange: (internal: boolean) => void };

const Audience = ({ internal, onChange }: AudienceProps) => (
  <div
    className={classes(
      'row wrap gap-4 gap-x-6 flex-none border-t',
      internal ? 'bg-warning' : 'surface',
      styles['audience'],
    )}
    role="group"
    aria-label="Untuk siapa"
    data-internal={internal || undefined}
  >
    <button
      type="button"
      className="min-h-28 px-10 rounded-full muted small strong hover touch selectable"
      aria-pressed={!internal}
      onClick={() => onChange(false)}
    >
      Balas pelanggan
    </button>
    <button
      type="button"
      className={classes(
        'min-h-28 px-10 rounded-full small strong touch',
        internal ? 'solid-warning' : 'muted hover',
      )}
      aria-pressed={internal}
      onClick={() => onChange(true)}
    >
      Catatan internal
    </button>
    {internal && <span className="small text-warning">Hanya operator yang melihatnya</span>}
  </div>
);

function OthersHere({ accountId }: { accountId: string }) {
  const others = usePresence().filter((one) => one.accountId === accountId);
  const writes = others[0] !== undefined && others[0].doing !== 'look';
  const Icon = writes ? PencilLine : Eye;
  return (
    <div role="status">
      {others.length > 0 && (
        <p
          className={classes('row gap-8 small muted py-8 px-16 border-t surface', styles['others'])}
          data-writes={writes || undefined}
        >
          <Icon size={16} aria-hidden="true" />
          <span>{presenceSentence(others)}</span>
        </p>
      )}
    </div>
  );
}

type ThreadActs = ReturnType<typeof useThreadActs>;

/** The operator's actions on a customer's thread: one at a time, with the last error. */
function useThreadActs(accountId: string) {
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

type ToolsProps = { thread: OperatorThread; acts: ThreadActs };

/** The assignment and the snooze of a thread. An error shows below, until the next action. */
function ThreadTools({ thread, acts }: ToolsProps) {
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

type EndProps = ToolsProps & {
  /** Shows the customer, where there is no room for them beside the thread. */
  onCustomer: (() => void) | undefined;
};

const ThreadEnd = ({ thread, acts, onCustomer }: EndProps) => (
  <div className="flex gap-8 flex-none">
    {thread.last_seq > 0 && <Finish thread={thread} acts={acts} />}
    <More acts={acts} onCustomer={onCustomer} />
  </div>
);

function Assignee({ thread: { assignee, operators }, acts }: ToolsProps) {
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

function Snooze({ thread: { snoozed_until }, acts }: ToolsProps) {
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

function Finish({ thread: { status }, acts }: ToolsProps) {
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
