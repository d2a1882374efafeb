import { ChevronDown } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/form/Field.tsx';
import { Popover } from '#web/ui/overlay/Popover.tsx';
import styles from '#web/ui/select/MultiSelect.module.css';
import { classes } from '#web/ui/classes.ts';
import type { Option } from '#web/ui/select/options.ts';

type Props = FieldProps & {
  options: readonly Option[];
  value: readonly string[];
  /** Called with the selected values in the order of the options. */
  onChange: (value: readonly string[]) => void;
  /** Text of the control without a selection: "Semua status". */
  none: string;
};

/** Selects several options of a short list: looks like a select, with a list of checkboxes below. */
export function MultiSelect({ options, value, onChange, none, ...frame }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const listId = useId();
  const text = options.filter((option) => value.includes(option.value)).map(({ label }) => label);
  const toggle = (one: string, isSelected: boolean) =>
    onChange(
      options
        .map((option) => option.value)
        .filter((other) => (other === one ? isSelected : value.includes(other))),
    );
  return (
    <>
      <Field {...frame}>
        {({ id, ...links }) => (
          <div className={controlClass(frame.size, 'relative')}>
            <button
              {...links}
              ref={button}
              type="button"
              className={insideClass(styles['button'])}
              aria-labelledby={`${listId}-name ${id}`}
              id={id}
              aria-haspopup="dialog"
              aria-expanded={open}
              aria-controls={open ? listId : undefined}
              onClick={() => setOpen(!open)}
            >
              <span id={`${listId}-name`} hidden>
                {frame.label}:
              </span>
              <span className="truncate block">{text.join(', ') || none}</span>
            </button>
            <ChevronDown size={18} className="faint pointer-none pin-end" />
          </div>
        )}
      </Field>
      {open && (
        <Popover
          id={listId}
          anchor={button}
          gap={4}
          edge={8}
          role="dialog"
          aria-label={typeof frame.label === 'string' ? frame.label : none}
          className={classes('rounded', styles['popover'])}
          onLeave={() => setOpen(false)}
          onEscape={() => setOpen(false)}
          onShown={(list) => list.querySelector('input')?.focus({ preventScroll: true })}
        >
          {options.map((option) => (
            <Checkbox
              key={option.value}
              label={option.label}
              disabled={option.disabled}
              checked={value.includes(option.value)}
              onChange={({ target }) => toggle(option.value, target.checked)}
            />
          ))}
        </Popover>
      )}
    </>
  );
}
