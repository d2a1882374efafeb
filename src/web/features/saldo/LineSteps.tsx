import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatNumber, formatRupiah } from '#contract/money.ts';
import { formatPhone } from '#contract/phone.ts';
import { listLineMessages, type LineMessage, type Mutation } from '#contract/saldo.ts';
import { formatDateTime } from '#contract/time.ts';
import { sentenceOf } from '#web/client/errors.ts';
import { useList } from '#web/client/list.ts';
import { useUser } from '#web/client/user.ts';
import styles from '#web/features/saldo/LineSteps.module.css';
import { WentWrong } from '#web/ui/EmptyState.tsx';
import { Money } from '#web/ui/Money.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { Pagination } from '#web/ui/tables/Pagination.tsx';
import { Timeline, type TimelineEntry } from '#web/ui/Timeline.tsx';

/** What happened to the money of one line: held, then paid or given back, by message. */
export function LineSteps({ line }: { line: Mutation }) {
  const [page, setPage] = useState(0);
  const zone = useUser().timezone;
  const list = useList(listLineMessages, { seq: line.seq }, { page });
  const { rows, totalPages, loading } = list.table;
  if (list.error) {
    return <WentWrong message={sentenceOf(list.error)} onRetry={() => void list.refetch()} />;
  }
  const [only] = line.items === 1 ? rows : [];
  return (
    <div className={styles['steps']} aria-busy={loading || undefined}>
      <Timeline entries={[heldStep(line, zone), ...(only ? [settledStep(only, zone)] : [])]} />
      {loading && <Skeleton lines={Math.min(line.items, 3)} height={20} />}
      {only && <MessageLink id={only.message_id}>Buka pesan</MessageLink>}
      {line.items > 1 && rows.length > 0 && (
        <>
          <ul className={styles['messages']} aria-label="Pesan di mutasi ini">
            {rows.map((row) => (
              <li key={row.message_id}>
                <MessageLink id={row.message_id}>{formatPhone(row.peer)}</MessageLink>
                <span className={styles['state']}>
                  {stateWords[row.state]}
                  {row.settled_at && (
                    <time className={styles['time']} dateTime={row.settled_at.toISOString()}>
                      {formatDateTime(row.settled_at, zone)}
                    </time>
                  )}
                </span>
                <Money amount={row.price} />
              </li>
            ))}
          </ul>
          <Pagination
            label="Halaman pesan di mutasi ini"
            page={page + 1}
            total={totalPages}
            onPage={(next) => setPage(next - 1)}
          />
        </>
      )}
    </div>
  );
}

const stateWords: Record<LineMessage['state'], string> = {
  held: 'Masih ditahan',
  captured: 'Biaya dipotong',
  released: 'Dana dikembalikan',
};

function heldStep(line: Mutation, zone: string): TimelineEntry {
  const { items, amount, outcome, available_after: after, created_at: at } = line;
  const held = formatRupiah((outcome?.returned ?? 0) - amount);
  const what = items > 1 ? `${held} untuk ${formatNumber(items)} pesan` : held;
  return {
    key: 'held',
    title: 'Dana ditahan',
    time: formatDateTime(at, zone),
    at,
    tone: 'primary',
    detail: `${what}. Saldo setelahnya ${formatRupiah(after)}.`,
  };
}

function settledStep(message: LineMessage, zone: string): TimelineEntry {
  const { state, price, settled_at: at, available_after: after } = message;
  if (!at || after === null) {
    return { key: 'settled', title: 'Menunggu pesan terkirim', pending: true };
  }
  const back = state === 'released';
  return {
    key: 'settled',
    title: back ? 'Dana tertahan dikembalikan' : 'Biaya dipotong dari dana tertahan',
    time: formatDateTime(at, zone),
    at,
    tone: back ? 'warning' : 'success',
    detail: `${formatRupiah(price)}. Saldo setelahnya ${formatRupiah(after)}.`,
  };
}

const MessageLink = ({ id, children }: { id: string; children: string }) => (
  <Link to="/message-history" search={{ open: id }} className={styles['link']}>
    {children}
  </Link>
);
