import type { ReactNode } from 'react';
import styles from '#web/features/profile/profile.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  id: string;
  title: string;
  about?: ReactNode;
  children: ReactNode;
};

export const Section = ({ id, title, about, children }: Props) => (
  <section
    id={id}
    aria-labelledby={`${id}-judul`}
    className={classes('border-t', styles['section'])}
  >
    <h2 id={`${id}-judul`}>{title}</h2>
    {about && <p className="mt-4 muted pretty">{about}</p>}
    <div className="stack gap-16 mt-16">{children}</div>
  </section>
);
