import type { FieldProps } from '#web/ui/form/Field.tsx';
import { showTime, timeOptions } from '#web/ui/time/time.ts';
import { Select } from '#web/ui/select/Select.tsx';

type Props = FieldProps & {
  /** `HH:MM:SS`; '' when none is chosen. */
  value: string;
  onChange: (time: string) => void;
  /** Also offers the half hours: 48 times instead of 24. */
  half?: boolean;
  /** The first and the last time that can be chosen, `HH:MM:SS`. */
  min?: string;
  max?: string;
  placeholder?: string;
  name?: string;
  id?: string;
  className?: string;
  required?: boolean;
  disabled?: boolean;
};

/**
 * A time of day from a list, by the browser's own select: on phones its wheel, on keyboards "14"
 * leads to 14.00. A value between the steps is kept and offered; `nextTime` says what to start
 * with.
 */
export function TimeSelect({ value, onChange, half = false, min, max, ...props }: Props) {
  const { placeholder = 'Pilih waktu', ...field } = props;
  const times = timeOptions(half);
  const offered = value === '' || times.includes(value) ? times : [...times, value].toSorted();
  const options = offered.map((time) => ({
    value: time,
    label: showTime(time),
    disabled: (min !== undefined && time < min) || (max !== undefined && time > max),
  }));
  return (
    <Select
      {...field}
      placeholder={placeholder}
      options={options}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
