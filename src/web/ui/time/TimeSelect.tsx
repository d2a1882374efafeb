import type { FieldProps } from '#web/ui/form/Field.tsx';
import { showTime, timeOptions } from '#web/ui/time/time.ts';
import { Select } from '#web/ui/select/Select.tsx';

type Props = FieldProps & {
  /** `HH:MM:SS`; '' for none. */
  value: string;
  onChange: (time: string) => void;
  /** Also offers the half hours: 48 times instead of 24. */
  half?: boolean;
  /** The first and the last selectable time, `HH:MM:SS`. */
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
 * A time of day by the browser's select: a wheel on phones, type-ahead on keyboards ("14" selects 14.00). A value
 * between the steps remains and is offered; `nextTime` gives an initial value.
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
