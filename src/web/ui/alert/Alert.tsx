import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import styles from '#web/ui/alert/Alert.module.css';
import { classes } from '#web/ui/classes.ts';

export type AlertState =
  | 'primary'
  | 'secondary'
  | 'success'
  | 'info'
  | 'warning'
  | 'danger'
  | 'gray'
  | 'light';

type Props = {
  state?: AlertState;
  /** Left out: a soft tint; `fill`: solid; `pro`: a card with a bar and an icon in the state's colour. */
  variant?: 'fill' | 'pro';
  /** Not there unless visible. */
  visible?: boolean;
  /** The sentence itself. */
  label: ReactNode;
  /** More below it: details, an action. */
  children?: ReactNode;
  /** With it, there is a button to close. */
  onClose?: () => void;
};

const icons: Partial<Record<AlertState, typeof Info>> = {
  success: CircleCheck,
  warning: TriangleAlert,
  danger: CircleAlert,
};

/** The page on which something was pressed last: what shows itself on another came with it. */
let used: string | undefined;
for (const press of ['pointerdown', 'keydown']) {
  window.addEventListener(press, () => (used = window.location.pathname), true);
}

/**
 * A message in its place on the page. What turns up later as a warning or a danger interrupts
 * (`alert`); the rest waits for its turn (`status`).
 */
export function Alert({
  state = 'primary',
  variant,
  visible = false,
  label,
  children,
  onClose,
}: Props) {
  const [came] = useState(() => visible && used !== window.location.pathname);
  if (!visible) return null;
  const Icon = icons[state] ?? Info;
  const urgent = !came && (state === 'danger' || state === 'warning');
  return (
    <div
      role={urgent ? 'alert' : 'status'}
      className={classes(styles['alert'], styles[state], variant && styles[variant])}
    >
      <Icon size={18} className={styles['icon']} aria-hidden="true" />
      <div className={styles['text']}>
        <p className={styles['label']}>{label}</p>
        {children}
      </div>
      {onClose && (
        <button type="button" className={styles['close']} aria-label="Tutup" onClick={onClose}>
          <X size={18} />
        </button>
      )}
    </div>
  );
}
