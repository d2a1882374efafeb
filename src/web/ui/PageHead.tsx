import { EllipsisVertical, X } from 'lucide-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import styles from '#web/ui/PageHead.module.css';
import { PageTitle } from '#web/ui/PageTitle.tsx';
import { classes } from '#web/ui/rules/classes.ts';

type Props = {
  /** The page's h1; also the tab's title, before the product's name. */
  title: string;
  /** One line of context under it. */
  context?: ReactNode;
  /** The page's main action; stays in sight on phones. */
  action?: ReactNode;
  /** The other tools; behind a ⋮ button where it is narrower than 768 px. */
  tools?: ReactNode;
};

/** A page's head: h1, context, tools. It names the tab and takes the focus when the route changes. */
export function PageHead({ title, context, action, tools }: Props) {
  return (
    <header className={styles['head']}>
      <div className={styles['words']}>
        <PageTitle>{title}</PageTitle>
        {context && <p className={styles['context']}>{context}</p>}
      </div>
      {(action || tools) && (
        <div className={styles['side']}>
          {tools && <Tools>{tools}</Tools>}
          {action && <div className={styles['action']}>{action}</div>}
        </div>
      )}
    </header>
  );
}

function Tools({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (event: PointerEvent) => {
      const target = event.target as Element;
      // A menu that a tool opened stands elsewhere in the page; using it is not leaving.
      if (place.current?.contains(target) || target.closest('[role="menu"], dialog')) return;
      setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [open]);
  const keys = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open) return;
    setOpen(false);
    toggle.current?.focus();
  };
  return (
    // Escape anywhere inside; the toggle does the same for pointers.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div ref={place} onKeyDown={keys}>
      <button
        ref={toggle}
        type="button"
        className={styles['toggle']}
        aria-expanded={open}
        aria-controls={id}
        aria-label="Alat halaman"
        onClick={() => setOpen(!open)}
      >
        {open ? <X size={20} /> : <EllipsisVertical size={20} />}
      </button>
      <div id={id} className={classes(styles['content'], open && styles['expanded'])}>
        {children}
      </div>
    </div>
  );
}
