import type { ComponentProps, ReactNode } from 'react';
import styles from '#web/ui/chat/list/ChatList.module.css';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { CountBadge, ShortCount } from '#web/ui/status/CountBadge.tsx';

type ListProps = {
  label: string;
  head: ReactNode;
  children: ReactNode;
};

/** The list of threads beside the open one: the filters above scrolling rows. */
export const ChatList = ({ label, head, children }: ListProps) => (
  <section className={styles['place']} aria-label={label}>
    <div className={styles['head']}>{head}</div>
    {children}
  </section>
);

type RowsProps = ComponentProps<'ul'> & {
  busy?: boolean;
  foot?: ReactNode;
};

/** The rows of a thread list; each is a link with `chatRow`. */
export const ChatRows = ({ busy = false, foot, ...rows }: RowsProps) => (
  <div className={styles['scroll']} aria-busy={busy || undefined}>
    <ul {...rows} className={styles['rows']} aria-label="Percakapan" />
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
    <span className={styles['words']}>
      <span className={styles['top']}>
        <bdi className={styles[isNumber ? 'number' : 'name']}>{name}</bdi>
        <time className={styles['time']} dateTime={at.toISOString()}>
          {time}
        </time>
      </span>
      <span className={styles['bottom']}>
        <span className={styles['preview']}>{preview}</span>
        {mark && <span className={styles['mark']}>{mark}</span>}
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
  <div className={styles['rows']} aria-busy="true">
    {Array.from({ length: 7 }, (_, line) => (
      <div key={line} className={styles['row']}>
        <Skeleton width={40} height={40} round />
        <span className={styles['words']}>
          <Skeleton width={`${50 + ((line * 29) % 30)}%`} />
          <Skeleton width={`${60 + ((line * 41) % 30)}%`} />
        </span>
      </div>
    ))}
  </div>
);
