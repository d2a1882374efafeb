import { type ReactNode, useId } from 'react';
import { Button, type ButtonProps } from '#web/ui/button/Button.tsx';

type Props = Omit<ButtonProps, 'disabled' | 'aria-describedby'> & {
  /** Why a limit makes the action impossible, and the way out. */
  reason: ReactNode;
};

/** A button at a limit: disabled, with the reason below. */
export function LimitedButton({ reason, ...button }: Props) {
  const id = useId();
  return (
    <span className="grid justify-items-start gap-6">
      <Button {...button} disabled aria-describedby={id} />
      <span id={id} className="small muted text-start leading-14">
        {reason}
      </span>
    </span>
  );
}
