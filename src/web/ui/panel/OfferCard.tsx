import type { ReactNode } from 'react';
import { Button } from '#web/ui/button/Button.tsx';
import { useFocusFallback } from '#web/ui/layout/pageHeading.ts';
import styles from '#web/ui/panel/OfferCard.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  label: string;
  icon: ReactNode;
  title: string;
  children: ReactNode;
  /** The accept button; omitted if the offer is text only. */
  action?: ReactNode;
  onLater: () => void;
};

/** A deferrable offer: its benefit, one button, and a button to postpone it. */
export function OfferCard({ label, icon, title, children, action, onLater }: Props) {
  const card = useFocusFallback<HTMLElement>();
  return (
    <section
      ref={card}
      className={classes('row wrap gap-8 gap-x-12 card py-10 px-12', styles['card'])}
      aria-label={label}
    >
      <span className="flex flex-none text-accent from-480" aria-hidden="true">
        {icon}
      </span>
      <p className={classes('small muted leading-ui pretty', styles['words'])}>
        <strong>{title}</strong> <span className="from-480">{children}</span>
      </p>
      <span className="row wrap justify-end gap-4 gap-x-8 ms-auto">
        <Button size="sm" variant="link" tone="neutral" onClick={onLater}>
          Nanti saja
        </Button>
        {action}
      </span>
    </section>
  );
}
