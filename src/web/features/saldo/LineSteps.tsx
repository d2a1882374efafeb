import { Link } from '#web/browser/router/Link.tsx';
import { useState } from 'react';
import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import { listMutationMessages, type MutationMessage, type Mutation } from '#contract/saldo.ts';
import { formatDateTime } from '#contract/base/time.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { useUser } from '#web/api/user.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { Pagination } from '#web/ui/pagination/Pagination.tsx';
import { Timeline, type TimelineEntry } from '#web/ui/status/Timeline.tsx';

export function LineSteps({ line }: { line: Mutation }) {
  const [page, setPage] = useState(0);
  const zone = useUser().timezone;
  const list = useList(listMutationMessages, { seq: line.seq }, { page });
  const { rows, totalPages, loading } = list.table;
  if (list.error) {
    return <WentWrong message={sentenceOf(list.error)} onRetry={() => void list.refetch()} />;
  }
  const [only] = line.items === 1 ? rows : [];
  const steps = [...heldSteps(line, zone), ...(only ? settledSteps(only, zone) : [])];
  return (
    <div
      className={classes('stack justify-items-start gap-12', styles['steps'])}
      aria-busy={loading || undefined}
    >
      {steps.length > 0 && <Timeline entries={steps} />}
      {loading && <Skeleton lines={Math.min(line.items, 3)} height={20} />}
      {only && <MessageLink id={only.message_id}>Buka pesan</MessageLink>}
      {line.items > 1 && rows.length > 0 && (
        <>
          <ul
            className={classes('grid w-full', styles['messages'])}
            aria-label="Pesan di mutasi ini"
          >
            {rows.map((row) => (
              <li key={row.message_id}>
                <MessageLink id={row.message_id}>{nameAndNumberOf(row)}</MessageLink>
                <span className={classes('flex wrap small muted gap-0 gap-x-8', styles['state'])}>
                  {stateWords[row.state]}
                  <DateTime at={row.corrected_at ?? row.settled_at} zone={zone} />
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

const stateWords: Record<MutationMessage['state'], string> = {
  held: 'Masih ditahan',
  captured: 'Biaya dipotong',
  released: 'Dana dikembalikan',
  corrected: 'Dikembalikan, lalu dipotong kembali (koreksi)',
  waived: 'Dikembalikan; biayanya ditanggung Kabari',
};

const DateTime = ({ at, zone }: { at: Date | null; zone: string }) =>
  at && (
    <time className="faint num" dateTime={at.toISOString()}>
      {formatDateTime(at, zone)}
    </time>
  );

/** The steps of a hold; a correction begins with the outcome of its hold. */
function heldSteps(line: Mutation, zone: string): TimelineEntry[] {
  const { items, amount, outcome, created_at: at } = line;
  if (!outcome) return [];
  const held = formatRupiah(outcome.returned - amount);
  const what = items > 1 ? `${held} untuk ${formatNumber(items)} pesan` : held;
  return [
    {
      key: 'held',
      title: 'Dana ditahan',
      time: formatDateTime(at, zone),
      at,
      tone: 'primary',
      detail: `${what}. Saldo setelahnya ${formatRupiah(outcome.available_when_held)}.`,
    },
  ];
}

/** Charged, or returned; if the message had arrived after all, charged again or borne by us. */
function settledSteps(message: MutationMessage, zone: string): TimelineEntry[] {
  const { state, price, settled_at: at, corrected_at: againAt } = message;
  const step = (on: Date, after: number | null) => ({
    time: formatDateTime(on, zone),
    at: on,
    detail: `${formatRupiah(price)}. Saldo setelahnya ${formatRupiah(after ?? 0)}.`,
  });
  if (!at) return [{ key: 'settled', title: 'Menunggu pesan terkirim', pending: true }];
  const settled = { key: 'settled', ...step(at, message.available_after) };
  if (state === 'captured') {
    return [{ ...settled, title: 'Biaya dipotong dari dana tertahan', tone: 'success' }];
  }
  const back: TimelineEntry = { ...settled, title: 'Dana tertahan dikembalikan', tone: 'warning' };
  const correction: Omit<TimelineEntry, 'title'> = { key: 'again', tone: 'success' };
  if (againAt) {
    const dated = step(againAt, message.corrected_after);
    return [back, { ...correction, ...dated, title: 'Biaya dipotong kembali (koreksi)' }];
  }
  if (state !== 'waived') return [back];
  const why = 'Pesan ternyata terkirim, dan saldo tidak cukup lagi saat laporannya datang.';
  return [back, { ...correction, title: 'Biaya ditanggung Kabari', detail: why }];
}

const MessageLink = ({ id, children }: { id: string; children: string }) => (
  <Link to="/message-history" search={{ open: id }} className="w-fit num">
    {children}
  </Link>
);
