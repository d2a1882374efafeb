import type { ComponentProps, ReactNode } from 'react';
import styles from '#web/ui/chat/list/ChatList.module.css';
import { classes } from '#web/ui/classes.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { CountBadge, ShortCount } from '#web/ui/status/CountBadge.tsx';

type ListProps = {
  label: string;
  head: ReactNode;
  children: ReactNode;
};

/** The list of threads beside the open one: the filters above scrolling rows. */
export const ChatList = ({ label, head, children }: ListProps) => (
  <section className="column grow min-h-0" aria-label={label}>
    <div className={classes('grid gap-10 flex-none p-12 border-b', styles['head'])}>{head}</div>
    {children}
  </section>
);

type RowsProps = ComponentProps<'ul'> & {
  busy?: boolean;
  foot?: ReactNode;
};

/** The rows of a thread list; each is a link with `chatRow`. */
export const ChatRows = ({ busy = false, foot, ...rows }: RowsProps) => (
  <div
    className={classes('grow min-h-0 scroll-y relative', styles['scroll'])}
    aria-busy={busy || undefined}
  >
    <ul {...rows} className="stack" aria-label="Percakapan" />
    {foot}
  </div>
);

type State = { open: boolean; unread: number };

/** The props of a thread row's link. @param state `open`: the thread that is shown. */
export const chatRow = ({ open, unread }: State) =>
  ({
    className: styles['row'],
    'aria-current': open ? 'page' : undefined,
    'data-unread': unread > 0 || undefined,
    'data-open': open || undefined,
  }) as const;

type WordsProps = {
  name: string;
  /** The name is a number, which is never truncated. */
  isNumber?: boolean;
  at: Date;
  /** `09.05`, `Kemarin`. */
  time: string;
  preview: ReactNode;
  unread: number;
  mark?: ReactNode;
  children?: ReactNode;
};

export const ChatRowWords = (props: WordsProps) => {
  const { name, isNumber = false, at, time, preview, unread, mark, children } = props;
  return (
    <span className="stack gap-2 fill leading-ui content-center">
      <span className="flex align-baseline justify-between gap-8 min-w-0">
        <bdi className={styles[isNumber ? 'number' : 'name']}>{name}</bdi>
        <time className="flex-none tiny faint num" dateTime={at.toISOString()}>
          {time}
        </time>
      </span>
      <span className="row justify-between gap-8 min-w-0">
        <span className={classes('row min-w-0 small muted gap-4', styles['preview'])}>
          {preview}
        </span>
        {mark && <span className="inline-flex flex-none faint">{mark}</span>}
        <CountBadge>
          <ShortCount count={unread} of="belum dibaca" />
        </CountBadge>
      </span>
      {children}
    </span>
  );
};

export const ChatRowTool = ({ children }: { children: ReactNode }) => (
  <span className={styles['tool']}>{children}</span>
);

export const ChatRowsLoading = () => (
  <div className="stack" aria-busy="true">
    {Array.from({ length: 7 }, (_, line) => (
      <div key={line} className={styles['row']}>
        <Skeleton width={40} height={40} round />
        <span className="stack gap-2 fill leading-ui content-center">
          <Skeleton width={`${50 + ((line * 29) % 30)}%`} />
          <Skeleton width={`${60 + ((line * 41) % 30)}%`} />
        </span>
      </div>
    ))}
  </div>
);
