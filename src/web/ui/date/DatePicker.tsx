import { Calendar as Icon, X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useRef, useState, type ReactNode, type RefObject } from 'react';
import { civilDate } from '#contract/base/time.ts';
import { Chooser, ChooserFoot } from '#web/ui/date/DateChooser.tsx';
import styles from '#web/ui/date/DatePicker.module.css';
import { controlClass, Field, type FieldLinks, type FieldProps } from '#web/ui/form/Field.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { classes } from '#web/ui/classes.ts';
import {
  fits,
  pickDay,
  presetOf,
  showRange,
  wholeRange,
  type Bounds,
  type CivilDate,
  type DateRange,
  type DateWord,
  type Picked,
} from '#web/ui/date/dates.ts';
import { useTopLayer } from '#web/ui/overlay/topLayer.ts';
import { useWide } from '#web/ui/layout/useWide.ts';

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
    /** Today, `YYYY-MM-DD`; by the clock in WIB when left out. */
    today?: CivilDate;
  } & (Range | Single);

/**
 * A day or a range of days: presets, calendars, and dates that are typed ('3 okt', 'kemarin').
 * Civil dates only: it knows no clock but for what today is.
 */
export function DatePicker(props: DatePickerProps) {
  const { label, help, error, hideLabel = false, size, single = false } = props;
  const wide = useWide();
  const place = useTopLayer();
  const trigger = useRef<HTMLButtonElement>(null);
  const picking = usePicking(props);
  const { open, value, today, show } = picking;
  const preset = value && !single ? presetOf(value, today, props) : undefined;
  const nothing = props.placeholder ?? (single ? 'Pilih tanggal' : 'Semua tanggal');
  const shown = value ? shownAs(value, preset && (props.labels?.[preset] ?? preset)) : nothing;
  const title = single ? 'Pilih tanggal' : 'Pilih rentang tanggal';
  const parts = { picking, bounds: props, single, labels: props.labels ?? {} };
  const foot = picking.calendars === 'hidden' ? null : <ChooserFoot {...parts} />;
  return (
    <Popover.Root open={open && wide} onOpenChange={show}>
      <Field label={label} help={help} error={error} hideLabel={hideLabel}>
        {(links) => (
          <Trigger
            at={trigger}
            links={links}
            label={label}
            shown={shown}
            size={size}
            onClear={value ? picking.clear : undefined}
          />
        )}
      </Field>
      <Popover.Portal container={place}>
        <Popover.Content
          className={styles['popover']}
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label={title}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            focusStart(event.currentTarget);
          }}
          // Opened again before its closing gave the focus back: there it would count as outside.
          onCloseAutoFocus={(event) => {
            if (trigger.current?.ariaExpanded === 'true') event.preventDefault();
          }}
          onInteractOutside={picking.leave}
        >
          <Chooser {...parts} />
          {foot && <div className={styles['foot']}>{foot}</div>}
        </Popover.Content>
      </Popover.Portal>
      <Drawer open={open && !wide} onClose={() => show(false)} title={title} footer={foot}>
        <Chooser {...parts} />
      </Drawer>
    </Popover.Root>
  );
}

const shownAs = (value: DateRange, preset: string | undefined): string =>
  preset ?? showRange(value);

/** On the chosen preset, else on the first one; the calendar takes the focus itself. */
function focusStart(content: EventTarget | null): void {
  if (!(content instanceof HTMLElement) || content.contains(document.activeElement)) return;
  const chosen = content.querySelector<HTMLElement>('[aria-pressed="true"]');
  (chosen ?? content.querySelector<HTMLElement>('[aria-pressed]'))?.focus({ preventScroll: true });
}

/** What is chosen until it is applied, and every way to apply it or not. */
export type Picking = ReturnType<typeof usePicking>;

function usePicking(props: DatePickerProps) {
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
    },
  };
}

function rangeIn(props: DatePickerProps): DateRange | null {
  if (!props.single) return props.value;
  return props.value === null ? null : { from: props.value, to: props.value };
}

type TriggerProps = {
  at: RefObject<HTMLButtonElement | null>;
  links: FieldLinks;
  label: string;
  shown: string;
  size: FieldProps['size'];
  /** Left out while there is nothing to clear. */
  onClear: (() => void) | undefined;
};

const Trigger = ({ at, links, label, shown, size, onClear }: TriggerProps): ReactNode => (
  <div className={controlClass(size, styles['box'])}>
    <Popover.Trigger asChild>
      <button
        ref={at}
        type="button"
        {...links}
        aria-label={`${label}: ${shown}`}
        className={classes(styles['trigger'], !onClear && styles['unset'])}
      >
        <Icon size={18} aria-hidden="true" />
        <span>{shown}</span>
      </button>
    </Popover.Trigger>
    {onClear && (
      <button
        type="button"
        className={styles['clear']}
        aria-label={`Hapus tanggal, ${label}`}
        onClick={onClear}
      >
        <X size={16} />
      </button>
    )}
  </div>
);
