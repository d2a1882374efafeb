import { Calendar, X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { civilDate } from '#contract/time.ts';
import { Button } from '#web/ui/Button.tsx';
import styles from '#web/ui/DateRangePicker.module.css';
import { controlClass, Field, type FieldLinks, type FieldProps } from '#web/ui/Field.tsx';
import { Modal } from '#web/ui/Modal.tsx';
import { classes } from '#web/ui/rules/classes.ts';
import {
  pickDay,
  presetLabels,
  presetNames,
  presetOf,
  presets,
  readDate,
  showDate,
  showRange,
  wholeRange,
  type DateRange,
  type Picked,
} from '#web/ui/rules/dates.ts';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useTopLayer } from '#web/ui/topLayer.ts';
import { useWide } from '#web/ui/useWide.ts';

const MonthGrid = lazy(async () => ({
  default: (await import('#web/ui/MonthGrid.tsx')).MonthGrid,
}));

type Props = Pick<FieldProps, 'hideLabel' | 'help' | 'error' | 'size'> & {
  label: string;
  /** Two civil dates, `YYYY-MM-DD`; null when none is chosen. */
  value: DateRange | null;
  onChange: (range: DateRange | null) => void;
  /** One day instead of a range (`from` and `to` are then the same); without presets. */
  single?: boolean;
  /** The first and the last day that can be chosen. */
  min?: string;
  max?: string;
  /** Shown while nothing is chosen. */
  placeholder?: string;
  /** Today, `YYYY-MM-DD`; by the clock in WIB when left out. */
  today?: string;
};

/** A day or a range of days: presets, a calendar, and dates that are typed ('3 okt', 'kemarin'). */
export function DateRangePicker(props: Props) {
  const { value, onChange, single = false, size, placeholder = 'Semua tanggal' } = props;
  const { label, help, error, hideLabel = false } = props;
  const [now, setNow] = useState(() => civilDate(new Date()));
  const today = props.today ?? now;
  const [open, setOpen] = useState(false);
  const [picked, setPicked] = useState<Picked>({});
  const wide = useWide();
  const place = useTopLayer();
  const choose = (range: DateRange | null) => {
    onChange(range);
    setOpen(false);
  };
  const show = (next: boolean) => {
    if (next) {
      setNow(civilDate(new Date()));
      setPicked(value ?? {});
    }
    setOpen(next);
  };
  const preset = value && !single ? presetOf(value, today) : undefined;
  const shown = value ? (preset ? presetLabels[preset] : showRange(value)) : placeholder;
  const content = (
    <Chooser
      {...props}
      single={single}
      today={today}
      picked={picked}
      onPick={setPicked}
      onChoose={choose}
    />
  );
  // Outside clicks keep a whole range and drop half of one; Escape drops both.
  const leave = () => {
    const range = wholeRange(picked);
    if (range && (range.from !== value?.from || range.to !== value.to)) onChange(range);
  };
  const title = single ? 'Pilih tanggal' : 'Pilih rentang tanggal';
  return (
    <Popover.Root open={open && wide} onOpenChange={show}>
      <Field label={label} help={help} error={error} hideLabel={hideLabel}>
        {(links) => (
          <Trigger
            links={links}
            label={label}
            shown={shown}
            size={size}
            onShow={() => wide || show(true)}
            onClear={value ? () => onChange(null) : undefined}
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
          onInteractOutside={leave}
        >
          {content}
        </Popover.Content>
      </Popover.Portal>
      <Modal open={open && !wide} onClose={() => setOpen(false)} title={title}>
        {content}
      </Modal>
    </Popover.Root>
  );
}

type TriggerProps = {
  links: FieldLinks;
  label: string;
  shown: string;
  size: FieldProps['size'];
  onShow: () => void;
  /** Left out while there is nothing to clear. */
  onClear: (() => void) | undefined;
};

const Trigger = ({ links, label, shown, size, onShow, onClear }: TriggerProps) => (
  <div className={controlClass(size, styles['box'])}>
    <Popover.Trigger asChild>
      <button
        type="button"
        {...links}
        aria-label={`${label}: ${shown}`}
        className={classes(styles['trigger'], !onClear && styles['unset'])}
        onClick={onShow}
      >
        <Calendar size={18} aria-hidden="true" />
        <span>{shown}</span>
      </button>
    </Popover.Trigger>
    {onClear && (
      <button
        type="button"
        className={styles['clear']}
        aria-label="Hapus tanggal"
        onClick={onClear}
      >
        <X size={16} />
      </button>
    )}
  </div>
);

type ChooserProps = Props & {
  single: boolean;
  today: string;
  picked: Picked;
  onPick: (picked: Picked) => void;
  onChoose: (range: DateRange | null) => void;
};

function Chooser({ single, today, picked, onPick, onChoose, min, max }: ChooserProps) {
  const range = wholeRange(picked);
  const current = range && presetOf(range, today);
  const pick = (day: string) =>
    single ? onChoose({ from: day, to: day }) : onPick(pickDay(picked, day));
  return (
    <div className={styles['chooser']}>
      {!single && (
        <ul className={styles['presets']} aria-label="Rentang siap pakai">
          {presetNames.map((name) => (
            <li key={name}>
              <button
                type="button"
                className={styles['preset']}
                aria-pressed={name === current}
                onClick={() => onChoose(presets[name](today))}
              >
                {presetLabels[name]}
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className={styles['calendar']}>
        {!single && (
          <div className={styles['typed']}>
            <Typed
              label="Dari"
              value={picked.from}
              today={today}
              onDate={(from) =>
                onPick({ from, to: picked.to && picked.to >= from ? picked.to : undefined })
              }
            />
            <span aria-hidden="true">–</span>
            <Typed
              label="Sampai"
              value={picked.to}
              today={today}
              onDate={(to) =>
                onPick({ from: picked.from && picked.from <= to ? picked.from : to, to })
              }
            />
          </div>
        )}
        <Suspense fallback={<Skeleton height={292} />}>
          <MonthGrid picked={picked} today={today} min={min} max={max} onDay={pick} />
        </Suspense>
        {!single && (
          <Foot range={range} onApply={() => range && onChoose(range)}>
            {range ? showRange(range) : picked.from ? 'Pilih hari terakhir' : 'Pilih hari pertama'}
          </Foot>
        )}
      </div>
    </div>
  );
}

type FootProps = { range: DateRange | undefined; onApply: () => void; children: ReactNode };

const Foot = ({ range, onApply, children }: FootProps) => (
  <div className={styles['foot']}>
    <p aria-live="polite">{children}</p>
    <Button size="sm" aria-disabled={range === undefined || undefined} onClick={onApply}>
      Terapkan
    </Button>
  </div>
);

type TypedProps = {
  label: string;
  value: string | undefined;
  today: string;
  onDate: (date: string) => void;
};

/** A date typed by hand; what is no date is forgotten when the field is left. */
function Typed({ label, value, today, onDate }: TypedProps) {
  const [text, setText] = useState<string>();
  const take = () => {
    const date = text === undefined ? undefined : readDate(text, today);
    if (date) onDate(date);
    setText(undefined);
  };
  return (
    <input
      aria-label={label}
      placeholder={label}
      className={controlClass('sm', styles['date'])}
      value={text ?? (value ? showDate(value) : '')}
      onChange={(event) => setText(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => event.key === 'Enter' && take()}
    />
  );
}
