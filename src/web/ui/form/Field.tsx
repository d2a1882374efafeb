import { useId, type ReactNode } from 'react';
import styles from '#web/ui/form/Field.module.css';
import { classes } from '#web/ui/classes.ts';

export type FieldSize = 'sm' | 'md' | 'lg' | 'xl';

/** What every field takes beside the attributes of its own control. */
export type FieldProps = {
  label: ReactNode;
  /** A line under the field; an error takes its place. */
  help?: ReactNode;
  /** The sentence that says what is wrong; its presence marks the field as invalid. */
  error?: string | undefined;
  /** Keeps the label for screen readers only. */
  hideLabel?: boolean;
  size?: FieldSize;
};

export type FieldLinks = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

type FrameProps = Pick<FieldProps, 'label' | 'help' | 'error' | 'hideLabel'> & {
  id?: string | undefined;
  required?: boolean | undefined;
  /** Beside the label, at its end: "Lupa kata sandi?" and the like. */
  aside?: ReactNode;
  className?: string | undefined;
  /** Draws the control with the ids that tie label, help and error to it. */
  children: (links: FieldLinks) => ReactNode;
};

/** Label above, control, help or error under it, all tied together. */
export function Field({
  label,
  help,
  error,
  hideLabel = false,
  id,
  required = false,
  aside,
  className,
  children,
}: FrameProps) {
  const made = useId();
  const own = id ?? made;
  const helpId = help && !error ? `${own}-help` : undefined;
  const errorId = error ? `${own}-error` : undefined;
  const links: FieldLinks = {
    id: own,
    'aria-describedby': errorId ?? helpId,
    'aria-invalid': error ? true : undefined,
  };
  return (
    <div className={classes(styles['field'], className)}>
      <div className={classes(styles['top'], hideLabel && !aside && 'sr-only')}>
        <label htmlFor={own} className={classes(styles['label'], hideLabel && 'sr-only')}>
          {label}
          {required && <span className={styles['star']} aria-hidden="true" />}
        </label>
        {aside}
      </div>
      {children(links)}
      {helpId && (
        <p id={helpId} className={styles['help']}>
          {help}
        </p>
      )}
      <p id={errorId} className={styles['error']} aria-live="polite" hidden={!error}>
        {error}
      </p>
    </div>
  );
}

/** The class of a control's box: border, height by size, focus, error. */
export const controlClass = (size: FieldSize = 'md', ...more: readonly (string | undefined)[]) =>
  classes(styles['control'], styles[size], ...more);

/** The class of a bare input inside such a box. */
export const insideClass = (...more: readonly (string | undefined)[]) =>
  classes(styles['inside'], ...more);
