import { ChevronDown } from 'lucide-react';
import type { ComponentPropsWithRef } from 'react';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/form/Field.tsx';
import type { Option } from '#web/ui/select/options.ts';
import styles from '#web/ui/select/Select.module.css';

type Props = FieldProps &
  Omit<ComponentPropsWithRef<'select'>, 'size' | 'children'> & {
    options: readonly Option[];
    /** Shown without a selection; not selectable. */
    placeholder?: string;
  };

/**
 * The browser's own select. For a filter, give an option with value '' ("Semua status"). For a list that may exceed
 * twelve options use `SelectOne`.
 */
export function Select({ options, placeholder, ...props }: Props) {
  const { label, help, error, hideLabel, size, id, className, ...input } = props;
  const frame = { label, help, error, id, className, required: input.required };
  return (
    <Field {...frame} hideLabel={hideLabel ?? false}>
      {(links) => (
        <div className={controlClass(size, 'relative')}>
          <select {...input} {...links} className={insideClass(styles['select'])}>
            {placeholder !== undefined && (
              <option value="" disabled hidden>
                {placeholder}
              </option>
            )}
            {options.map((option) => (
              <option key={option.value} value={option.value} disabled={option.disabled}>
                {option.label}
              </option>
            ))}
          </select>
          <ChevronDown size={18} className="faint pointer-none pin-end" />
        </div>
      )}
    </Field>
  );
}
