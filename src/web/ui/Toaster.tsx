import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { useTopLayer } from '#web/ui/topLayer.ts';
import styles from '#web/ui/Toaster.module.css';
import { dismissToast, TOAST_MS, toasts, type Toast } from '#web/ui/toasts.ts';

const icons = { info: Info, success: CircleCheck, warning: TriangleAlert, danger: CircleAlert };

/** Shows what `toast()` says. One in the page, through `ToastPlace`. */
export function Toaster() {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.now);
  const place = useTopLayer();
  return createPortal(
    <Radix.Provider duration={TOAST_MS} swipeDirection="right" label="Pemberitahuan">
      {shown.map((one) => (
        <One key={one.id} toast={one} />
      ))}
      <Radix.Viewport
        className={styles['viewport']}
        hotkey={['F8']}
        label="Pemberitahuan ({hotkey})"
      />
    </Radix.Provider>,
    place,
  );
}

function One({ toast }: { toast: Toast }) {
  const Icon = icons[toast.tone];
  const { action } = toast;
  return (
    <Radix.Root
      className={styles['toast']}
      data-tone={toast.tone}
      type={toast.tone === 'danger' ? 'foreground' : 'background'}
      onOpenChange={(open) => open || dismissToast(toast.id)}
    >
      <Icon size={18} className={styles['icon']} aria-hidden="true" />
      <Radix.Description className={styles['text']}>{toast.text}</Radix.Description>
      {action && (
        <Radix.Action altText={action.label} className={styles['action']} onClick={action.onAction}>
          {action.label}
        </Radix.Action>
      )}
      <Radix.Close className={styles['close']} aria-label="Tutup">
        <X size={16} />
      </Radix.Close>
    </Radix.Root>
  );
}
