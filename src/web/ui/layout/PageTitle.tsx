import { useEffect, useLayoutEffect, useRef } from 'react';

/** How many pages this tab has shown. */
let pagesShown = 0;

/** The h1 alone, for pages without a head: names the tab and can take the focus. */
export function PageTitle({ children, className }: { children: string; className?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${children} · Kabari`;
  }, [children]);
  const done = useRef(false);
  // Before it is painted: who is faster than a later effect would lose the place they went to.
  useLayoutEffect(() => {
    if (done.current) return;
    done.current = true;
    const onFirstPage = pagesShown === 0;
    pagesShown += 1;
    // The first page starts where the browser starts; a later one starts at its heading. A field
    // that took the focus by itself keeps it.
    const elsewhere = document.activeElement?.closest('input, textarea, select, dialog');
    if (!onFirstPage && !elsewhere) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}
