import { useState } from 'react';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Pagination } from '#web/ui/pagination/Pagination.tsx';

type Props = { label: string; start: number; total?: number; hasMore?: boolean };

function Turning({ label, start, total, hasMore = false }: Props) {
  const [page, setPage] = useState(start);
  return (
    <div>
      <Pagination label={label} page={page} total={total} hasMore={hasMore} onPage={setPage} />
      <Emitted of={`${label}, page`}>{page}</Emitted>
    </div>
  );
}

function Shrinking() {
  const [total, setTotal] = useState(12);
  const [page, setPage] = useState(12);
  return (
    <div>
      <Button size="sm" variant="outline" onClick={() => setTotal(4)}>
        Only 4 pages
      </Button>
      <Pagination label="Halaman berkurang" page={page} total={total} onPage={setPage} />
    </div>
  );
}

const Demo = () => (
  <>
    <Show title="In the middle">
      <Turning label="Halaman tengah" start={12} total={24} />
    </Show>
    <Show title="At the first page">
      <Turning label="Halaman awal" start={1} total={24} />
    </Show>
    <Show title="At the last page">
      <Turning label="Halaman akhir" start={3} total={3} />
    </Show>
    <Show title="In a narrow place">
      <div style={{ maxWidth: 420 }}>
        <Turning label="Halaman sempit" start={12} total={24} />
      </div>
    </Show>
    <Show title="Nobody knows how many">
      <Turning label="Halaman tanpa jumlah" start={2} hasMore />
    </Show>
    <Show title="Pages that go away">
      <Shrinking />
    </Show>
    <Show title="One page: nothing to turn">
      <Turning label="Halaman tunggal" start={1} total={1} />
    </Show>
  </>
);

export const piece: Piece = {
  id: 'pagination',
  title: 'Pagination',
  about:
    'Page numbers within 5 of the current one, 2 where its place is narrower than 640 px. The ends are switched off, never removed; a new page is announced and takes no focus.',
  props: [
    { name: 'page', type: 'number', about: 'The page people see, from 1.' },
    { name: 'total', type: 'number | undefined', about: 'Undefined when nobody knows.' },
    {
      name: 'hasMore',
      type: 'boolean',
      default: 'false',
      about: 'With an unknown total: whether there is a next page.',
    },
    { name: 'onPage', type: '(page) => void', about: 'A page was chosen, from 1.' },
    {
      name: 'label',
      type: 'string',
      default: "'Halaman'",
      about: 'Names it where a screen has more than one.',
    },
  ],
  Demo,
};
