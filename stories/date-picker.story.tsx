import { useState } from 'react';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import type { DatePickerProps } from '#web/ui/date/DateChooser.tsx';
import { dateWords, type CivilDate, type DateRange } from '#web/ui/date/dates.ts';

/** The gallery's calendar has a fixed date. */
const TODAY = '2026-11-21';

type Look = Pick<
  DatePickerProps,
  | 'label'
  | 'help'
  | 'error'
  | 'size'
  | 'labels'
  | 'autoApply'
  | 'min'
  | 'max'
  | 'maxSpan'
  | 'placeholder'
>;

function Range({ start = null, ...look }: Look & { start?: DateRange | null }) {
  const [range, setRange] = useState(start);
  const [times, setTimes] = useState(0);
  return (
    <>
      <DatePicker
        {...look}
        today={TODAY}
        value={range}
        onChange={(next) => {
          setRange(next);
          setTimes(times + 1);
        }}
      />
      <Emitted of={`${look.label} emitted`}>
        {range ? `${range.from} ${range.to}` : 'null'}, {times}×
      </Emitted>
    </>
  );
}

function Day({ start = null, ...look }: Look & { start?: CivilDate | null }) {
  const [day, setDay] = useState(start);
  return (
    <>
      <DatePicker {...look} single today={TODAY} value={day} onChange={setDay} />
      <Emitted of={`${look.label} emitted`}>{day ?? 'null'}</Emitted>
    </>
  );
}

const Demo = () => (
  <>
    <Show title="A range, in the product’s words">
      <Range label="Tanggal" labels={dateWords} />
    </Show>
    <Show title="A range, in its own words">
      <Range label="Periode" />
    </Show>
    <Show title="With a range">
      <Range
        label="Periode laporan"
        labels={dateWords}
        start={{ from: '2026-10-28', to: '2026-11-03' }}
      />
    </Show>
    <Show title="Across the end of a year">
      <Range
        label="Libur toko"
        labels={dateWords}
        start={{ from: '2026-12-28', to: '2027-01-03' }}
      />
    </Show>
    <Show title="Applied by the last click">
      <Range label="Rentang cepat" labels={dateWords} autoApply />
    </Show>
    <Show title="Within bounds, at most 14 days">
      <Range
        label="Riwayat"
        labels={dateWords}
        min="2026-10-05"
        max={TODAY}
        maxSpan={14}
        help="Paling lama 14 hari, sejak 5 Oktober."
      />
    </Show>
    <Show title="One day">
      <Day label="Tanggal kirim" labels={dateWords} start="2028-02-29" />
    </Show>
    <Show title="One day, applied by the click">
      <Day label="Jatuh tempo" labels={dateWords} autoApply />
    </Show>
    <Show title="Sizes and mistakes">
      <Range label="Ringkas" labels={dateWords} size="sm" />
      <Range label="Salah" labels={dateWords} error="Pilih tanggal yang sudah lewat." />
    </Show>
  </>
);

export const piece: Piece = {
  id: 'date-picker',
  title: 'DatePicker',
  about:
    'A day or a range of days as YYYY-MM-DD: six presets, calendars that turn together, and dates that are typed (“3 okt”, “kemarin”, “1 - 7 okt”). Nothing is told before it is applied; Escape leaves everything as it was, a click outside keeps a whole range.',
  props: [
    { name: 'label', type: 'string', about: 'Its label; also part of the button’s name.' },
    {
      name: 'value',
      type: '{ from, to } | null, or a date with single',
      about: 'Civil dates, both included.',
    },
    {
      name: 'onChange',
      type: '(value) => void',
      about: 'The same shape; null when it is cleared.',
    },
    { name: 'single', type: 'boolean', default: 'false', about: 'One day, without presets.' },
    {
      name: 'labels',
      type: 'Partial<Record<DateWord, string>>',
      default: 'the names themselves',
      about:
        'Words for Today, Yesterday, Last 7 Days, Last 30 Days, This Month, Last Month, Custom Range, Apply and Cancel.',
    },
    {
      name: 'autoApply',
      type: 'boolean',
      default: 'false',
      about: 'The last click applies; there is no need for the button.',
    },
    { name: 'min, max', type: 'YYYY-MM-DD', about: 'The first and the last day to choose.' },
    { name: 'maxSpan', type: 'number', about: 'How many days a range has at most.' },
    { name: 'placeholder', type: 'string', about: 'Shown while nothing is chosen.' },
    { name: 'today', type: 'YYYY-MM-DD', about: 'By the clock in WIB when left out.' },
    { name: 'help, error, size, hideLabel', type: '', about: 'As every field has them.' },
  ],
  Demo,
};
