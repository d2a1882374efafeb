import { createLink } from '#web/browser/router/Link.tsx';
import {
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentPropsWithRef,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { classes } from '#web/ui/classes.ts';
import { scrollRow, useScrollRow } from '#web/ui/layout/useScrollRow.ts';
import { stepRound } from '#web/ui/menu/menus.ts';
import styles from '#web/ui/tabs/Tabs.module.css';

export type Tab = { value: string; label: ReactNode; content: ReactNode };

type Props = {
  /** The accessible name of the tab list. */
  label: string;
  tabs: readonly Tab[];
  value: string;
  onChange: (value: string) => void;
};

/** Tabs inside a page or a drawer. For views with an address use `TabLinks`. */
export function Tabs({ label, tabs, value, onChange }: Props) {
  const id = useId();
  const list = useScrollRow<HTMLDivElement>();
  const selected = tabs.findIndex((tab) => tab.value === value);
  // An unknown value selects no tab; the first is the tab stop then.
  const stop = Math.max(0, selected);
  const keys = (event: KeyboardEvent) => {
    const to = nextTab(event, stop, tabs.length);
    const tab = to === undefined ? undefined : tabs[to];
    if (to === undefined || !tab) return;
    event.preventDefault();
    onChange(tab.value);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]').item(to).focus();
  };
  return (
    <div>
      {/* Keys bubble from the tabs, one of which is focusable. */}
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus */}
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className={classes(styles['list'], scrollRow)}
        onKeyDown={keys}
      >
        {tabs.map((tab, index) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-${index}-tab`}
            aria-selected={index === selected}
            aria-controls={`${id}-${index}`}
            tabIndex={index === stop ? 0 : -1}
            className={classes(
              'inline-flex align-center gap-8 flex-none px-12 muted strong no-underline relative hover-text ring-inset',
              styles['tab'],
            )}
            onClick={() => onChange(tab.value)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      {tabs.map((tab, index) => (
        <Panel
          key={tab.value}
          id={`${id}-${index}`}
          label={`${id}-${index}-tab`}
          shown={index === selected}
        >
          {tab.content}
        </Panel>
      ))}
    </div>
  );
}

function nextTab({ key }: KeyboardEvent, from: number, count: number): number | undefined {
  if (key === 'ArrowRight') return stepRound(from, 1, count);
  if (key === 'ArrowLeft') return stepRound(from, -1, count);
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return undefined;
}

const reachable =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, audio[controls], video[controls], [tabindex]:not([tabindex="-1"])';

type PanelProps = { id: string; label: string; shown: boolean; children: ReactNode };

/** A tab stop only if its content has none, so that it can always be scrolled by keys. */
function Panel({ id, label, shown, children }: PanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const [empty, setEmpty] = useState(false);
  useLayoutEffect(() => {
    const place = panel.current;
    if (!shown || !place) return;
    const look = () => setEmpty(place.querySelector(reachable) === null);
    look();
    const watcher = new MutationObserver(look);
    watcher.observe(place, {
      subtree: true,
      childList: true,
      attributeFilter: ['disabled', 'href', 'tabindex'],
    });
    return () => watcher.disconnect();
  }, [shown]);
  return (
    <div
      ref={panel}
      role="tabpanel"
      id={id}
      aria-labelledby={label}
      hidden={!shown}
      tabIndex={empty ? 0 : undefined}
      className={styles['panel']}
    >
      {shown && children}
    </div>
  );
}

/** A row of views with addresses: put `TabLink`s inside. */
export const TabLinks = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav
    ref={useScrollRow<HTMLElement>()}
    className={classes(styles['list'], scrollRow)}
    aria-label={label}
  >
    {children}
  </nav>
);

type AnchorProps = ComponentPropsWithRef<'a'> & {
  current: boolean;
};

const Anchor = ({ current, children, ...rest }: AnchorProps) => (
  <a
    {...rest}
    aria-current={current ? 'page' : undefined}
    className={classes(
      'inline-flex align-center gap-8 flex-none px-12 muted strong no-underline relative hover-text ring-inset',
      styles['tab'],
    )}
  >
    {children}
  </a>
);

/** One view: `to` and `search` as links have them. */
export const TabLink = createLink(Anchor);
