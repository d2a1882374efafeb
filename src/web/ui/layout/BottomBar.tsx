import { usePathname } from '#web/browser/router/Router.tsx';
import { Ellipsis } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import styles from '#web/ui/layout/navigation.module.css';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { classes } from '#web/ui/classes.ts';
import { splitForBar } from '#web/ui/menu/menus.ts';
import {
  entriesOf,
  MenuAnchor,
  useCurrentHref,
  type MenuEntry,
  type MenuFolder,
} from '#web/ui/layout/Sidebar.tsx';
import { CountBadge } from '#web/ui/status/CountBadge.tsx';

/** The maximum on 320 px. */
const PLACES = 5;

type Props = {
  label: string;
  /** The sidebar's menu; folders are flattened. */
  menu: readonly (MenuEntry | MenuFolder)[];
  /** Below the other entries in the sheet; forces a sheet even with few entries. */
  more?: ReactNode;
};

/** The menu of phones, below 768 px: five entries, or four and a sheet with the others. */
export function BottomBar({ label, menu, more }: Props) {
  const entries = entriesOf(menu);
  const current = useCurrentHref(entries);
  const { shown, rest } = splitForBar(entries, PLACES, more !== undefined);
  return (
    <nav
      aria-label={label}
      className={classes('border-t surface below-768', styles['bar'])}
      data-fixed
    >
      <ul className={classes('grid', styles['places'])}>
        {shown.map(({ href, phoneHref = href, label: word, short = word, Icon, badge }) => (
          <li key={href}>
            <MenuAnchor
              href={phoneHref}
              current={href === current}
              className={classes(
                'column align-center justify-center gap-4 w-full tiny muted strong no-underline relative ring-inset',
                styles['place'],
              )}
            >
              <Icon size={20} aria-hidden="true" />
              <span>{short}</span>
              <CountBadge className={styles['badge']}>{badge}</CountBadge>
            </MenuAnchor>
          </li>
        ))}
        {(rest.length > 0 || more) && (
          <li>
            <More rest={rest} current={current}>
              {more}
            </More>
          </li>
        )}
      </ul>
    </nav>
  );
}

type MoreProps = {
  rest: readonly MenuEntry[];
  current: string | undefined;
  children: ReactNode;
};

function More({ rest, current, children }: MoreProps) {
  const [open, setOpen] = useSheet();
  const holds = rest.some(({ href }) => href === current);
  return (
    <>
      <button
        type="button"
        className={classes(
          'column align-center justify-center gap-4 w-full tiny muted strong no-underline relative ring-inset',
          styles['place'],
          holds && styles['holds'],
        )}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <Ellipsis size={20} />
        <span>Lainnya</span>
        {rest.map(
          ({ href, badge }) =>
            badge && (
              <CountBadge key={href} className={styles['badge']}>
                {badge}
              </CountBadge>
            ),
        )}
      </button>
      <Modal open={open} onClose={() => setOpen(false)} title="Lainnya" size="sm" shape="sheet">
        {rest.length > 0 && (
          <ul className={classes('grid gap-2', styles['rest'])}>
            {rest.map(({ href, phoneHref = href, label, Icon, badge }) => (
              <li key={href}>
                <MenuAnchor
                  href={phoneHref}
                  current={href === current}
                  className="row gap-12 min-h-44 px-12 rounded ink strong no-underline hover selectable"
                  onClick={() => setOpen(false)}
                >
                  <Icon size={20} aria-hidden="true" />
                  <span>{label}</span>
                  <CountBadge className="ms-auto">{badge}</CountBadge>
                </MenuAnchor>
              </li>
            ))}
          </ul>
        )}
        {children}
      </Modal>
    </>
  );
}

/**
 * The state of a sheet on phones. It closes on navigation, and on wide screens: there it would be hidden, with the page
 * behind it inert.
 */
export function useSheet(): [boolean, (open: boolean) => void] {
  const [open, setOpen] = useState(false);
  const page = usePathname();
  useEffect(() => setOpen(false), [page]);
  useEffect(() => {
    if (!open) return;
    const wide = window.matchMedia('(min-width: 768px)');
    const look = () => setOpen(!wide.matches);
    wide.addEventListener('change', look);
    return () => wide.removeEventListener('change', look);
  }, [open]);
  return [open, setOpen];
}
