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
import { focusHeading } from '#web/ui/layout/pageHeading.ts';
import { enterTopLayer, isTopmost, showInTurn } from '#web/ui/overlay/topLayer.ts';

type Props = {
  open: boolean;
  /** Requested by Escape, the backdrop or the button. */
  onClose: () => void;
  title: ReactNode;
  /** 360, 560 (default), 760 and 1000 px. */
  size?: 'sm' | 'md' | 'lg' | 'xl';
  tools?: ReactNode;
  /** Fixed at the bottom while the content scrolls: the actions. */
  footer?: ReactNode;
  /**
   * On phones, `modal` fills the screen and `sheet` slides in from the bottom with the height of its content. `drawer`
   * slides in from the right, as high as the screen.
   */
  shape?: 'modal' | 'sheet' | 'drawer';
  role?: 'dialog' | 'alertdialog';
  /** Open by its address: Back leads to the page without it. Otherwise Back requests closing. */
  addressed?: boolean;
  /** Others that open meanwhile appear once this one has closed: they would take the focus of a person who types. */
  holds?: boolean;
  children: ReactNode;
};

/**
 * A modal dialog by the browser's `<dialog>`: the page behind is inert, the focus goes to `[autofocus]`, the first
 * field of its form, or the first control, and returns to the opener. Content is rendered only while it is open, so its state starts anew each time.
 */
export function Modal({ open, onClose, shape = 'modal', size = 'md', ...rest }: Props) {
  const { title, tools, footer, role, addressed = false, holds = false, children } = rest;
  const titleId = useId();
  const { dialog, float, handlers } = useDialog(open, onClose, addressed, holds);
  if (!open) return null;
  return (
    // The backdrop is the dialog itself; keyboards use Escape and the button.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      role={role}
      className={classes(styles['dialog'], styles[shape], styles[size])}
      aria-labelledby={titleId}
      aria-describedby={role === 'alertdialog' ? `${titleId}-words` : undefined}
      {...handlers}
    >
      <div className={classes('column min-h-0 w-full border raised', styles['box'])}>
        <div className={classes('flex gap-16', styles['head'])}>
          <h2 id={titleId} className="grow py-4 title">
            {title}
          </h2>
          {tools && <div className={classes('flex flex-none', styles['tools'])}>{tools}</div>}
          <button
            type="button"
            className={classes(
              'place-center size-36 flex-none rounded faint hover-ink',
              styles['close'],
            )}
            aria-label="Tutup"
            onClick={onClose}
          >
            <X size={20} />
          </button>
        </div>
        <div id={`${titleId}-words`} className={classes('scroll-y relative grow', styles['body'])}>
          {children}
        </div>
        {footer && (
          <div
            className={classes(
              'flex wrap justify-end gap-8 border-t stretch-below-480',
              styles['foot'],
            )}
          >
            {footer}
          </div>
        )}
      </div>
      {/* Menus and toasts float here, outside the dialog's layout. */}
      <div ref={float} className={styles['float']} />
    </dialog>
  );
}

function useDialog(open: boolean, onClose: () => void, addressed: boolean, holds: boolean) {
  const dialog = useRef<HTMLDialogElement>(null);
  const float = useRef<HTMLDivElement>(null);
  const asking = useRef(onClose);
  useEffect(() => {
    asking.current = onClose;
  });
  useEffect(() => {
    const shown = dialog.current;
    if (!open || !shown) return;
    const ask = () => asking.current();
    return showInTurn(() => {
      const letBack = addressed ? undefined : holdPage(ask);
      const hide = showDialog(shown, float.current ?? shown, ask);
      return () => {
        letBack?.();
        hide();
      };
    }, holds);
  }, [open, addressed, holds]);
  const handlers = {
    // A phone's Back gesture.
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

/** @returns the function that hides it, and restores the focus */
function showDialog(shown: HTMLDialogElement, place: HTMLElement, ask: () => void): () => void {
  const opener = document.activeElement;
  const neighbour = neighbourOf(opener);
  const leave = enterTopLayer(place);
  startInForm(shown);
  if (!shown.open) shown.showModal();
  // Before the browser, which would ask once and then close it.
  const escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || !isTopmost(place)) return;
    event.preventDefault();
    ask();
  };
  // The browser may still close a dialog; reopen it unless the owner agrees.
  const closed = () => {
    if (shown.open) return;
    ask();
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
    if (opener instanceof HTMLElement) returnFocus(opener, neighbour);
  };
}

const controlsIn = (row: Element | null): HTMLElement[] => [
  ...(row?.querySelectorAll<HTMLElement>('button:enabled, a[href]') ?? []),
];

/** @returns finds the same control of the next row, else of the one before, after the control's row has gone */
function neighbourOf(control: Element | null): () => HTMLElement | undefined {
  const row = control?.closest('tr, li') ?? null;
  const place = controlsIn(row).findIndex((one) => one === control);
  const rows = [...(row?.parentElement?.children ?? [])];
  const here = rows.findIndex((one) => one === row);
  const others = [...rows.slice(here + 1), ...rows.slice(0, here).reverse()];
  return () =>
    others
      .filter((one) => one.isConnected)
      .map((one) => controlsIn(one)[place])
      .find((one) => one !== undefined);
}

/** Focuses the first control of the open dialog, else the page's heading. */
function focusBeginning(): void {
  const dialog = [...document.querySelectorAll('dialog:modal')].at(-1);
  if (dialog) dialog.querySelector('button')?.focus();
  else focusHeading();
}

/** Focuses the opener; once it has gone with what the dialog deleted, its neighbour, else the beginning. */
function returnFocus(opener: HTMLElement, neighbour: () => HTMLElement | undefined): void {
  opener.focus();
  const watcher = new MutationObserver(() => {
    const { activeElement: current, body } = document;
    if (current === opener) return;
    watcher.disconnect();
    if (opener.isConnected || current !== body) return;
    const next = neighbour();
    if (next) next.focus();
    else focusBeginning();
  });
  watcher.observe(document.body, { childList: true, subtree: true });
}

/**
 * Focuses the first text field of a form once the dialog opens. Not on touch devices, where the keyboard would cover
 * the rest, and not in a drawer, whose forms are below its details.
 */
function startInForm(shown: HTMLDialogElement): void {
  const isFine = window.matchMedia('(pointer: fine)').matches;
  if (!isFine || shown.matches(`.${styles['drawer']}, :has([autofocus])`)) return;
  // `<dialog>` looks for the attribute, which React does not render.
  shown
    .querySelector('form :is(textarea, input:not([type=radio], [type=checkbox], [type=file]))')
    ?.setAttribute('autofocus', '');
}

/** A sheet from the right for the details of a row; the whole screen on phones. */
export const Drawer = (props: Omit<Props, 'shape'>) => <Modal {...props} shape="drawer" />;
