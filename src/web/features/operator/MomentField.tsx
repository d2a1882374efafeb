import { useState } from 'react';
import { civilDate, WIB } from '#contract/base/time.ts';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import { withDay } from '#web/features/operator/moment.ts';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords } from '#web/ui/date/dates.ts';
import type { Form } from '#web/ui/form/useForm.ts';
import { TimeSelect } from '#web/ui/time/TimeSelect.tsx';

type Props<Name extends string> = {
  form: Form<Record<Name, string>>;
  name: Name;
  label: string;
  timeLabel: string;
  help?: string;
  placeholder?: string;
  required?: boolean;
};

/** A day from today on and a time, as `momentAt` writes them; '' while no day is selected. */
export function MomentField<Name extends string>({ form, name, timeLabel, ...field }: Props<Name>) {
  const [today] = useState(() => civilDate(new Date(), WIB));
  const moment = form.values[name];
  const [day = '', time] = moment.split('T');
  // For a generic name, the compiler cannot infer that the value is a text.
  const set = form.set as (name: Name, value: string) => void;
  return (
    <div className={classes('grid align-start gap-8', styles['moment'])}>
      <DatePicker
        {...field}
        single
        autoApply
        labels={dateWords}
        today={today}
        min={today}
        error={form.errors[name]}
        value={day || null}
        onChange={(next) => set(name, next === null ? '' : withDay(moment, next, new Date()))}
      />
      <TimeSelect
        half
        label={timeLabel}
        placeholder="--.--"
        disabled={time === undefined}
        value={time === undefined ? '' : `${time}:00`}
        onChange={(next) => set(name, `${day}T${next.slice(0, 'HH:MM'.length)}`)}
      />
    </div>
  );
}
