import { useState } from 'react';
import type { Paging } from '#contract/base/act.ts';
import { formatDate } from '#contract/base/time.ts';
import { usePages } from '#web/ui/table/list/useList.ts';
import { readReply, replyTo, type Fields, type Sample } from '#stories/gallery/sampleServer.ts';
import { Emitted } from '#stories/gallery/Show.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column, TableProps, TableView } from '#web/ui/table/tableProps.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { firstPage } from '#web/ui/pagination/paging.ts';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

const tones = { Terkirim: 'neutral', Sampai: 'info', Dibaca: 'success', Gagal: 'danger' } as const;

export const sampleColumns: readonly Column<Sample>[] = [
  { id: 'peer', title: 'Kepada', sortable: true, phone: 'title', cell: ({ peer }) => peer },
  {
    id: 'text',
    title: 'Isi',
    width: 320,
    phone: 'line',
    cell: ({ text }) => <span style={{ whiteSpace: 'nowrap' }}>{text}</span>,
  },
  {
    id: 'status',
    title: 'Status',
    phone: 'note',
    cell: ({ status }) => <StatusChip tone={tones[status]}>{status}</StatusChip>,
  },
  {
    id: 'at',
    title: 'Tanggal',
    sortable: true,
    phone: 'aside',
    cell: ({ at }) => <span className="num">{formatDate(at)}</span>,
  },
  {
    id: 'price',
    title: 'Biaya',
    sortable: true,
    width: 100,
    align: 'end',
    whole: true,
    phone: 'fact',
    cell: ({ price }) => <Money amount={price} />,
  },
];

type Props = Pick<
  TableProps<Sample>,
  'caption' | 'onOpen' | 'openKey' | 'menu' | 'selection' | 'empty' | 'group' | 'detail'
> & {
  type: Paging;
  rows: readonly Sample[];
  answer?: (reply: unknown) => Promise<unknown>;
  /** The first page, as the wire counts. */
  page?: number;
};

/** A table that pages and sorts its own rows, which answer as the server does. */
export function SampleTable({ type, rows, answer, page = firstPage(type), ...table }: Props) {
  const { caption } = table;
  const [view, setView] = useState<TableView>({ page });
  const [requested, setRequested] = useState<Fields>({});
  const [replaced, setReplaced] = useState(0);
  const [emitted, setEmitted] = useState<string[]>([]);
  const ask = async (fields: Fields) => {
    setRequested(fields);
    const reply = replyTo(type, rows, fields);
    return readReply(type, answer ? await answer(reply) : reply);
  };
  const list = usePages(
    { key: [`sample ${caption}`], paging: type, ask },
    { rows: rows.length },
    view,
    { onError: (error) => setEmitted((before) => [...before, error.message]) },
  );
  return (
    <div>
      <DataTable
        columns={sampleColumns}
        rowKey={({ id }) => id}
        pagesLabel={`Halaman ${caption}`}
        {...table}
        {...list.table}
        onView={(next, how) => {
          setView(next);
          if (how?.replace) setReplaced((times) => times + 1);
        }}
      />
      <Emitted of={`${caption} asked`}>{JSON.stringify(requested)}</Emitted>{' '}
      <Emitted of={`${caption} replaced`}>{replaced}</Emitted>{' '}
      <Emitted of={`${caption} failed`}>{emitted.join(', ')}</Emitted>
    </div>
  );
}
