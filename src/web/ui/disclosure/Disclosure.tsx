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
  /** Closes it; the focus goes back to the button when `focus` is asked for. */
  close: (options?: { focus?: boolean }) => void;
  /** For the element around the button and what it shows. */
  place: {
    ref: RefObject<HTMLDivElement | null>;
    onKeyDown: (event: KeyboardEvent) => void;
    onPointerDown: () => void;
  };
  /** For the button, which stands before the content. */
  toggle: {
    ref: RefObject<HTMLButtonElement | null>;
    type: 'button';
    'aria-expanded': boolean;
    'aria-controls': string;
    onClick: () => void;
  };
  /** For the element that is shown and hidden: `data-open` while it is open. */
  content: { id: string; 'data-open': true | undefined };
};

/**
 * A button that shows tools: closes on Escape (the focus goes back), on a press outside and on another
 * page. Menus and dialogs that a tool opened are not outside, wherever they stand in the page.
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
    // The press that opened it is over.
    inside.current = false;
    const press = (event: PointerEvent) => {
      // React's events come up through what it has put elsewhere in the page, and come first.
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
    // A dialog around it stays.
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
  /** What the button shows, for screen readers: 'Alat halaman', 'Lampiran'. */
  label: string;
  /** The button's icon; an X while it is open. */
  icon: ReactNode;
  /** Looks of the three parts. What is closed is hidden by them: the content has `data-open` while it is open. */
  className?: string | undefined;
  toggleClass?: string | undefined;
  contentClass?: string | undefined;
  /** The tools; a function is given what closes them. */
  children: ReactNode | ((close: Toggled['close']) => ReactNode);
};

/** The tools behind a button: of a page's head, of the composer. */
export function Disclosure({ label, icon, children, ...look }: Props) {
  const { open, close, place, toggle, content } = useToggled();
  return (
    // Escape anywhere inside; the button does the same for pointers.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div {...place} className={look.className}>
      <button {...toggle} className={look.toggleClass} aria-label={label}>
        {open ? <X size={20} aria-hidden="true" /> : icon}
      </button>
      <div {...content} className={look.contentClass}>
        {typeof children === 'function' ? children(close) : children}
      </div>
    </div>
  );
}
