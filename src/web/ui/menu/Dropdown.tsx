import { createLink } from '#web/browser/router/Link.tsx';
import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentPropsWithRef,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import styles from '#web/ui/menu/Dropdown.module.css';
import { float, keepFocusInPress } from '#web/ui/overlay/floating.ts';
import { classes } from '#web/ui/classes.ts';
import { entryTyped, placeMenu, stepRound } from '#web/ui/menu/menus.ts';

/** Letters typed within this time of each other are one word. */
const TYPING_MS = 500;

export type DropdownTrigger = {
  ref: RefObject<HTMLButtonElement | null>;
  'aria-haspopup': 'menu';
  'aria-expanded': boolean;
  'aria-controls': string | undefined;
  onClick: (event: MouseEvent) => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

type Props = {
  label: string;
  /** The button: `(props) => <Button {...props}>Tindakan</Button>`. */
  trigger: (props: DropdownTrigger) => ReactNode;
  align?: 'start' | 'end';
  /** `MenuButton`, `MenuLink`, `MenuGroup` and `MenuSeparator`. */
  children: ReactNode;
};

/** The initial focus of an opened menu; `menu` when opened by a pointer. */
type Opened = 'first' | 'last' | 'menu';

/** A button with a menu of actions. The entries are rendered only while it is open. */
export function Dropdown({ label, trigger, align = 'start', children }: Props) {
  const [opened, setOpened] = useState<Opened>();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const close = (focus = true) => {
    if (focus) button.current?.focus({ preventScroll: true });
    setOpened(undefined);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    event.stopPropagation();
    setOpened(event.key === 'ArrowDown' ? 'first' : 'last');
  };
  const click = (event: MouseEvent) => {
    event.stopPropagation();
    if (opened) return close();
    // Enter and Space click without a pointer's press.
    setOpened(event.detail === 0 ? 'first' : 'menu');
  };
  return (
    <>
      {trigger({
        ref: button,
        'aria-haspopup': 'menu',
        'aria-expanded': opened !== undefined,
        'aria-controls': opened && id,
        onClick: click,
        onKeyDown: keys,
      })}
      {opened && (
        <Menu id={id} label={label} align={align} opened={opened} button={button} onClose={close}>
          {children}
        </Menu>
      )}
    </>
  );
}

type MenuProps = {
  id: string;
  label: string;
  align: 'start' | 'end';
  opened: Opened;
  button: RefObject<HTMLButtonElement | null>;
  /** Restores the focus unless `focus` is false. */
  onClose: (focus?: boolean) => void;
  children: ReactNode;
};

const entriesOf = (menu: HTMLElement | null): readonly HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)') ?? []),
];

function Menu({ id, label, align, opened, button, onClose, children }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useFloating({ menu, button, align, opened, onClose });
  const keys = useMenuKeys(menu, onClose);
  const leave = (event: FocusEvent) => {
    const to = event.relatedTarget;
    if (!(to instanceof Node) || to === button.current || menu.current?.contains(to)) return;
    onClose(false);
  };
  return (
    // The entries are the controls; their events are for the menu alone.
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
    <div
      ref={menu}
      id={id}
      role="menu"
      aria-label={label}
      tabIndex={-1}
      popover="manual"
      className={classes('popover scroll-y p-6 ink no-outline', styles['menu'])}
      onKeyDown={keys}
      onBlur={leave}
      onClick={(event) => {
        event.stopPropagation();
        if (event.target instanceof Element && event.target.closest('[role="menuitem"]')) onClose();
      }}
    >
      {children}
    </div>
  );
}

type Floating = Pick<MenuProps, 'align' | 'opened' | 'button' | 'onClose'> & {
  menu: RefObject<HTMLDivElement | null>;
};

function useFloating({ menu, button, align, opened, onClose }: Floating): void {
  const closing = useRef(onClose);
  useEffect(() => {
    closing.current = onClose;
  });
  useLayoutEffect(() => {
    const shown = menu.current;
    const anchor = button.current;
    if (!shown || !anchor) return;
    shown.style.setProperty('min-width', `${anchor.offsetWidth}px`);
    const stop = float(
      anchor,
      shown,
      (box, size, view) => placeMenu(box, size, view, { align }),
      () => closing.current(),
    );
    const entries = entriesOf(shown);
    const to = opened === 'menu' ? shown : entries.at(opened === 'first' ? 0 : -1);
    (to ?? shown).focus({ preventScroll: true });
    const press = (event: globalThis.PointerEvent) => {
      const { target } = event;
      if (!(target instanceof Node) || shown.contains(target) || anchor.contains(target)) return;
      keepFocusInPress();
      closing.current();
    };
    document.addEventListener('pointerdown', press, { capture: true });
    return () => {
      stop();
      document.removeEventListener('pointerdown', press, { capture: true });
    };
  }, [menu, button, align, opened]);
}

/** Arrow keys that wrap, Home and End, letters; Escape and Tab close. */
function useMenuKeys(menu: RefObject<HTMLDivElement | null>, onClose: () => void) {
  const typed = useRef({ text: '', at: -TYPING_MS });
  return (event: KeyboardEvent) => {
    const { key } = event;
    const entries = entriesOf(menu.current);
    const current = entries.findIndex((entry) => entry === document.activeElement);
    const handled = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    const go = (to: number) => {
      handled();
      entries[to]?.focus();
    };
    // The focus is back on the button, and Tab continues from there.
    if (key === 'Tab') return onClose();
    if (key === 'Escape') {
      handled();
      return onClose();
    }
    if (key === 'ArrowDown') return go(stepRound(current, 1, entries.length));
    if (key === 'ArrowUp') return go(stepRound(current, -1, entries.length));
    if (key === 'Home') return go(0);
    if (key === 'End') return go(entries.length - 1);
    const now = performance.now();
    const typing = now - typed.current.at < TYPING_MS;
    if (key === ' ' && !typing) {
      handled();
      return entries[current]?.click();
    }
    if ([...key].length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    const text = (typing ? typed.current.text : '') + key;
    typed.current = { text, at: now };
    const labels = entries.map(({ textContent }) => textContent);
    go(entryTyped(labels, current, text));
  };
}

type Look = {
  /** Before the label (a lucide icon at `size={18}`). */
  icon?: ReactNode;
  /** `danger` for irreversible actions. */
  tone?: 'danger';
};

/** The pointer and the keys share one highlight: the focus. */
const follow = (event: PointerEvent<HTMLElement>) => {
  if (event.pointerType === 'mouse') event.currentTarget.focus({ preventScroll: true });
};

const look = (tone: Look['tone']) =>
  classes(
    'row gap-10 w-full min-h-36 rounded leading-ui text-start no-underline pointer touch ring-inset',
    styles['item'],
    tone && styles[tone],
  );

type MenuButtonProps = Look & {
  onClick: () => void;
  /** Skipped by keys, ignored by pointers. */
  disabled?: boolean;
  children: ReactNode;
};

/** An action. The menu closes first, with the focus back on its button. */
export const MenuButton = ({ icon, tone, onClick, disabled, children }: MenuButtonProps) => (
  <button
    type="button"
    role="menuitem"
    tabIndex={-1}
    className={look(tone)}
    disabled={disabled}
    onClick={onClick}
    onPointerMove={follow}
  >
    {icon}
    <span className="min-w-0">{children}</span>
  </button>
);

const Anchor = ({ icon, tone, children, ...rest }: Look & ComponentPropsWithRef<'a'>) => (
  <a {...rest} role="menuitem" tabIndex={-1} className={look(tone)} onPointerMove={follow}>
    {icon}
    <span className="min-w-0">{children}</span>
  </a>
);

/** A link: `to`, `search` and `params` as the router has them. */
export const MenuLink = createLink(Anchor);

export function MenuGroup({ label, children }: { label: string; children: ReactNode }) {
  const id = useId();
  return (
    <div role="group" aria-labelledby={id}>
      <div id={id} className={classes('tiny faint strong', styles['label'])} role="presentation">
        {label}
      </div>
      {children}
    </div>
  );
}

export const MenuSeparator = () => <hr className={styles['separator']} />;
