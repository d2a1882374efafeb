import { useState } from 'react';
import { civilDate } from '#contract/base/time.ts';
import {
  fits,
  pickDay,
  presetOf,
  wholeRange,
  type Bounds,
  type CivilDate,
  type DateRange,
  type DateWord,
  type Picked,
} from '#web/ui/date/dates.ts';
import type { FieldProps } from '#web/ui/form/Field.tsx';

type Range = {
  single?: false;
  /** Two civil dates, `YYYY-MM-DD`, both included; null when none is chosen. */
  value: DateRange | null;
  onChange: (range: DateRange | null) => void;
};

type Single = {
  /** One day instead of a range; without presets. */
  single: true;
  /** A civil date, `YYYY-MM-DD`; null when none is chosen. */
  value: CivilDate | null;
  onChange: (date: CivilDate | null) => void;
};

export type DatePickerProps = Pick<FieldProps, 'hideLabel' | 'help' | 'error' | 'size'> &
  Bounds & {
    label: string;
    /** The words of the presets and buttons, by their English names, which are the default. */
    labels?: Readonly<Partial<Record<DateWord, string>>>;
    /** The last click applies; without it there is a button for that. */
    autoApply?: boolean;
    /** Shown while nothing is chosen. */
    placeholder?: string;
    /** What was chosen can be changed, not taken away. */
    required?: boolean;
    /** Today, `YYYY-MM-DD`; by the clock in WIB when left out. */
    today?: CivilDate;
  } & (Range | Single);

/** What is chosen until it is applied, and every way to apply it or not. */
export type Picking = ReturnType<typeof usePicking>;

/** The state of a date picker. */
export function usePicking(props: DatePickerProps) {
  const { autoApply = false } = props;
  const value = rangeIn(props);
  const [now, setNow] = useState(() => civilDate(new Date()));
  const today = props.today ?? now;
  const [open, setOpen] = useState(false);
  const [picked, setPicked] = useState<Picked>({});
  const [calendars, setCalendars] = useState<'hidden' | 'shown' | 'entered'>('hidden');

  const apply = (range: DateRange | null) => {
    const same = range?.from === value?.from && range?.to === value?.to;
    if (!same && props.single) props.onChange(range?.from ?? null);
    if (!same && !props.single) props.onChange(range);
    setOpen(false);
  };
  const show = (next: boolean) => {
    if (next) {
      setNow(civilDate(new Date()));
      setPicked(value ?? {});
      const custom = value !== null && presetOf(value, today, props) === undefined;
      setCalendars(props.single || custom ? 'entered' : 'hidden');
    }
    setOpen(next);
  };
  const take = (next: Picked) => {
    setPicked(next);
    const range = wholeRange(next);
    if (range && autoApply) apply(range);
  };
  return {
    open,
    value,
    today,
    picked,
    calendars,
    show,
    apply,
    clear: () => apply(null),
    cancel: () => show(false),
    openCalendars: () => setCalendars('entered'),
    pick: (day: CivilDate) => take(props.single ? { from: day, to: day } : pickDay(picked, day)),
    /** What was typed, when it is within the bounds; the calendars show it. */
    type: (range: DateRange) => {
      if (!fits(range, props.single ? { ...props, maxSpan: 1 } : props)) return;
      setPicked(range);
      setCalendars((before) => (before === 'hidden' ? 'shown' : before));
    },
    // Outside clicks keep a whole range and drop half of one; Escape drops both.
    leave: () => {
      const range = wholeRange(picked);
      if (range) apply(range);
      else setOpen(false);
    },
  };
}

function rangeIn(props: DatePickerProps): DateRange | null {
  if (!props.single) return props.value;
  return props.value === null ? null : { from: props.value, to: props.value };
}
