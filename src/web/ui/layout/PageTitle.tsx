import { useEffect, useLayoutEffect, useRef } from 'react';

let pagesShown = 0;

/** The h1 alone, for pages without a head: sets the tab's title and can take the focus. */
export function PageTitle({
  children,
  className,
}: {
  children: string;
  className?: string | undefined;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${children} · Kabari`;
  }, [children]);
  const done = useRef(false);
  // Before paint: a later effect could take the focus away from a fast user.
  useLayoutEffect(() => {
    if (done.current) return;
    done.current = true;
    const onFirstPage = pagesShown === 0;
    pagesShown += 1;
    // The first page keeps the browser's initial focus; a later one focuses its heading, unless a field has already
    // taken the focus.
    const elsewhere = document.activeElement?.closest('input, textarea, select, dialog');
    if (!onFirstPage && !elsewhere) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}
