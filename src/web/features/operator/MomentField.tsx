import { useState } from 'react';
import { civilDate, WIB } from '#contract/base/time.ts';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import { withDay } from '#web/features/operator/moment.ts';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords } from '#web/ui/date/dates.ts';
import { TimeSelect } from '#web/ui/time/TimeSelect.tsx';

type Props = {
  name: string;
  value: string;
  onChange: (moment: string) => void;
  label: string;
  timeLabel: string;
  error: string | undefined;
  placeholder?: string;
  required?: boolean;
};

/** A day from today on and a time, as `momentAt` writes them; '' while no day is selected. */
export function MomentField({ value: moment, onChange, timeLabel, ...field }: Props) {
  const [today] = useState(() => civilDate(new Date(), WIB));
  const [day = '', time] = moment.split('T');
  return (
    <div className={classes('grid align-start gap-8', styles['moment'])}>
      <DatePicker
        {...field}
        single
        autoApply
        labels={dateWords}
        today={today}
        min={today}
        value={day || null}
        onChange={(next) => onChange(next === null ? '' : withDay(moment, next, new Date()))}
      />
      <TimeSelect
        half
        label={timeLabel}
        placeholder="--.--"
        disabled={time === undefined}
        value={time === undefined ? '' : `${time}:00`}
        onChange={(next) => onChange(`${day}T${next.slice(0, 'HH:MM'.length)}`)}
      />
    </div>
  );
}
