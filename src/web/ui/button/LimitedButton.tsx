import { type ReactNode, useId } from 'react';
import { Button, type ButtonProps } from '#web/ui/button/Button.tsx';
import styles from '#web/ui/button/LimitedButton.module.css';

type Props = Omit<ButtonProps, 'disabled' | 'aria-describedby'> & {
  /** Why a limit makes the action impossible, and the way out. */
  reason: ReactNode;
};

/** A button at a limit: disabled, with the reason below. */
export function LimitedButton({ reason, ...button }: Props) {
  const id = useId();
  return (
    <span className={styles['limited']}>
      <Button {...button} disabled aria-describedby={id} />
      <span id={id} className={styles['limit']}>
        {reason}
      </span>
    </span>
  );
}
