import { usePathname } from '#web/browser/router/Router.tsx';
import { X } from 'lucide-react';
import {
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';

type Toggled = {
  open: boolean;
  /** Closes it; with `focus` the button takes the focus. */
  close: (options?: { focus?: boolean }) => void;
  place: {
    ref: RefObject<HTMLDivElement | null>;
    onKeyDown: (event: KeyboardEvent) => void;
    onPointerDown: () => void;
  };
  toggle: {
    ref: RefObject<HTMLButtonElement | null>;
    type: 'button';
    'aria-expanded': boolean;
    'aria-controls': string;
    onClick: () => void;
  };
  /** For the content: `data-open` while it is open. */
  content: { id: string; 'data-open': true | undefined };
};

/**
 * A button that toggles tools: closes on Escape (which restores the focus), on a press outside and on navigation. Menus
 * and dialogs that a tool opened count as inside, wherever they are in the DOM.
 */
export function useToggled(): Toggled {
  const [open, setOpen] = useState(false);
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const inside = useRef(false);
  const page = usePathname();
  useEffect(() => setOpen(false), [page]);
  useEffect(() => {
    if (!open) return;
    inside.current = false;
    const press = (event: PointerEvent) => {
      // React events bubble through portals, and arrive before native ones.
      const within = inside.current;
      inside.current = false;
      const dialog = event.target instanceof Element && event.target.closest('dialog');
      if (within || (dialog && !dialog.contains(place.current))) return;
      setOpen(false);
    };
    document.addEventListener('pointerdown', press);
    return () => document.removeEventListener('pointerdown', press);
  }, [open]);
  const close = ({ focus = false } = {}) => {
    setOpen(false);
    if (focus) button.current?.focus();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open || event.defaultPrevented) return;
    // Keeps a surrounding dialog open.
    event.preventDefault();
    close({ focus: true });
  };
  const pressed = () => {
    inside.current = true;
  };
  return {
    open,
    close,
    place: { ref: place, onKeyDown: keys, onPointerDown: pressed },
    toggle: {
      ref: button,
      type: 'button',
      'aria-expanded': open,
      'aria-controls': id,
      onClick: () => setOpen(!open),
    },
    content: { id, 'data-open': open || undefined },
  };
}

type Props = {
  label: string;
  /** The button's icon; an X while it is open. */
  icon: ReactNode;
  /** Classes of the three parts. They must hide the closed content, which has `data-open` while it is open. */
  className?: string | undefined;
  toggleClass?: string | undefined;
  contentClass?: string | undefined;
  children: ReactNode | ((close: Toggled['close']) => ReactNode);
};

/** Tools behind a button: in a page's head, in the composer. */
export function Disclosure({ label, icon, children, ...look }: Props) {
  const { open, close, place, toggle, content } = useToggled();
  return (
    // Escape anywhere inside; the button does the same for pointers.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div {...place} className={look.className}>
      <button {...toggle} className={look.toggleClass} aria-label={label}>
        {open ? <X size={20} /> : icon}
      </button>
      <div {...content} className={look.contentClass}>
        {typeof children === 'function' ? children(close) : children}
      </div>
    </div>
  );
}
