import {
  useId,
  useState,
  useEffect,
  useRef,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
} from 'react';
import { Button } from '#web/ui/button/Button.tsx';
import styles from '#web/ui/date/DatePicker.module.css';
import { controlClass, type FieldProps } from '#web/ui/form/Field.tsx';
import {
  showDay,
  monthWeeks,
  moveDay,
  opening,
  showing,
  showMonth,
  weekdayNames,
  readDate,
  readRange,
  whyNoDate,
} from '#web/ui/date/calendar.ts';
import {
  daysIn,
  presetNames,
  presetOf,
  presetWithin,
  showDate,
  showRange,
  wholeRange,
  type Bounds,
  type DateWord,
  type Picked,
  fits,
  pickDay,
  type CivilDate,
  type DateRange,
  mayPick,
  monthOf,
  partsOf,
  plusMonths,
} from '#web/ui/date/dates.ts';
import { useMedia } from '#web/ui/layout/useMedia.ts';
import { civilDate } from '#contract/base/time.ts';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import calendarStyles from '#web/ui/date/Calendar.module.css';
import { classes } from '#web/ui/classes.ts';
import { range } from '#web/ui/pagination/paging.ts';

/** Room for two months. */
const ROOMY = '(min-width: 900px)';

type Props = {
  picking: Picking;
  bounds: Bounds;
  single: boolean;
  labels: Readonly<Partial<Record<DateWord, string>>>;
};

/** The content of the date picker's popover or sheet: text input, presets, calendars. */
export function Chooser(props: Props) {
  const { picking, bounds, single } = props;
  const { calendars, picked, today } = picking;
  const roomy = useMedia(ROOMY);
  return (
    <div className={classes('flex', styles['chooser'])} data-months={roomy && !single ? 2 : 1}>
      <div className={classes('grid content-start gap-10 flex-none p-12', styles['side'])}>
        <Typed picking={picking} single={single} />
        {!single && <Presets {...props} />}
      </div>
      {calendars !== 'hidden' && (
        <div className={classes('flex-none p-12', styles['calendars'])}>
          <Calendar
            picked={picked}
            today={today}
            bounds={bounds}
            months={roomy && !single ? 2 : 1}
            single={single}
            enter={calendars === 'entered'}
            onDay={picking.pick}
          />
        </div>
      )}
    </div>
  );
}

function Presets({ picking, bounds, labels }: Props) {
  const { picked, today, calendars } = picking;
  const range = wholeRange(picked);
  const current = range && presetOf(range, today, bounds);
  return (
    <ul className={classes('grid gap-2', styles['presets'])} aria-label="Rentang siap pakai">
      {presetNames.map((name) => {
        const made = presetWithin(name, today, bounds);
        if (!made) return null;
        return (
          <li key={name}>
            <button
              type="button"
              className="w-full min-h-36 px-10 rounded muted semibold hover-ink selectable touch"
              aria-pressed={name === current}
              onClick={() => picking.apply(made)}
            >
              {labels[name] ?? name}
            </button>
          </li>
        );
      })}
      <li>
        <button
          type="button"
          className="w-full min-h-36 px-10 rounded muted semibold hover-ink selectable touch"
          aria-expanded={calendars !== 'hidden'}
          onClick={picking.openCalendars}
        >
          {labels['Custom Range'] ?? 'Custom Range'}
        </button>
      </li>
    </ul>
  );
}

type TypedProps = { picking: Picking; single: boolean };

/** The text input; invalid text is ignored and cleared on blur. */
function Typed({ picking, single }: TypedProps) {
  const [text, setText] = useState<string>();
  const [wrong, setWrong] = useState<string>();
  const id = useId();
  const { picked, today } = picking;
  const range = wholeRange(picked);
  const shown = range ? showRange(range) : picked.from ? showDate(picked.from) : '';
  const read = (typed: string) => {
    if (!single) return readRange(typed, today);
    const day = readDate(typed, today);
    return day === undefined ? undefined : { from: day, to: day };
  };
  return (
    <div>
      <input
        aria-label={single ? 'Ketik tanggal' : 'Ketik rentang tanggal'}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={wrong && id}
        placeholder={single ? 'hh/bb/tttt' : 'hh/bb/tttt - hh/bb/tttt'}
        autoComplete="off"
        className={controlClass('md', 'min-w-0 num')}
        value={text ?? shown}
        onChange={({ target }) => {
          setText(target.value);
          setWrong(undefined);
          const typed = read(target.value);
          if (typed) picking.type(typed);
        }}
        onBlur={() => {
          // Invalid text is cleared; its error stays until the next input.
          if (text !== undefined) setWrong(whyNoDate(text, today, { single }));
          setText(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          const meant = text === undefined || read(text) !== undefined;
          if (text !== undefined) setWrong(whyNoDate(text, today, { single }));
          if (meant && range) picking.apply(range);
        }}
      />
      <p id={id} role="status" className="mt-6 small text-danger semibold pretty hide-empty">
        {wrong}
      </p>
    </div>
  );
}

/** The selection as text, and the buttons to apply or cancel. */
export function ChooserFoot({ picking, single, labels }: Omit<Props, 'bounds'>) {
  const range = wholeRange(picking.picked);
  return (
    <>
      <p className={classes('grow small muted', styles['said'])} aria-live="polite">
        {summaryOf(picking.picked, single)}
      </p>
      <Button variant="outline" onClick={picking.cancel}>
        {labels.Cancel ?? 'Cancel'}
      </Button>
      <Button
        aria-disabled={range === undefined || undefined}
        onClick={() => range && picking.apply(range)}
      >
        {labels.Apply ?? 'Apply'}
      </Button>
    </>
  );
}

function summaryOf(picked: Picked, single: boolean): string {
  const range = wholeRange(picked);
  if (range && single) return showDay(range.from);
  if (range) return `${showRange(range)}, ${daysIn(range)} hari`;
  if (picked.from) return `Mulai ${showDate(picked.from)}. Pilih hari terakhir.`;
  return single ? 'Pilih hari' : 'Pilih hari pertama';
}

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

type CalendarProps = {
  picked: Picked;
  today: CivilDate;
  bounds: Bounds;
  months: 1 | 2;
  /** A single day instead of a range. */
  single: boolean;
  /** Takes the focus when it appears. */
  enter: boolean;
  onDay: (day: CivilDate) => void;
};

/** A calendar of months, weeks from Sunday: one tab stop, with the keys of the APG grid. */
function Calendar(props: CalendarProps) {
  const { picked, today, bounds, months, single, onDay } = props;
  const calendar = useTurning(props);
  const { first, at, place } = calendar;
  const [hovered, setHovered] = useState<CivilDate>();
  const waiting = picked.from !== undefined && picked.to === undefined && !single;
  const toward = waiting ? (hovered ?? at) : undefined;

  const press = (day: CivilDate) => {
    calendar.stand(day);
    if (mayPick(day, single ? {} : picked, bounds)) onDay(day);
  };
  const key = (event: KeyboardEvent) => {
    const day = dayOf(event.target);
    if (day === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = moveDay(day, event.key, { shift: event.shiftKey, today });
    const presses = event.key === 'Enter' || event.key === ' ';
    if (next === undefined && !presses) return;
    event.preventDefault();
    setHovered(undefined);
    if (next === undefined) press(day);
    else calendar.go(next);
  };
  const shown = range(0, months - 1).map((offset) => monthOf(first, offset).from);
  return (
    <div className="relative" ref={place}>
      <Turn calendar={calendar} bounds={bounds} last={shown.at(-1) ?? first} />
      <p className="sr-only" aria-live="polite">
        {shown.map(showMonth).join(' – ')}
      </p>
      <div className="flex gap-24">
        {shown.map((month) => (
          <Month
            key={month}
            month={month}
            at={at}
            toward={toward}
            {...{ picked, today, bounds, single }}
            onPress={press}
            onKey={key}
            onHover={setHovered}
          />
        ))}
      </div>
    </div>
  );
}

function useTurning({ picked, today, bounds, months, enter }: CalendarProps) {
  const [at, setAt] = useState(() => picked.to ?? picked.from ?? startAt(today, bounds));
  const [first, setFirst] = useState(() => opening(picked.from ?? at, months, bounds));
  const [shownFor, setShownFor] = useState(picked);
  const place = useRef<HTMLDivElement>(null);
  const grab = useRef(enter);
  useEffect(() => {
    if (!grab.current) return;
    grab.current = false;
    place.current
      ?.querySelector<HTMLElement>('[data-day][tabindex="0"]')
      ?.focus({ preventScroll: true });
  });

  const stand = (day: CivilDate) => {
    setAt(day);
    setFirst(showing(first, day, months));
  };
  // Shows the month of a typed date.
  if (shownFor.from !== picked.from || shownFor.to !== picked.to) {
    setShownFor(picked);
    const day = picked.to ?? picked.from;
    if (day !== undefined && day !== at) stand(day);
  }
  return {
    at,
    first,
    place,
    stand,
    go: (day: CivilDate) => {
      grab.current = day !== at;
      stand(day);
    },
    turn: (by: number) => {
      const next = plusMonths(first, by);
      setFirst(next);
      const inSight = showing(next, at, months) === next;
      if (!inSight) setAt(plusMonths(at, by));
    },
  };
}

const startAt = (today: CivilDate, { min = today, max = today }: Bounds): CivilDate =>
  today < min ? min : today > max ? max : today;

const dayOf = (target: EventTarget): CivilDate | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-day]')?.dataset['day'] : undefined;

type TurnProps = {
  calendar: ReturnType<typeof useTurning>;
  bounds: Bounds;
  last: CivilDate;
};

function Turn({ calendar: { first, turn }, bounds: { min, max }, last }: TurnProps) {
  const atStart = min !== undefined && min >= first;
  const atEnd = max !== undefined && max <= monthOf(last).to;
  return (
    <div className={classes('flex justify-between pointer-none', calendarStyles['turn'])}>
      <button
        type="button"
        className={classes('place-center size-36 rounded muted hover', calendarStyles['step'])}
        aria-label="Bulan sebelumnya"
        aria-disabled={atStart || undefined}
        onClick={() => atStart || turn(-1)}
      >
        <ChevronLeft size={18} />
      </button>
      <button
        type="button"
        className={classes('place-center size-36 rounded muted hover', calendarStyles['step'])}
        aria-label="Bulan berikutnya"
        aria-disabled={atEnd || undefined}
        onClick={() => atEnd || turn(1)}
      >
        <ChevronRight size={18} />
      </button>
    </div>
  );
}

type MonthProps = Pick<CalendarProps, 'picked' | 'today' | 'bounds' | 'single'> & {
  month: CivilDate;
  at: CivilDate;
  /** The hovered or focused end of an unfinished range. */
  toward: CivilDate | undefined;
  onPress: (day: CivilDate) => void;
  onKey: (event: KeyboardEvent) => void;
  onHover: (day: CivilDate | undefined) => void;
};

function Month(props: MonthProps) {
  const { month, single, onPress, onKey, onHover } = props;
  const caption = useId();
  const pressed = (event: MouseEvent) => {
    const day = dayOf(event.target);
    if (day !== undefined) onPress(day);
  };
  const over = (event: PointerEvent) => {
    if (event.pointerType === 'mouse') onHover(dayOf(event.target));
  };
  return (
    <div className="fill">
      <p id={caption} className="place-center base strong min-h-36">
        {showMonth(month)}
      </p>
      <table
        // As in the APG, the cells take the focus and the keys.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
        role="grid"
        aria-labelledby={caption}
        aria-multiselectable={!single || undefined}
        className={classes('w-full mt-4', calendarStyles['grid'])}
        onClick={pressed}
        onKeyDown={onKey}
        onPointerOver={over}
        onPointerLeave={() => onHover(undefined)}
      >
        <thead>
          <tr>
            {weekdayNames.map((name) => (
              <th
                key={name}
                scope="col"
                abbr={name}
                className={classes(
                  'tiny faint strong text-center relative',
                  calendarStyles['weekday'],
                )}
              >
                <span aria-hidden="true">{name.slice(0, 3)}</span>
                <span className="sr-only">{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {monthWeeks(month).map((week, line) => (
            <tr key={line}>
              {week.map((day, place) =>
                day === undefined ? (
                  // An empty cell.
                  // oxlint-disable-next-line jsx-a11y/control-has-associated-label
                  <td
                    key={place}
                    className={classes('num text-center no-outline pointer', calendarStyles['day'])}
                  />
                ) : (
                  <Day key={day} day={day} {...props} />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Day({ day, picked, today, bounds, single, at, toward }: MonthProps & { day: CivilDate }) {
  const { from, to = from } = picked;
  const isSelected = from !== undefined && to !== undefined && from <= day && day <= to;
  const end = [isSelected && day === from && 'start', isSelected && day === picked.to && 'end'];
  const between =
    !isSelected && from !== undefined && toward !== undefined && from < day && day <= toward;
  const ends = single ? [] : [end[0] && 'mulai', end[1] && 'akhir'];
  const notes = [day === today && 'hari ini', ...ends].filter(Boolean);
  return (
    <td
      role="gridcell"
      tabIndex={day === at ? 0 : -1}
      data-day={day}
      data-end={end.filter(Boolean).join(' ') || undefined}
      data-between={isSelected || between || undefined}
      data-today={day === today || undefined}
      aria-label={[showDay(day), ...notes].join(', ')}
      aria-selected={isSelected}
      aria-disabled={!mayPick(day, single ? {} : picked, bounds) || undefined}
      className={classes('num text-center no-outline pointer', calendarStyles['day'])}
    >
      <span className={classes('place-center rounded', calendarStyles['number'])}>
        {partsOf(day).day}
      </span>
    </td>
  );
}
