import { useId, type ReactNode } from 'react';
import styles from '#web/ui/panel/Panel.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  /** An h2 over the content. */
  title?: ReactNode;
  /** At the end of the title's line. */
  tools?: ReactNode;
  /** `card`: a box of its own, for what can be acted on as a unit. Left out: a part of the page. */
  look?: 'card' | 'attention';
  children: ReactNode;
};

/** A part of a page under its own heading. Never a card in a card. */
export function Panel({ title, tools, look, children }: Props) {
  const id = useId();
  return (
    <section
      className={classes(styles['panel'], look && styles['card'], look && styles[look])}
      aria-labelledby={title ? id : undefined}
    >
      {(title || tools) && (
        <header className={styles['head']}>
          {title && <h2 id={id}>{title}</h2>}
          {tools && <div className={styles['tools']}>{tools}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

export type Fact = { term: ReactNode; is: ReactNode };

/** Names and values: the details of one thing. */
export const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl className={styles['facts']}>
    {facts.map(({ term, is }, index) => (
      <div key={index}>
        <dt>{term}</dt>
        <dd>{is}</dd>
      </div>
    ))}
  </dl>
);

/** Things above each other; `gap` in px, 16 when left out. */
export const Stack = ({
  gap = 16,
  children,
}: {
  gap?: 8 | 12 | 16 | 24 | 32;
  children: ReactNode;
}) => (
  <div className={styles['stack']} data-gap={gap}>
    {children}
  </div>
);

/** Things beside each other that wrap: buttons, filters, chips. `end` puts them at the end. */
export const Row = ({ end = false, children }: { end?: boolean; children: ReactNode }) => (
  <div className={classes(styles['row'], end && styles['end'])}>{children}</div>
);
