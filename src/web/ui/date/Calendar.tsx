import { ChevronLeft, ChevronRight } from 'lucide-react';
import {
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
} from 'react';
import styles from '#web/ui/date/Calendar.module.css';
import {
  monthWeeks,
  moveDay,
  opening,
  showDay,
  showing,
  showMonth,
  weekdayNames,
} from '#web/ui/date/calendar.ts';
import {
  mayPick,
  monthOf,
  partsOf,
  plusMonths,
  type Bounds,
  type CivilDate,
  type Picked,
} from '#web/ui/date/dates.ts';
import { range } from '#web/ui/pagination/paging.ts';

type Props = {
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
export function Calendar(props: Props) {
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
    <div className={styles['calendar']} ref={place}>
      <Turn calendar={calendar} bounds={bounds} last={shown.at(-1) ?? first} />
      <p className="sr-only" aria-live="polite">
        {shown.map(showMonth).join(' – ')}
      </p>
      <div className={styles['months']}>
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

function useTurning({ picked, today, bounds, months, enter }: Props) {
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
    <div className={styles['turn']}>
      <button
        type="button"
        className={styles['step']}
        aria-label="Bulan sebelumnya"
        aria-disabled={atStart || undefined}
        onClick={() => atStart || turn(-1)}
      >
        <ChevronLeft size={18} />
      </button>
      <button
        type="button"
        className={styles['step']}
        aria-label="Bulan berikutnya"
        aria-disabled={atEnd || undefined}
        onClick={() => atEnd || turn(1)}
      >
        <ChevronRight size={18} />
      </button>
    </div>
  );
}

type MonthProps = Pick<Props, 'picked' | 'today' | 'bounds' | 'single'> & {
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
    <div className={styles['month']}>
      <p id={caption} className={styles['caption']}>
        {showMonth(month)}
      </p>
      <table
        // As in the APG, the cells take the focus and the keys.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
        role="grid"
        aria-labelledby={caption}
        aria-multiselectable={!single || undefined}
        className={styles['grid']}
        onClick={pressed}
        onKeyDown={onKey}
        onPointerOver={over}
        onPointerLeave={() => onHover(undefined)}
      >
        <thead>
          <tr>
            {weekdayNames.map((name) => (
              <th key={name} scope="col" abbr={name} className={styles['weekday']}>
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
                  <td key={place} className={styles['day']} />
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
      className={styles['day']}
    >
      <span className={styles['number']}>{partsOf(day).day}</span>
    </td>
  );
}
