import { createLink } from '#web/browser/router/Link.tsx';
import { usePathname } from '#web/browser/router/Router.tsx';
import { ChevronDown, PanelLeftClose, PanelLeftOpen, type LucideIcon } from 'lucide-react';
import { useId, useState, type ComponentPropsWithRef, type ReactNode } from 'react';
import { classes } from '#web/ui/classes.ts';
import { currentHref } from '#web/ui/menu/menus.ts';
import styles from '#web/ui/layout/navigation.module.css';
import { useMedia } from '#web/ui/layout/useMedia.ts';
import { Tooltip } from '#web/ui/overlay/Tooltip.tsx';
import { CountBadge } from '#web/ui/status/CountBadge.tsx';

export type MenuEntry = {
  /** A path of the app. */
  href: string;
  /** The address that the bar of phones opens instead. */
  phoneHref?: string;
  label: string;
  short?: string;
  Icon: LucideIcon;
  /** A short count after the text, or on the icon's corner; nothing hides it. */
  badge?: ReactNode;
};

export type MenuFolder = {
  label: string;
  Icon: LucideIcon;
  entries: readonly MenuEntry[];
  /** Open initially on every page. */
  open?: boolean;
};

export const entriesOf = (menu: readonly (MenuEntry | MenuFolder)[]): readonly MenuEntry[] =>
  menu.flatMap((one) => ('href' in one ? [one] : one.entries));

export function useCurrentHref(entries: readonly MenuEntry[]): string | undefined {
  const path = usePathname();
  const hrefs = entries.map(({ href }) => href);
  return currentHref(path, hrefs);
}

/** The chosen width of the menu; undefined: by the available room. */
export type SidebarWidth = 'wide' | 'icons' | undefined;

type Props = {
  label: string;
  menu: readonly (MenuEntry | MenuFolder)[];
  /** Stored by the owner; without a choice it is icons below 1024 px. */
  width: SidebarWidth;
  onWidth: (width: SidebarWidth) => void;
  /** Above the entries and at the foot; adapt by `@container (max-width: 100px)`. */
  head?: ReactNode;
  /** A function receives whether the menu shows icons only. */
  foot?: ReactNode | ((icons: boolean) => ReactNode);
};

/** The menu beside the page from 768 px on: 232 px wide, or 64 px of icons. Phones have `BottomBar`. */
export function Sidebar({ label, menu, width, onWidth, head, foot }: Props) {
  const roomy = useHasRoomForMenu();
  const icons = (width ?? (roomy ? 'wide' : 'icons')) === 'icons';
  const current = useCurrentHref(entriesOf(menu));
  const name = icons ? 'Bentangkan menu' : 'Ciutkan menu';
  const id = useId();
  return (
    <nav
      aria-label={label}
      className={classes(
        'column flex-none sunken from-768 container',
        styles['sidebar'],
        icons && styles['icons'],
      )}
    >
      <div className={classes('gap-8', icons ? 'column align-center' : 'row justify-between')}>
        {head}
        <Tooltip text={name} off={!icons}>
          <button
            type="button"
            className={classes(
              'place-center flex-none faint rounded hover-line-ink touch-square',
              icons ? 'size-40' : 'size-32',
            )}
            aria-label={name}
            aria-expanded={!icons}
            aria-controls={id}
            onClick={() => onWidth(icons ? 'wide' : 'icons')}
          >
            {icons ? <PanelLeftOpen size={18} /> : <PanelLeftClose size={18} />}
          </button>
        </Tooltip>
      </div>
      <ul id={id} className="stack gap-2 mt-20">
        {menu.map((one) =>
          'href' in one ? (
            <Item key={one.href} entry={one} current={current === one.href} icons={icons} />
          ) : (
            <Folder key={one.label} folder={one} current={current} icons={icons} />
          ),
        )}
      </ul>
      {foot && (
        <div className={classes(icons && 'justify-items-center', styles['foot'])}>
          {typeof foot === 'function' ? foot(icons) : foot}
        </div>
      )}
    </nav>
  );
}

const useHasRoomForMenu = (): boolean => useMedia('(min-width: 1024px)');

type ItemProps = { entry: MenuEntry; current: boolean; icons: boolean };

const Item = ({ entry: { href, label, Icon, badge }, current, icons }: ItemProps) => (
  <li ref={current ? showInMenu : undefined}>
    <Tooltip text={label} off={!icons}>
      <MenuAnchor
        href={href}
        current={current}
        className={classes(
          'row gap-10 w-full min-h-36 px-12 rounded muted strong no-underline relative hover-line-ink ring-inset touch',
          styles['link'],
        )}
      >
        <Icon size={20} aria-hidden="true" />
        <span className={classes('min-w-0 truncate', styles['word'], icons && 'sr-only')}>
          {label}
        </span>
        <CountBadge className={styles['sidebarBadge']}>{badge}</CountBadge>
      </MenuAnchor>
    </Tooltip>
  </li>
);

/** Scrolls only the menu, until the entry is clear of its foot. */
function showInMenu(entry: HTMLElement | null): void {
  const menu = entry?.closest('nav');
  if (!entry || !menu) return;
  const { top, bottom } = menu.getBoundingClientRect();
  const foot = menu.querySelector(`.${styles['foot']}`)?.getBoundingClientRect().top ?? bottom;
  const { top: begin, bottom: end } = entry.getBoundingClientRect();
  const below = end - Math.min(foot, bottom);
  if (below > 0) menu.scrollTop += below + ROOM_PX;
  else if (begin < top) menu.scrollTop -= top - begin + ROOM_PX;
}

/** The margin of an entry scrolled into view, in px; shows that another follows. */
const ROOM_PX = 24;

type FolderProps = { folder: MenuFolder; current: string | undefined; icons: boolean };

/** A collapsible folder; initially open if it contains the current page. */
function Folder({ folder, current, icons }: FolderProps) {
  const { label, Icon, entries, open: opened = false } = folder;
  const holds = entries.some(({ href }) => href === current);
  const [open, setOpen] = useState(holds || opened);
  const id = useId();
  return (
    <li>
      <Tooltip text={label} off={!icons}>
        <button
          type="button"
          className={classes(
            'row gap-10 w-full min-h-36 px-12 rounded muted strong no-underline relative hover-line-ink ring-inset touch',
            styles['link'],
            holds && !open && styles['sidebarHolds'],
          )}
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          <Icon size={20} aria-hidden="true" />
          <span className={classes('min-w-0 truncate', styles['word'], icons && 'sr-only')}>
            {label}
          </span>
          <ChevronDown size={16} className={classes('chevron ms-auto', styles['chevron'])} />
        </button>
      </Tooltip>
      <ul id={id} hidden={!open} className={classes('stack gap-2 mt-2 ps-12', styles['nested'])}>
        {entries.map((entry) => (
          <Item key={entry.href} entry={entry} current={current === entry.href} icons={icons} />
        ))}
      </ul>
    </li>
  );
}

type AnchorProps = ComponentPropsWithRef<'a'> & { current: boolean };

/** Marks the current entry explicitly: the router would mark every parent too. */
const Anchor = ({ current, children, ...rest }: AnchorProps) => (
  <a {...rest} aria-current={current ? 'page' : undefined}>
    {children}
  </a>
);

/** A menu link, for the sidebar and the bar of phones. */
export const MenuAnchor = createLink(Anchor);
