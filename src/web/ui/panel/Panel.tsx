import { useId, type ReactNode } from 'react';
import styles from '#web/ui/panel/Panel.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  /** An h2 over the content. */
  title?: ReactNode;
  tools?: ReactNode;
  /** `card`: a separate box, for content that is acted on as a unit. Omitted: a section of the page. */
  look?: 'card' | 'attention';
  children: ReactNode;
};

/** A section of a page with its own heading. Never a card in a card. */
export function Panel({ title, tools, look, children }: Props) {
  const id = useId();
  return (
    <section
      className={classes('min-w-0', look && classes('card', styles['card']), look && styles[look])}
      aria-labelledby={title ? id : undefined}
    >
      {(title || tools) && (
        <header className="row wrap justify-between gap-8 gap-x-16 mb-12 min-h-32">
          {title && <h2 id={id}>{title}</h2>}
          {tools && <div className="row wrap gap-8">{tools}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

export type Fact = { term: ReactNode; is: ReactNode };

/** Facts that a record does not have are `false` or null. */
export type FactList = readonly (Fact | false | null)[];

const isFact = (fact: FactList[number]): fact is Fact => Boolean(fact);

export const Facts = ({ facts }: { facts: FactList }) => (
  <dl className={classes('grid divided', styles['facts'])}>
    {facts.filter(isFact).map(({ term, is }, index) => (
      <div key={index}>
        <dt className="faint">{term}</dt>
        <dd className="min-w-0 break-anywhere num">{is}</dd>
      </div>
    ))}
  </dl>
);

/** A vertical stack; `gap` in px, 16 if omitted. */
export const Stack = ({
  gap = 16,
  children,
}: {
  gap?: 8 | 12 | 16 | 24 | 32;
  children: ReactNode;
}) => <div className={`stack gap-${gap}`}>{children}</div>;

/** A wrapping row of buttons, filters or chips; `end` aligns it to the end. */
export const Row = ({ end = false, children }: { end?: boolean; children: ReactNode }) => (
  <div className={classes('row wrap gap-8', end && 'justify-end', end && 'stretch-below-480')}>
    {children}
  </div>
);
