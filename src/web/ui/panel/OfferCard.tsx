import type { ReactNode } from 'react';
import { Button } from '#web/ui/button/Button.tsx';
import { useFocusFallback } from '#web/ui/layout/pageHeading.ts';
import styles from '#web/ui/panel/OfferCard.module.css';

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
    <section ref={card} className={styles['card']} aria-label={label}>
      <span className={styles['icon']} aria-hidden="true">
        {icon}
      </span>
      <p className={styles['words']}>
        <strong>{title}</strong> <span className={styles['more']}>{children}</span>
      </p>
      <span className={styles['actions']}>
        <Button size="sm" variant="link" tone="neutral" onClick={onLater}>
          Nanti saja
        </Button>
        {action}
      </span>
    </section>
  );
}
