import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Coffee, Search } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { listInbox, type InboxFilter } from '#contract/operator/support.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { useSearch } from '#web/browser/router/Router.tsx';
import { singleKeys } from '#web/browser/singleKeys.ts';
import { goInbox } from '#web/features/operator/support/address.ts';
import { usePresence } from '#web/features/operator/support/presence.ts';
import { countsQuery, inboxKey, LOOK_MS } from '#web/features/operator/support/queries.ts';
import { InboxLine } from '#web/features/operator/support/queue/InboxLine.tsx';
import styles from '#web/features/operator/support/queue/Queue.module.css';
import { useNow } from '#web/features/operator/support/queue/useNow.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Pagination } from '#web/ui/pagination/Pagination.tsx';
import { pageInstead } from '#web/ui/pagination/paging.ts';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { useList } from '#web/ui/table/useList.ts';
import { TextField } from '#web/ui/text/TextField.tsx';

const filters: readonly { filter: InboxFilter; label: string }[] = [
  { filter: 'waiting', label: 'Menunggu' },
  { filter: 'mine', label: 'Milik saya' },
  { filter: 'open', label: 'Terbuka' },
  { filter: 'snoozed', label: 'Ditunda' },
  { filter: 'closed', label: 'Selesai' },
];

/** The threads to look after: whose turn it is by the filter, or what a search finds in all of them. */
export function Queue() {
  const { q } = useSearch('/operator/layanan');
  return (
    <section className={styles['place']} aria-label="Antrean percakapan">
      <div className={styles['head']}>
        <SearchField q={q ?? ''} />
        <Filters />
      </div>
      <Rows />
    </section>
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

/** Long enough for a word: each look goes through everybody's lines. */
const PAUSE_MS = 350;
const QUERY_MAX = 60;

function SearchField({ q }: { q: string }) {
  const [typed, setTyped] = useState(q);
  const [asked, setAsked] = useState(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The address changed otherwise: by Back, or by another filter.
  if (q !== asked) {
    setAsked(q);
    setTyped(q);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const ask = (words: string) => {
    clearTimeout(timer.current);
    if (words === q) return;
    setAsked(words);
    goInbox({ q: words || undefined, page: undefined }, { replace: true });
  };
  return (
    <TextField
      label="Cari percakapan"
      hideLabel
      type="search"
      placeholder="Cari nama, nomor, atau kata"
      autoComplete="off"
      prefix={<Search size={18} aria-hidden="true" />}
      maxLength={QUERY_MAX}
      value={typed}
      onClear={() => {
        setTyped('');
        ask('');
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        ask(typed.trim());
      }}
      onChange={({ target: { value } }) => {
        setTyped(value);
        clearTimeout(timer.current);
        // What is too long is reported in the field.
        if (value.trim().length > QUERY_MAX) return;
        timer.current = setTimeout(() => ask(value.trim()), PAUSE_MS);
      }}
    />
  );
}

function Rows() {
  const { q, filter = 'waiting', page = 0, open } = useSearch('/operator/layanan');
  const list = useList(listInbox, q ? { q } : { filter }, { page });
  const now = useNow();
  const others = usePresence();
  useLooks();
  const { rows, totalPages, loading, busy } = list.table;
  const instead = loading || busy ? undefined : pageInstead('default', page, totalPages);
  useEffect(() => {
    if (instead !== undefined) goInbox({ page: instead || undefined }, { replace: true });
  }, [instead]);
  if (list.error) {
    return <WentWrong message={sentenceOf(list.error)} onRetry={() => void list.refetch()} />;
  }
  if (loading) return <LoadingRows />;
  if (rows.length === 0 && instead === undefined) return <Nothing q={q} filter={filter} />;
  return (
    <div className={styles['scroll']} aria-busy={busy || undefined}>
      {/* The keys come up from the rows, which are links. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul className={styles['rows']} aria-label="Percakapan" onKeyDown={walk}>
        {rows.map((row) => (
          <InboxLine
            key={row.account_id}
            row={row}
            open={row.account_id === open}
            now={now}
            others={others.filter(({ accountId }) => accountId === row.account_id)}
          />
        ))}
      </ul>
      <div className={styles['foot']}>
        <Pagination
          page={page + 1}
          total={totalPages}
          onPage={(to) => goInbox({ page: to - 1 || undefined })}
        />
      </div>
    </div>
  );
}

/** Asks for the queue again while somebody looks at it: no event tells that time passes. */
function useLooks(): void {
  const client = useQueryClient();
  useEffect(() => {
    const look = () => {
      if (!document.hidden) void client.invalidateQueries({ queryKey: inboxKey });
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [client]);
}

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** While a row has the focus: j, k and the arrows walk to the next one; Escape closes the open thread. */
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

const LoadingRows = () => (
  <div className={styles['rows']} aria-busy="true">
    {Array.from({ length: 7 }, (_, line) => (
      <div key={line} className={styles['bone']}>
        <Skeleton width={40} height={40} round />
        <span className={styles['boneWords']}>
          <Skeleton width={`${50 + ((line * 29) % 30)}%`} />
          <Skeleton width={`${60 + ((line * 41) % 30)}%`} />
        </span>
      </div>
    ))}
  </div>
);

const nothing: Readonly<Record<InboxFilter, { title: string; text: string }>> = {
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

function Nothing({ q, filter }: { q: string | undefined; filter: InboxFilter }) {
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
  const { title, text } = nothing[filter];
  return (
    <EmptyState {...(filter === 'waiting' && { icon: <Coffee size={24} /> })} title={title}>
      {text}
    </EmptyState>
  );
}
