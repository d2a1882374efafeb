import { useEffect, useId, useRef, type ComponentPropsWithoutRef, type ReactNode } from 'react';
import styles from '#web/ui/form/Checkbox.module.css';

type Props = Omit<ComponentPropsWithoutRef<'input'>, 'type' | 'size'> & {
  label: ReactNode;
  help?: ReactNode;
  error?: string | undefined;
  indeterminate?: boolean;
  /** Marks it as invalid without its own error: the group has one. */
  invalid?: boolean;
};

/** A checkbox of 20 px in a target of 44. */
export function Checkbox({ label, help, error, id, ...props }: Props) {
  const { indeterminate = false, invalid = false, ...input } = props;
  const made = useId();
  const own = id ?? made;
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = indeterminate;
  }, [indeterminate]);
  const note = error ?? help;
  return (
    <div className={styles['field']}>
      <label className={styles['row']}>
        <input
          {...input}
          ref={box}
          id={own}
          type="checkbox"
          className={styles['box']}
          aria-invalid={error || invalid ? true : undefined}
          aria-describedby={note ? `${own}-note` : undefined}
        />
        <span>
          {label}
          {input.required && <span className={styles['star']} aria-hidden="true" />}
        </span>
      </label>
      {note && (
        <p id={`${own}-note`} className={error ? styles['error'] : styles['help']}>
          {note}
        </p>
      )}
    </div>
  );
}
