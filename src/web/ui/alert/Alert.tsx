import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import styles from '#web/ui/alert/Alert.module.css';
import { classes } from '#web/ui/classes.ts';
import { useFocusFallback } from '#web/ui/layout/pageHeading.ts';

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
  /** For the `aria-describedby` of what the message explains. */
  id?: string;
  state?: AlertState;
  /** Omitted: a soft tint; `fill`: solid; `pro`: a card with a bar and an icon in the state's colour. */
  variant?: 'fill' | 'pro';
  visible?: boolean;
  label: ReactNode;
  children?: ReactNode;
  /** Adds a close button. */
  onClose?: () => void;
};

const icons: Partial<Record<AlertState, typeof Info>> = {
  success: CircleCheck,
  warning: TriangleAlert,
  danger: CircleAlert,
};

/** The page of the last interaction: an alert on any other page is part of that page's first render. */
let used: string | undefined;
for (const press of ['pointerdown', 'keydown']) {
  window.addEventListener(press, () => (used = window.location.pathname), true);
}

/**
 * An inline message. A warning or danger that appears later interrupts screen readers (`alert`); the rest is polite
 * (`status`).
 */
export function Alert({
  id,
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
      id={id}
      data-hue={state}
      role={urgent ? 'alert' : 'status'}
      className={classes(
        'flex align-start gap-10 leading-ui py-12 px-12 rounded',
        styles['alert'],
        styles[state],
        variant && styles[variant],
      )}
    >
      <Icon size={18} className={styles['icon']} aria-hidden="true" />
      <div className={classes('grid gap-6 fill', styles['text'])}>
        <p className="semibold">{label}</p>
        {children}
      </div>
      {onClose && <Close onClose={onClose} />}
    </div>
  );
}

function Close({ onClose }: { onClose: () => void }) {
  const button = useFocusFallback<HTMLButtonElement>();
  return (
    <button
      ref={button}
      type="button"
      className={classes('place-center flex-none size-28 rounded-sm', styles['close'])}
      aria-label="Tutup"
      onClick={onClose}
    >
      <X size={18} />
    </button>
  );
}
