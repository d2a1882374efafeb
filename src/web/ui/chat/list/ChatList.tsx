import type { ComponentProps, ReactNode } from 'react';
import styles from '#web/ui/chat/list/ChatList.module.css';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { CountBadge, ShortCount } from '#web/ui/status/CountBadge.tsx';

type ListProps = {
  label: string;
  /** What narrows the list. */
  head: ReactNode;
  children: ReactNode;
};

/** The threads beside the one that is open: what narrows them, above rows that scroll by themselves. */
export const ChatList = ({ label, head, children }: ListProps) => (
  <section className={styles['place']} aria-label={label}>
    <div className={styles['head']}>{head}</div>
    {children}
  </section>
);

type RowsProps = ComponentProps<'ul'> & {
  busy?: boolean;
  /** Below the last row: where more of them are. */
  foot?: ReactNode;
};

/** Rows of threads, each a link with `chatRow`. */
export const ChatRows = ({ busy = false, foot, ...rows }: RowsProps) => (
  <div className={styles['scroll']} aria-busy={busy || undefined}>
    <ul {...rows} className={styles['rows']} aria-label="Percakapan" />
    {foot}
  </div>
);

type State = { open: boolean; unread: number };

/** What makes a link the row of a thread. @param state `open`: it is the thread that is shown. */
export const chatRow = ({ open, unread }: State) =>
  ({
    className: styles['row'],
    'aria-current': open ? 'page' : undefined,
    'data-unread': unread > 0 || undefined,
    'data-open': open || undefined,
  }) as const;

type WordsProps = {
  name: string;
  /** The name is a number, which is never cut off. */
  isNumber?: boolean;
  at: Date;
  /** `09.05`, `Kemarin`. */
  time: string;
  preview: ReactNode;
  unread: number;
  /** Before the number of unread ones: that it stands above others. */
  mark?: ReactNode;
  /** A line below. */
  children?: ReactNode;
};

/** What a row says of its thread, beside the avatar. */
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

/** Beside a row's link: a button for what is done with its thread. */
export const ChatRowTool = ({ children }: { children: ReactNode }) => (
  <span className={styles['tool']}>{children}</span>
);

/** While the rows are on their way. */
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
