import type { ReactNode } from 'react';
import { Button } from '#web/ui/button/Button.tsx';
import styles from '#web/ui/panel/OfferCard.module.css';

type Props = {
  /** The name of the region. */
  label: string;
  icon: ReactNode;
  /** What the person gets, in one sentence. */
  title: string;
  /** What they may want to know before. */
  children: ReactNode;
  /** The button that takes the offer; left out where only words help. */
  action?: ReactNode;
  onLater: () => void;
};

/** An offer that can wait: what it brings, one button, and a way to put it off. */
export const OfferCard = ({ label, icon, title, children, action, onLater }: Props) => (
  <section className={styles['card']} aria-label={label}>
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
