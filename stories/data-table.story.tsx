import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ChevronDown, Ellipsis } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { formatDate } from '#contract/base/time.ts';
import type { Piece } from '#stories/gallery/piece.ts';
import { sampleRows, type Sample } from '#stories/gallery/sampleServer.ts';
import { sampleColumns, SampleTable } from '#stories/gallery/SampleTable.tsx';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { selectionParts } from '#web/ui/table/selection/SelectionBar.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import { Dropdown, MenuButton } from '#web/ui/menu/Dropdown.tsx';
import { Row } from '#web/ui/panel/Panel.tsx';

const many = sampleRows(117);
const some = sampleRows(34);

/** Shows failures at once; the product retries first. */
const impatient = () => new QueryClient({ defaultOptions: { queries: { retry: false } } });

function Demo() {
  const [client] = useState(impatient);
  return (
    <QueryClientProvider client={client}>
      <Show title="Pages from 0 (default)">
        <Opening />
      </Show>
      <Show title="Pages from 1 (arrow)">
        <SampleTable caption="Pesan arrow" type="arrow" rows={some} />
      </Show>
      <Show title="An offset, no total (manual)">
        <SampleTable caption="Pesan manual" type="manual" rows={some} />
      </Show>
      <Show title="Rows to choose">
        <SelectionDemo />
      </Show>
      <Show title="Days said once, rows that open in place">
        <Unfolding />
      </Show>
      <Show title="One row: nothing to sort">
        <SampleTable caption="Pesan tunggal" type="default" rows={some.slice(0, 1)} />
      </Show>
      <Show title="Answers when it is told to">
        <Waiting />
      </Show>
      <Show title="Rows that go away">
        <Shrinking />
      </Show>
      <Show title="A page that does not exist">
        <SampleTable caption="Pesan jauh" type="default" rows={some} page={98} />
      </Show>
      <Show title="Nothing yet">
        <SampleTable
          caption="Pesan kosong"
          type="default"
          rows={[]}
          empty={
            <Button variant="subtle" size="sm">
              Kirim pesan pertama
            </Button>
          }
        />
      </Show>
      <Show title="The first time">
        <DataTable
          caption="Pesan dimuat"
          columns={sampleColumns}
          rows={[]}
          rowKey={({ id }) => id}
          view={{ page: 0 }}
          onView={() => undefined}
          totalPages={undefined}
          loading
        />
      </Show>
      <Show title="In a narrow place">
        <div style={{ maxWidth: 420 }}>
          <SampleTable caption="Pesan sempit" type="default" rows={many} />
        </div>
      </Show>
    </QueryClientProvider>
  );
}

function Opening() {
  const [opened, setOpened] = useState<Sample>();
  const [said, setSaid] = useState('');
  return (
    <div>
      <SampleTable
        caption="Pesan terkirim"
        type="default"
        rows={many}
        onOpen={setOpened}
        openKey={opened?.id}
        menu={(row) => (
          <Dropdown
            label={`Tindakan untuk ${row.peer}`}
            align="end"
            trigger={(props) => (
              <Button
                {...props}
                square
                size="sm"
                variant="link"
                tone="neutral"
                aria-label={`Tindakan untuk ${row.peer}`}
              >
                <Ellipsis size={18} />
              </Button>
            )}
          >
            <MenuButton onClick={() => setSaid(`Kirim ulang ${row.id}`)}>Kirim ulang</MenuButton>
            <MenuButton onClick={() => setSaid(`Salin ${row.id}`)}>Salin isi</MenuButton>
          </Dropdown>
        )}
      />
      <Emitted of="Opened">{opened?.id}</Emitted> <Emitted of="Done">{said}</Emitted>
    </div>
  );
}

function SelectionDemo() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState('');
  return (
    <div>
      <SampleTable
        caption="Pesan pilihan"
        type="default"
        rows={some}
        onOpen={({ id }) => setOpened(id)}
        selection={{
          pieces: selectionParts,
          chosen,
          onChoose: setChosen,
          nameOf: ({ peer }) => peer,
          actions: (
            <Button size="sm" variant="subtle">
              Kirim ulang
            </Button>
          ),
        }}
      />
      <Emitted of="Chosen">{[...chosen].join(' ')}</Emitted>{' '}
      <Emitted of="Opened from the chosen">{opened}</Emitted>
    </div>
  );
}

const daily = many.map((row, at) => ({
  ...row,
  at: `2026-11-${String(20 - (Math.floor(at / 4) % 20)).padStart(2, '0')}`,
}));

function Unfolding() {
  const [open, setOpen] = useState('');
  return (
    <SampleTable
      caption="Pesan per hari"
      type="default"
      rows={daily}
      group={({ at }) => formatDate(at)}
      menu={({ id, peer }) => (
        <Button
          square
          size="sm"
          variant="link"
          tone="neutral"
          aria-label={`Rincian ${peer}`}
          aria-expanded={open === id}
          onClick={() => setOpen(open === id ? '' : id)}
        >
          <ChevronDown size={18} />
        </Button>
      )}
      detail={({ id, text }) => open === id && <p>{text}</p>}
    />
  );
}

function useHeldReplies() {
  const held = useRef<((resolve: (reply: unknown) => unknown) => void)[]>([]);
  return useMemo(
    () => ({
      hold: (reply: unknown) =>
        new Promise<unknown>((done, fail) => {
          held.current.push((resolve) => {
            try {
              done(resolve(reply));
            } catch (error) {
              fail(error instanceof Error ? error : new Error('Error'));
            }
          });
        }),
      release: (resolve: (reply: unknown) => unknown) => {
        for (const one of held.current.splice(0)) one(resolve);
      },
    }),
    [],
  );
}

const refusal = { code: 0, msg: 'Server sedang sibuk. Coba lagi sebentar lagi.' };

function Waiting() {
  const { hold, release } = useHeldReplies();
  const answers = [
    ['Answer', (reply: unknown) => reply],
    ['Refuse', () => refusal],
    ['Answer a text', () => '<html>Sedang perbaikan</html>'],
    ['Answer null', () => null],
  ] as const;
  return (
    <div>
      <Row>
        {answers.map(([name, resolve]) => (
          <Button key={name} size="sm" variant="outline" onClick={() => release(resolve)}>
            {name}
          </Button>
        ))}
      </Row>
      <SampleTable caption="Pesan ditahan" type="default" rows={many} answer={hold} />
    </div>
  );
}

function Shrinking() {
  const [left, setLeft] = useState(34);
  const rows = useMemo(() => sampleRows(left), [left]);
  return (
    <div>
      <Row>
        <Button size="sm" variant="outline" onClick={() => setLeft(12)}>
          Keep 12 rows
        </Button>
      </Row>
      <SampleTable caption="Pesan berkurang" type="arrow" rows={rows} />
    </div>
  );
}

export const piece: Piece = {
  id: 'data-table',
  title: 'DataTable',
  about:
    'The table of every list, sorted and paged by the server: ten rows a page, widths that can be moved, rows that can be opened and chosen. Under 680 px of its own width each row becomes a card; what is whole is never cut off. Here it pages over rows of its own, which answer in the words of the wire.',
  props: [
    { name: 'caption', type: 'string', about: 'Names the table for screen readers.' },
    {
      name: 'type',
      type: "'default' | 'arrow' | 'manual'",
      default: "'default'",
      about: 'How the list is paged: pages count from 0 for default, from 1 for the others.',
    },
    {
      name: 'columns',
      type: 'Column<Row>[]',
      about:
        'id (also sort_by), title, cell, sortable, align, width in px (150), whole (never cut off), and its place in a card.',
    },
    { name: 'rows', type: 'Row[]', about: 'The rows of this page.' },
    { name: 'rowKey', type: '(row) => string', about: 'What tells a row from the others.' },
    {
      name: 'view',
      type: '{ page, sort }',
      about: 'Where the list stands: what its address says.',
    },
    {
      name: 'onView',
      type: '(view, how?) => void',
      about: 'Another page, or another order, which goes back to the first page.',
    },
    { name: 'totalPages', type: 'number | undefined', about: 'Undefined when nobody knows.' },
    { name: 'hasMore', type: 'boolean', default: 'false', about: 'Then: whether one follows.' },
    {
      name: 'loading',
      type: 'boolean',
      default: 'false',
      about: 'Nothing came yet: skeleton rows.',
    },
    { name: 'busy', type: 'boolean', default: 'false', about: 'The next rows are on their way.' },
    {
      name: 'empty',
      type: 'ReactNode',
      about: 'Around “Data tidak ditemukan”: the heading above it, the rest below.',
    },
    {
      name: 'onOpen',
      type: '(row) => void',
      about: 'Opens a row by click or Enter; j, k and the arrows walk the rows.',
    },
    { name: 'openKey', type: 'string', about: 'The row whose details are open.' },
    { name: 'menu', type: '(row) => ReactNode', about: 'A last cell for a row’s own menu.' },
    { name: 'detail', type: '(row) => ReactNode', about: 'What stands under a row, if anything.' },
    {
      name: 'group',
      type: '(row) => string',
      about: 'Words (a day) that stand once over the rows that share them.',
    },
    {
      name: 'selection',
      type: '{ pieces, chosen, onChoose, nameOf, actions }',
      about:
        'Gives each row a checkbox, and x to choose it; Shift chooses all up to there. Cards show theirs after “Pilih” or a long press.',
    },
    { name: 'pagesLabel', type: 'string', default: "'Halaman'", about: 'Names the page numbers.' },
  ],
  Demo,
};
