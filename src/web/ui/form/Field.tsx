import { useId, type ReactNode } from 'react';
import styles from '#web/ui/form/form.module.css';
import { classes } from '#web/ui/classes.ts';

export type FieldSize = 'sm' | 'md' | 'lg' | 'xl';

/** The props of every field, besides those of its control. */
export type FieldProps = {
  label: ReactNode;
  /** Below the field; an error replaces it. */
  help?: ReactNode;
  /** The error message; marks the field as invalid. */
  error?: string | undefined;
  /** Shows the label to screen readers only. */
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
  /** At the end of the label's row, for example "Lupa kata sandi?". */
  aside?: ReactNode;
  className?: string | undefined;
  children: (links: FieldLinks) => ReactNode;
};

/** Label above, help or error below the control, linked by ids. */
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
    <div className={classes('stack content-start gap-6 min-w-0', className)}>
      <div
        className={classes(
          'flex align-baseline justify-between gap-12',
          hideLabel && !aside && 'sr-only',
        )}
      >
        <label
          htmlFor={own}
          className={classes('small ink strong leading-ui', hideLabel && 'sr-only')}
        >
          {label}
          {required && <span className={styles['star']} aria-hidden="true" />}
        </label>
        {aside}
      </div>
      {children(links)}
      {helpId && (
        <p id={helpId} className="small faint leading-ui">
          {help}
        </p>
      )}
      <p
        id={errorId}
        className="small text-danger leading-ui semibold"
        aria-live="polite"
        hidden={!error}
      >
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

/** The look of an icon button at the end of a field. */
export const fieldTool = (...more: readonly (string | undefined)[]) =>
  classes('place-center flex-none faint hover-text ring-inset', styles['tool'], ...more);
