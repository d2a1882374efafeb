import { useQuery } from '@tanstack/react-query';
import { Coffee } from 'lucide-react';
import { useEffect, type KeyboardEvent } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { listInbox, type InboxFilter } from '#contract/operator/support.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { useSearch } from '#web/browser/router/Router.tsx';
import { singleKeys } from '#web/browser/singleKeys.ts';
import { goInbox } from '#web/features/operator/support/address.ts';
import { usePresence } from '#web/features/operator/support/presence.ts';
import { countsQuery, LOOK_MS } from '#web/features/operator/support/queries.ts';
import { InboxLine } from '#web/features/operator/support/queue/InboxLine.tsx';
import styles from '#web/features/operator/support/queue/Queue.module.css';
import { useNow } from '#web/features/operator/support/queue/useNow.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { ChatList, ChatRows, ChatRowsLoading } from '#web/ui/chat/list/ChatList.tsx';
import { Pagination } from '#web/ui/pagination/Pagination.tsx';
import { pageInstead } from '#web/ui/pagination/paging.ts';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { useList } from '#web/ui/table/list/useList.ts';
import { SearchField } from '#web/ui/text/SearchField.tsx';

const filters: readonly { filter: InboxFilter; label: string }[] = [
  { filter: 'waiting', label: 'Menunggu' },
  { filter: 'mine', label: 'Milik saya' },
  { filter: 'open', label: 'Terbuka' },
  { filter: 'snoozed', label: 'Ditunda' },
  { filter: 'closed', label: 'Selesai' },
];

const QUERY_MAX = 60;

export function Queue() {
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
    <nav className={styles['filters']} aria-label="Saring percakapan">
      {filters.map(({ filter: one, label }) => (
        <Link
          key={one}
          to="/operator/layanan"
          change={{ filter: one === 'waiting' ? undefined : one, q: undefined, page: undefined }}
          resetScroll={false}
          aria-current={!q && one === filter ? 'page' : undefined}
          className={styles['filter']}
        >
          {label}
          {counts[one] !== undefined && (
            <span className={styles['count']}>{formatNumber(counts[one])}</span>
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
  if (list.error) {
    return <WentWrong message={sentenceOf(list.error)} onRetry={() => void list.refetch()} />;
  }
  if (loading) return <ChatRowsLoading />;
  if (rows.length === 0 && instead === undefined) return <EmptyQueue q={q} filter={filter} />;
  return (
    <ChatRows
      busy={busy}
      // Key events bubble up from the rows, which are links.
      onKeyDown={walk}
      foot={
        <div className={styles['foot']}>
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
          <Button
            variant="outline"
            tone="neutral"
            onClick={() => goInbox({ q: undefined, page: undefined })}
          >
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
