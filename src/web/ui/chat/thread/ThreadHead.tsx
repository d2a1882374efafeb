import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import styles from '#web/ui/chat/thread/thread.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  back: ReactNode;
  avatar: ReactNode;
  name: string;
  /** The name is a number, which is never truncated. */
  isNumber?: boolean;
  about: ReactNode;
  className?: string | undefined;
  children?: ReactNode;
};

/** The header of a thread. On phones it replaces the list and takes the focus. */
export function ThreadHead(props: Props) {
  const { back, avatar, name, isNumber = false, about, className, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (window.matchMedia('(max-width: 767px)').matches) heading.current?.focus();
  }, []);
  return (
    <header className={classes('row gap-12 flex-none py-8 px-16 surface min-h-60', className)}>
      {back}
      {avatar}
      <div className="fill leading-ui">
        <h2
          ref={heading}
          tabIndex={-1}
          className={classes('truncate large num', isNumber && styles['number'])}
        >
          <bdi>{name}</bdi>
        </h2>
        <p className="flex wrap gap-x-8 small faint num">{about}</p>
      </div>
      {children}
    </header>
  );
}

/** The props of the link back to the list, on narrow screens. */
export const threadBack = (label: string) => ({
  className: classes('place-center size-44 rounded muted hover below-768', styles['back']),
  'aria-label': label,
  children: <ArrowLeft size={20} />,
});
