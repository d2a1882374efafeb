import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { SmallBars, type Bar, type Series } from '#web/ui/chart/SmallBars.tsx';

const series: readonly Series[] = [
  { key: 'read', label: 'Dibaca', color: 'primary' },
  { key: 'sent', label: 'Terkirim', color: 'info' },
  { key: 'failed', label: 'Gagal', color: 'danger' },
];
const days: readonly Bar[] = Array.from({ length: 30 }, (_, day) => ({
  label: `${day + 1} Nov`,
  values: { read: 60 + ((day * 37) % 90), sent: 20 + ((day * 23) % 40), failed: day % 7 },
}));

const Demo = () => (
  <>
    <Show title="A month">
      <div>
        <SmallBars title="Pesan per hari, November 2026" series={series} bars={days} />
      </div>
    </Show>
    <Show title="A table with other figures than the segments">
      <div>
        <SmallBars
          title="Pesan sampai per hari, minggu ini"
          series={[
            { key: 'unread', label: 'Sampai, belum dibaca', color: 'info' },
            ...series.slice(0, 1),
          ]}
          columns={[
            { key: 'delivered', label: 'Sampai' },
            { key: 'read', label: 'Dibaca' },
          ]}
          bars={days.slice(0, 7).map(({ label, values: { read = 0, sent = 0 } }) => ({
            label,
            values: { read, unread: sent, delivered: read + sent },
          }))}
          height={96}
        />
      </div>
    </Show>
    <Show title="A week, lower, with a day without anything">
      <div>
        <SmallBars
          title="Pesan per hari, minggu ini"
          series={series.slice(0, 2)}
          bars={[...days.slice(0, 6), { label: '7 Nov', values: {} }]}
          height={96}
        />
      </div>
    </Show>
  </>
);

export const piece: Piece = {
  id: 'small-bars',
  title: 'SmallBars',
  about:
    'Stacked bars over days. The same figures stand in a table, for who cannot see them and who wants them exact.',
  props: [
    { name: 'title', type: 'string', about: 'Names the chart and its table.' },
    { name: 'series', type: 'readonly Series[]', about: 'What is stacked: key, label, colour.' },
    { name: 'bars', type: 'readonly Bar[]', about: 'One per day: its label, its values by key.' },
    {
      name: 'columns',
      type: 'readonly Pick<Series, "key" | "label">[]',
      default: 'series',
      about: 'The columns of the table, if its figures are not those of the segments.',
    },
    { name: 'height', type: 'number', default: '160', about: 'In px.' },
    {
      name: 'format',
      type: '(value: number) => string',
      default: 'formatNumber',
      about: 'How figures are written: rupiah, for one.',
    },
  ],
  Demo,
};
