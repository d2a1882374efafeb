import {
  MessageSquareText,
  MessagesSquare,
  AlarmClock,
  CircleCheck,
  Coffee,
  CornerUpLeft,
} from 'lucide-react';
import { Id } from '#contract/base/ids.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { NoticeCard } from '#web/features/messages/messages.ts';
import {
  cannedReplies,
  goInbox,
  countsQuery,
  focusBox,
  LOOK_MS,
} from '#web/features/operator/support/inbox.ts';
import { RepliesDialog } from '#web/ui/chat/replies/RepliesDialog.tsx';
import styles from '#web/features/operator/support/support.module.css';
import { Thread } from '#web/features/operator/support/Thread.tsx';
import { SupportChat } from '#web/features/support/support.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { classes } from '#web/ui/classes.ts';
import split from '#web/ui/layout/layout.module.css';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { SplitView } from '#web/ui/layout/SplitView.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { useQuery } from '@tanstack/react-query';
import { useEffect, type KeyboardEvent } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { civilDate, formatDate, formatTime } from '#contract/base/time.ts';
import { listInbox, type InboxFilter, type InboxRow } from '#contract/operator/support.ts';
import { useUser } from '#web/api/user.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { singleKeys } from '#web/browser/singleKeys.ts';
import {
  presenceSentence,
  usePresence,
  type Presence,
} from '#web/features/operator/support/presence.ts';
import { useNow, Waiting } from '#web/features/operator/support/Waiting.tsx';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import {
  ChatList,
  chatRow,
  ChatRows,
  ChatRowsLoading,
  ChatRowWords,
} from '#web/ui/chat/list/ChatList.tsx';
import { scrollRow, useScrollRow } from '#web/ui/layout/useScrollRow.ts';
import { Pagination } from '#web/ui/pagination/Pagination.tsx';
import { pageInstead } from '#web/ui/pagination/paging.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { SearchField } from '#web/ui/text/SearchField.tsx';

void SupportChat.bring();

/** Route `/operator/layanan`: support threads, the queue beside the open thread. */
export function SupportPage() {
  const { open, replies } = useSearch('/operator/layanan');
  const account = Id('account').safeParse(open);
  const accountId = account.success ? account.data : undefined;
  return (
    <div className={split['full']}>
      <div
        className={classes(
          accountId !== undefined && classes('sr-only-below-768', split['aboveDetail']),
        )}
      >
        <PageHead
          title="Layanan Pelanggan"
          action={
            <Button
              variant="outline"
              icon={<MessageSquareText size={18} />}
              onClick={() => goInbox({ replies: '1' })}
            >
              Jawaban siap pakai
            </Button>
          }
        />
        <div className="hide-empty mb-16">
          <NoticeCard />
        </div>
      </div>
      <SplitView
        wideList
        list={<Queue />}
        detail={accountId && <Thread key={accountId} accountId={accountId} />}
        none={
          <EmptyState icon={<MessagesSquare size={24} />} title="Pilih percakapan">
            J dan K berpindah di antrean, Enter membuka, garis miring mencari.
          </EmptyState>
        }
      />
      {replies && (
        <RepliesDialog
          addressed
          of={cannedReplies}
          onClose={() => goInbox({ replies: undefined })}
        />
      )}
    </div>
  );
}

const filters: readonly { filter: InboxFilter; label: string }[] = [
  { filter: 'waiting', label: 'Menunggu' },
  { filter: 'mine', label: 'Milik saya' },
  { filter: 'open', label: 'Terbuka' },
  { filter: 'snoozed', label: 'Ditunda' },
  { filter: 'closed', label: 'Selesai' },
];

const QUERY_MAX = 60;

function Queue() {
  const { q } = useSearch('/operator/layanan');
  return (
    <ChatList
      label="Antrean percakapan"
      head={
        <>
          <SearchField
            label="Cari percakapan"
            placeholder="Cari nama, nomor, atau kata"
            maxLength={QUERY_MAX}
            value={q ?? ''}
            onSearch={(words) =>
              goInbox({ q: words || undefined, page: undefined }, { replace: true })
            }
            onLeave={focusRows}
          />
          <Filters />
        </>
      }
    >
      <Rows />
    </ChatList>
  );
}

function Filters() {
  const { filter = 'waiting', q } = useSearch('/operator/layanan');
  const { data } = useQuery(countsQuery);
  const counts: Partial<Record<InboxFilter, number>> = data ?? {};
  return (
    <nav
      ref={useScrollRow<HTMLElement>()}
      className={classes('flex gap-6', scrollRow, styles['filters'])}
      aria-label="Saring percakapan"
    >
      {filters.map(({ filter: one, label }) => (
        <Link
          key={one}
          to="/operator/layanan"
          change={{ filter: one === 'waiting' ? undefined : one, q: undefined, page: undefined }}
          resetScroll={false}
          aria-current={!q && one === filter ? 'page' : undefined}
          className={classes(
            'hover ring-inset inline-flex align-center flex-none gap-6 min-h-28 px-10 border rounded-full small muted strong no-underline',
            styles['filter'],
          )}
        >
          {label}
          {counts[one] !== undefined && (
            <span className="regular num">{formatNumber(counts[one])}</span>
          )}
        </Link>
      ))}
    </nav>
  );
}

function Rows() {
  const { q, filter = 'waiting', page = 0, open } = useSearch('/operator/layanan');
  const list = useList(listInbox, q ? { q } : { filter }, { page }, { everyMs: LOOK_MS });
  const now = useNow();
  const others = usePresence();
  const { rows, totalPages, loading, busy } = list.table;
  const instead = loading || busy ? undefined : pageInstead('default', page, totalPages);
  useEffect(() => {
    if (instead !== undefined) goInbox({ page: instead || undefined }, { replace: true });
  }, [instead]);
  if (list.error) return <WentWrong query={list} />;
  if (loading) return <ChatRowsLoading />;
  if (rows.length === 0 && instead === undefined) return <EmptyQueue q={q} filter={filter} />;
  return (
    <ChatRows
      busy={busy}
      // Key events bubble up from the rows, which are links.
      onKeyDown={walk}
      foot={
        <div className="hide-empty p-8">
          <Pagination
            page={page + 1}
            total={totalPages}
            onPage={(to) => goInbox({ page: to - 1 || undefined })}
          />
        </div>
      }
    >
      {rows.map((row) => (
        <InboxLine
          key={row.account_id}
          row={row}
          open={row.account_id === open}
          now={now}
          others={others.filter(({ accountId }) => accountId === row.account_id)}
        />
      ))}
    </ChatRows>
  );
}

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** Moves focus from the search to the results: the open thread, else the first. */
function focusRows(): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row="open"]')];
  (rows.find((row) => row.hasAttribute('data-open')) ?? rows[0])?.focus();
}

/** While a row has focus: j, k and the arrows move on; Escape closes the open thread. */
function walk(event: KeyboardEvent<HTMLUListElement>): void {
  const { key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === 'Escape') return goInbox({ open: undefined });
  if (key.length === 1 && !singleKeys()) return;
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (step === undefined) return;
  event.preventDefault();
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row="open"]')];
  const here = rows.findIndex((row) => row === event.target);
  rows[here + step]?.focus();
}

const emptyTexts: Readonly<Record<InboxFilter, { title: string; text: string }>> = {
  waiting: {
    title: 'Tidak ada yang menunggu',
    text: 'Pertanyaan pelanggan masuk ke sini begitu sampai, tanpa memuat ulang halaman.',
  },
  mine: {
    title: 'Belum ada yang Anda tangani',
    text: 'Ambil percakapan dari Menunggu atau Terbuka, lalu temukan lagi di sini.',
  },
  open: { title: 'Tidak ada percakapan terbuka', text: 'Semua pertanyaan sudah selesai.' },
  snoozed: {
    title: 'Tidak ada yang ditunda',
    text: 'Percakapan yang Anda tunda kembali ke Menunggu pada waktunya, atau saat pelanggan menulis lagi.',
  },
  closed: { title: 'Belum ada yang selesai', text: 'Percakapan yang ditutup tersimpan di sini.' },
};

function EmptyQueue({ q, filter }: { q: string | undefined; filter: InboxFilter }) {
  if (q) {
    return (
      <EmptyState
        title="Data tidak ditemukan"
        action={
          <Button variant="outline" onClick={() => goInbox({ q: undefined, page: undefined })}>
            Hapus pencarian
          </Button>
        }
      >
        Tidak ada percakapan dengan nama, nomor, atau kata itu.
      </EmptyState>
    );
  }
  const { title, text } = emptyTexts[filter];
  return (
    <EmptyState {...(filter === 'waiting' && { icon: <Coffee size={24} /> })} title={title}>
      {text}
    </EmptyState>
  );
}

type LineProps = {
  row: InboxRow;
  open: boolean;
  now: Date;
  others: readonly Presence[];
};

function InboxLine({ row, open, now, others }: LineProps) {
  const zone = useUser().timezone;
  const { account_id, account_name, last, unread } = row;
  return (
    <li className="relative">
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

function Preview({ last, others }: Pick<InboxRow, 'last'> & Pick<LineProps, 'others'>) {
  const writing = others.filter(({ doing }) => doing !== 'look');
  if (writing.length > 0) {
    return <bdi className="text-accent regular">{presenceSentence(writing)}</bdi>;
  }
  return (
    <>
      {last.side === 'operator' && (
        <>
          <CornerUpLeft size={14} className="flex-none faint" />
          <span className="sr-only">Operator: </span>
        </>
      )}
      <bdi>{last.preview || 'Lampiran'}</bdi>
    </>
  );
}

function Foot({ row, now, zone }: Pick<LineProps, 'row' | 'now'> & { zone: string }) {
  const { waiting_since, waited_minutes, snoozed_until, status, assignee } = row;
  const waits = waiting_since !== null && status === 'open';
  if (!waits && status === 'open' && !assignee) return null;
  return (
    <span className="row gap-8 min-h-24 mt-4">
      {waits && <Waiting since={waiting_since} minutes={waited_minutes ?? 0} now={now} />}
      {status === 'snoozed' && snoozed_until && (
        <span className="inline-flex align-center tiny faint num gap-4">
          <AlarmClock size={14} />
          Ditunda sampai {shortMoment(snoozed_until, now, zone)}
        </span>
      )}
      {status === 'closed' && (
        <span className="inline-flex align-center tiny faint num gap-4">
          <CircleCheck size={14} />
          Selesai
        </span>
      )}
      {assignee && (
        <span className="inline-flex ms-auto">
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
