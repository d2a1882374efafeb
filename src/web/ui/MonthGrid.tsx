import { ChevronLeft, ChevronRight } from 'lucide-react';
import { DayPicker, type Matcher } from 'react-day-picker';
import { id as indonesian } from 'react-day-picker/locale/id';
import styles from '#web/ui/MonthGrid.module.css';
import type { CivilDate, Picked } from '#web/ui/rules/dates.ts';

type Props = {
  picked: Picked;
  today: CivilDate;
  min: CivilDate | undefined;
  max: CivilDate | undefined;
  onDay: (day: CivilDate) => void;
};

/** The calendar's library counts in local days; ours are civil dates. */
function local(date: CivilDate): Date {
  const [year = 1970, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day);
}

const civil = (at: Date): CivilDate =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part, place) => String(part).padStart(place === 0 ? 4 : 2, '0'))
    .join('-');

/** A month of days with arrows and keys; loaded when a picker is first opened. */
export function MonthGrid({ picked, today, min, max, onDay }: Props) {
  const disabled: Matcher[] = [];
  if (min) disabled.push({ before: local(min) });
  if (max) disabled.push({ after: local(max) });
  const from = picked.from ? local(picked.from) : undefined;
  const to = picked.to ? local(picked.to) : from;
  return (
    <DayPicker
      mode="range"
      locale={indonesian}
      weekStartsOn={0}
      today={local(today)}
      defaultMonth={from ?? local(today)}
      selected={{ from, to }}
      disabled={disabled}
      showOutsideDays
      fixedWeeks
      onSelect={() => undefined}
      onDayClick={(day, modifiers) => modifiers['disabled'] || onDay(civil(day))}
      classNames={names}
      components={{
        Chevron: ({ orientation }) =>
          orientation === 'left' ? <ChevronLeft size={18} /> : <ChevronRight size={18} />,
      }}
    />
  );
}

const part = (name: string): string => styles[name] ?? '';

const names = {
  months: part('months'),
  month_caption: part('caption'),
  nav: part('nav'),
  button_previous: part('step'),
  button_next: part('step'),
  month_grid: part('grid'),
  weekday: part('weekday'),
  day: part('day'),
  day_button: part('button'),
  outside: part('outside'),
  disabled: part('disabled'),
  today: part('today'),
  selected: part('selected'),
  range_start: part('start'),
  range_middle: part('middle'),
  range_end: part('end'),
};
