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
  /** Two civil dates, `YYYY-MM-DD`, both included; null for none. */
  value: DateRange | null;
  onChange: (range: DateRange | null) => void;
};

type Single = {
  /** A single day instead of a range; without presets. */
  single: true;
  /** A civil date, `YYYY-MM-DD`; null for none. */
  value: CivilDate | null;
  onChange: (date: CivilDate | null) => void;
};

export type DatePickerProps = Pick<FieldProps, 'hideLabel' | 'help' | 'error' | 'size'> &
  Bounds & {
    label: string;
    /** Labels of presets and buttons, keyed by the English default. */
    labels?: Readonly<Partial<Record<DateWord, string>>>;
    /** The last click applies, without a button. */
    autoApply?: boolean;
    placeholder?: string;
    /** The selection cannot be cleared. */
    required?: boolean;
    /** Today, `YYYY-MM-DD`; omitted: by the clock in WIB. */
    today?: CivilDate;
  } & (Range | Single);

/** The pending selection, and the actions that apply or cancel it. */
export type Picking = ReturnType<typeof usePicking>;

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
    type: (range: DateRange) => {
      if (!fits(range, props.single ? { ...props, maxSpan: 1 } : props)) return;
      setPicked(range);
      setCalendars((before) => (before === 'hidden' ? 'shown' : before));
    },
    // A click outside keeps a complete range and drops half of one; Escape drops both.
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
