import { createContext, use, type ReactNode } from 'react';
import styles from '#stories/gallery/gallery.module.css';

/** The surrounding piece in the full gallery; '' if the piece is shown alone with the names of its states. */
export const Among = createContext('');

export function Show({ title, children }: { title: string; children: ReactNode }) {
  const piece = use(Among);
  return (
    <section className={styles['show']} aria-label={piece === '' ? title : `${piece}: ${title}`}>
      <h3 className={styles['state']}>{title}</h3>
      <div className={styles['stage']}>{children}</div>
    </section>
  );
}

export const Emitted = ({ of, children }: { of: string; children: ReactNode }) => (
  <output className={styles['emitted']} aria-label={of}>
    {children}
  </output>
);
