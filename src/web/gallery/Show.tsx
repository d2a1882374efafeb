import { createContext, use, type ReactNode } from 'react';
import styles from '#web/gallery/gallery.module.css';

/** The piece that is shown among others; '' where it stands alone, and its states' names do. */
export const Among = createContext('');

/** One state of a piece, with its name above it. */
export function Show({ title, children }: { title: string; children: ReactNode }) {
  const piece = use(Among);
  return (
    <section className={styles['show']} aria-label={piece === '' ? title : `${piece}: ${title}`}>
      <h3 className={styles['state']}>{title}</h3>
      <div className={styles['stage']}>{children}</div>
    </section>
  );
}

/** What a piece has reported to its owner, in words: for people who look, and for tests. */
export const Emitted = ({ of, children }: { of: string; children: ReactNode }) => (
  <output className={styles['emitted']} aria-label={of}>
    {children}
  </output>
);
