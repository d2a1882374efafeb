import { X } from 'lucide-react';
import {
  useEffect,
  useId,
  useRef,
  type MouseEvent,
  type ReactNode,
  type SyntheticEvent,
} from 'react';
import styles from '#web/ui/Modal.module.css';
import { classes } from '#web/ui/rules/classes.ts';
import { enterTopLayer } from '#web/ui/topLayer.ts';

type Props = {
  open: boolean;
  /** Asked to close: Escape, the backdrop, the button. */
  onClose: () => void;
  title: ReactNode;
  /** 360, 560 (default), 760 and 1000 px; a sheet from below on phones. */
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** Stays at the foot while the content scrolls: the actions. */
  footer?: ReactNode;
  /** `drawer` comes from the right and is as high as the screen. */
  shape?: 'modal' | 'drawer';
  role?: 'dialog' | 'alertdialog';
  children: ReactNode;
};

/**
 * A dialog over the page, by the browser's own `<dialog>`: what is behind is inert, the focus goes
 * to `[autofocus]` or the first control and returns to what opened it. Content is there only
 * while it is open, so its state starts afresh each time.
 */
export function Modal({ open, onClose, shape = 'modal', size = 'md', ...rest }: Props) {
  const { title, footer, role, children } = rest;
  const dialog = useRef<HTMLDialogElement>(null);
  const float = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    if (!open || !shown || shown.open) return;
    const opener = document.activeElement;
    shown.showModal();
    const leave = enterTopLayer(float.current ?? shown);
    return () => {
      leave();
      shown.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, [open]);
  const titleId = useId();
  if (!open) return null;

  const cancel = (event: SyntheticEvent) => {
    if (event.target !== dialog.current) return;
    event.preventDefault();
    onClose();
  };
  // On the press, not the click: dragging a selection out of the dialog must not close it. The press
  // would move the focus to the body after it has been given back to the opener.
  const press = (event: MouseEvent) => {
    if (event.target !== dialog.current) return;
    event.preventDefault();
    onClose();
  };
  return (
    // The backdrop is the dialog itself; for keys there are Escape and the button.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      role={role}
      className={classes(styles['dialog'], styles[shape], styles[size])}
      aria-labelledby={titleId}
      onCancel={cancel}
      onMouseDown={press}
    >
      <div className={styles['sheet']}>
        <div className={styles['head']}>
          <h2 id={titleId} className={styles['title']}>
            {title}
          </h2>
          <button type="button" className={styles['close']} aria-label="Tutup" onClick={onClose}>
            <X size={20} />
          </button>
        </div>
        <div className={styles['body']}>{children}</div>
        {footer && <div className={styles['foot']}>{footer}</div>}
      </div>
      {/* Menus and toasts stand here, outside the dialog's own layout. */}
      <div ref={float} className={styles['float']} />
    </dialog>
  );
}

/** A sheet from the right for the details of a row; the whole screen on phones. */
export const Drawer = (props: Omit<Props, 'shape'>) => <Modal {...props} shape="drawer" />;
