import { X } from 'lucide-react';
import {
  useEffect,
  useId,
  useRef,
  type PointerEvent,
  type ReactNode,
  type SyntheticEvent,
} from 'react';
import { endPress } from '#web/ui/overlay/floating.ts';
import styles from '#web/ui/overlay/Modal.module.css';
import { holdPage } from '#web/browser/router/navigation.ts';
import { classes } from '#web/ui/classes.ts';
import { enterTopLayer, isTopmost } from '#web/ui/overlay/topLayer.ts';

type Props = {
  open: boolean;
  /** Asked to close: Escape, the backdrop, the button. */
  onClose: () => void;
  title: ReactNode;
  /** 360, 560 (default), 760 and 1000 px. */
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** Beside the button that closes it. */
  tools?: ReactNode;
  /** Stays at the foot while the content scrolls: the actions. */
  footer?: ReactNode;
  /**
   * `modal` fills a phone's screen; `sheet` comes from below there, as high as its content: a question,
   * a few choices. `drawer` comes from the right and is as high as the screen.
   */
  shape?: 'modal' | 'sheet' | 'drawer';
  role?: 'dialog' | 'alertdialog';
  /** Open because the address says so: Back leads to the page without it. Back asks all others to close. */
  addressed?: boolean;
  children: ReactNode;
};

/**
 * A dialog over the page, by the browser's own `<dialog>`: what is behind is inert, the focus goes
 * to `[autofocus]` or the first control and returns to what opened it. Content is there only
 * while it is open, so its state starts afresh each time.
 */
export function Modal({ open, onClose, shape = 'modal', size = 'md', ...rest }: Props) {
  const { title, tools, footer, role, addressed = false, children } = rest;
  const titleId = useId();
  const { dialog, float, handlers } = useDialog(open, onClose, addressed);
  if (!open) return null;
  return (
    // The backdrop is the dialog itself; for keys there are Escape and the button.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      role={role}
      className={classes(styles['dialog'], styles[shape], styles[size])}
      aria-labelledby={titleId}
      aria-describedby={role === 'alertdialog' ? `${titleId}-words` : undefined}
      {...handlers}
    >
      <div className={styles['box']}>
        <div className={styles['head']}>
          <h2 id={titleId} className={styles['title']}>
            {title}
          </h2>
          {tools && <div className={styles['tools']}>{tools}</div>}
          <button type="button" className={styles['close']} aria-label="Tutup" onClick={onClose}>
            <X size={20} aria-hidden="true" />
          </button>
        </div>
        <div id={`${titleId}-words`} className={styles['body']}>
          {children}
        </div>
        {footer && <div className={styles['foot']}>{footer}</div>}
      </div>
      {/* Menus and toasts stand here, outside the dialog's own layout. */}
      <div ref={float} className={styles['float']} />
    </dialog>
  );
}

/** Shows the dialog while it is open, and handles every request to close it. */
function useDialog(open: boolean, onClose: () => void, addressed: boolean) {
  const dialog = useRef<HTMLDialogElement>(null);
  const float = useRef<HTMLDivElement>(null);
  const asking = useRef(onClose);
  useEffect(() => {
    asking.current = onClose;
  });
  useEffect(() => {
    const shown = dialog.current;
    if (!open || !shown) return;
    const place = float.current ?? shown;
    const opener = document.activeElement;
    const leave = enterTopLayer(place);
    if (!shown.open) shown.showModal();
    // Before the browser: it would ask once, and the second time just close it.
    const escape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || !isTopmost(place)) return;
      event.preventDefault();
      asking.current();
    };
    // It may close a dialog without asking all the same; whoever does not follow gets it back.
    const closed = () => {
      if (shown.open) return;
      asking.current();
      requestAnimationFrame(() => {
        if (shown.isConnected && !shown.open) shown.showModal();
      });
    };
    document.addEventListener('keydown', escape);
    shown.addEventListener('close', closed);
    return () => {
      document.removeEventListener('keydown', escape);
      shown.removeEventListener('close', closed);
      leave();
      shown.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, [open]);
  const holds = open && !addressed;
  useEffect(() => (holds ? holdPage(() => asking.current()) : undefined), [holds]);
  const handlers = {
    // A phone's way back.
    onCancel: (event: SyntheticEvent) => {
      if (event.target !== dialog.current) return;
      event.preventDefault();
      onClose();
    },
    // On the press, not the click: dragging a selection out of the dialog must not close it.
    onPointerDown: (event: PointerEvent) => {
      if (event.target !== dialog.current || event.button !== 0) return;
      endPress();
      onClose();
    },
  };
  return { dialog, float, handlers };
}

/** A sheet from the right for the details of a row; the whole screen on phones. */
export const Drawer = (props: Omit<Props, 'shape'>) => <Modal {...props} shape="drawer" />;
