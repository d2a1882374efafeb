import type { UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { useGuardedClose } from '#web/ui/overlay/useGuardedClose.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { useSkeleton } from '#web/ui/skeleton/useSkeleton.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type FrameProps = {
  title: string;
  context?: ReactNode;
  action?: ReactNode;
  /** Sections, one below the other. */
  children: ReactNode;
};

export const OperatorFrame = ({ title, context, action, children }: FrameProps) => (
  <>
    <PageHead title={title} context={context} action={action} />
    <div className="stack gap-32 mt-20">{children}</div>
  </>
);

type LoadedProps<T> = {
  query: UseQueryResult<T>;
  lines?: number;
  children: (data: T) => ReactNode;
};

export function Loaded<T>({ query, lines = 6, children }: LoadedProps<T>) {
  const waiting = useSkeleton(query.isPending);
  if (query.data !== undefined && !waiting) return children(query.data);
  if (query.isError) return <WentWrong query={query} />;
  return <div aria-busy="true">{waiting && <Skeleton lines={lines} height="1.4em" />}</div>;
}

type DrawerProps = {
  title: ReactNode;
  onClose: () => void;
  /** Receives `setDirty`, for a form whose input must not be lost. */
  children: ReactNode | ((setDirty: (isDirty: boolean) => void) => ReactNode);
};

/** The drawer of a record that the address names. */
export function RecordDrawer({ title, onClose, children }: DrawerProps) {
  const [isDirty, setDirty] = useState(false);
  const close = useGuardedClose(isDirty, onClose);
  return (
    <Drawer addressed open onClose={close} title={title}>
      <div className="stack gap-24">
        {typeof children === 'function' ? children(setDirty) : children}
      </div>
    </Drawer>
  );
}

/** An id or a hash, which may break anywhere. */
export const Hash = ({ children }: { children: ReactNode }) => (
  <span className={classes('small', styles['hash'])}>{children}</span>
);

/** The author and the time of a change. */
export const By = ({ name, at }: { name: ReactNode; at: Date }) => (
  <>
    {name}, <DateTime at={at} />
  </>
);

type RowsProps = {
  /** The list's name, where no heading names it. */
  label?: string;
  /** Shown for an empty list. */
  none?: string;
  children: readonly ReactNode[];
};

/** A short list without columns or pages. */
export const Rows = ({ label, none, children }: RowsProps) =>
  children.length === 0 && none ? (
    <p className="muted">{none}</p>
  ) : (
    <ul className={classes('stack plain-list divided', styles['rows'])} aria-label={label}>
      {children}
    </ul>
  );

type EntryProps = {
  note?: ReactNode;
  small?: ReactNode;
  end?: ReactNode;
  children: ReactNode;
};

export const Entry = ({ note, small, end, children }: EntryProps) => (
  <li>
    <span className={styles['what']}>
      {children}
      {note && <span className="muted">{note}</span>}
      {small && <span className="small faint regular">{small}</span>}
    </span>
    {end}
  </li>
);
