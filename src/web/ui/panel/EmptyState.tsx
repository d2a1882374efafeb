import type { ReactNode } from 'react';
import { sentenceOf } from '#web/api/errors.ts';
import styles from '#web/ui/panel/EmptyState.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  /** A lucide icon at `size={24}`. */
  icon?: ReactNode;
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
};

/** An empty list: describes what will be here and how to start. */
export const EmptyState = ({ icon, title, children, action }: Props) => (
  <div
    className={classes(
      'grid justify-items-center gap-8 mx-auto text-center max-w-440',
      styles['empty'],
    )}
  >
    {icon && (
      <span
        className="place-center mb-4 text-accent rounded-lg bg-primary size-48"
        aria-hidden="true"
      >
        {icon}
      </span>
    )}
    <p className="large ink strong leading-ui balance">{title}</p>
    {children && <div className="muted pretty">{children}</div>}
    {action && <div className="mt-8">{action}</div>}
  </div>
);

type WrongProps = { query: { error: Error | null; refetch?: () => unknown } };

/** The error of a query and its remedy; with `refetch`, a button to retry. */
export const WentWrong = ({ query: { error, refetch } }: WrongProps) => (
  <div
    className={classes(
      'grid justify-items-center gap-8 mx-auto text-center max-w-440',
      styles['empty'],
    )}
    role="alert"
  >
    <p className="large ink strong leading-ui balance">{sentenceOf(error)}</p>
    {refetch && (
      <button
        type="button"
        className="text-accent strong min-h-32 px-8 underline"
        onClick={() => void refetch()}
      >
        Coba lagi
      </button>
    )}
  </div>
);
