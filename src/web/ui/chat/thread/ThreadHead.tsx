import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import styles from '#web/ui/chat/thread/ThreadHead.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  /** A link with `threadBack`. */
  back: ReactNode;
  avatar: ReactNode;
  name: string;
  /** The name is a number, which is never cut off. */
  isNumber?: boolean;
  about: ReactNode;
  className?: string | undefined;
  /** At its end. */
  children?: ReactNode;
};

/** Whose thread it is. On phones it takes the list's place, and the focus with it. */
export function ThreadHead(props: Props) {
  const { back, avatar, name, isNumber = false, about, className, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (window.matchMedia('(max-width: 767px)').matches) heading.current?.focus();
  }, []);
  return (
    <header className={classes(styles['head'], className)}>
      {back}
      {avatar}
      <div className={styles['who']}>
        <h2
          ref={heading}
          tabIndex={-1}
          className={classes(styles['name'], isNumber && styles['number'])}
        >
          <bdi>{name}</bdi>
        </h2>
        <p className={styles['about']}>{about}</p>
      </div>
      {children}
    </header>
  );
}

/** What makes a link the way back to the list, where there is no room for both. */
export const threadBack = (label: string) => ({
  className: styles['back'],
  'aria-label': label,
  children: <ArrowLeft size={20} aria-hidden="true" />,
});
