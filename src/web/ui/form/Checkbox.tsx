import { useEffect, useId, useRef, type ComponentPropsWithoutRef, type ReactNode } from 'react';
import styles from '#web/ui/form/form.module.css';
import { classes } from '#web/ui/classes.ts';

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
    <div className="min-w-0">
      <label className={classes('flex align-start gap-10 pointer', styles['row'])}>
        <input
          {...input}
          ref={box}
          id={own}
          type="checkbox"
          className={classes('place-center flex-none surface pointer', styles['box'])}
          aria-invalid={error || invalid ? true : undefined}
          aria-describedby={note ? `${own}-note` : undefined}
        />
        <span>
          {label}
          {input.required && <span className={styles['checkboxStar']} aria-hidden="true" />}
        </span>
      </label>
      {note && (
        <p
          id={`${own}-note`}
          className={
            error
              ? classes('small text-danger', styles['error'])
              : classes('small faint', styles['help'])
          }
        >
          {note}
        </p>
      )}
    </div>
  );
}
