import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Stat, Stats } from '#web/ui/chart/Stat.tsx';

const Demo = () => (
  <>
    <Show title="Side by side, and how they moved">
      <Stats>
        <Stat label="Terkirim" value="1.284" change={0.12} since="dari kemarin" />
        <Stat label="Dibaca" value="942" change={-0.04} since="dari kemarin" />
        <Stat label="Gagal" value="17" change={0.31} since="dari kemarin" lessIsBetter />
        <Stat label="Diterima" value="208" change={0} since="dari kemarin" />
      </Stats>
    </Show>
    <Show title="Nothing to compare with">
      <Stats>
        <Stat label="Terkirim" value="0" change={null} />
      </Stats>
    </Show>
    <Show title="With more below">
      <Stats>
        <Stat label="Biaya bulan ini" value="Rp 192.600">
          1.284 pesan
        </Stat>
      </Stats>
    </Show>
  </>
);

export const piece: Piece = {
  id: 'stat',
  title: 'Stat, Stats',
  about:
    'A figure and how it moved. Several stand side by side in Stats, with lines between them rather than boxes around them.',
  props: [
    { name: 'label', type: 'ReactNode', about: 'What it counts.' },
    { name: 'value', type: 'ReactNode', about: 'The figure, formatted.' },
    {
      name: 'change',
      type: 'number | null',
      about: 'A fraction: 0.12 is 12 % more; null when there is nothing to compare.',
    },
    { name: 'since', type: 'string', about: 'What it is compared with.' },
    {
      name: 'lessIsBetter',
      type: 'boolean',
      default: 'false',
      about: 'Colours the other way round.',
    },
    { name: 'children', type: 'ReactNode', about: 'A note below.' },
  ],
  Demo,
};
