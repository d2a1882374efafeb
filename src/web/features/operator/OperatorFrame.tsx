import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from '#web/features/operator/OperatorFrame.module.css';
import { operatorPages } from '#web/features/operator/pages.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { TabLink, TabLinks } from '#web/ui/tabs/Tabs.tsx';

type Props = {
  /** The page's h1. */
  title: string;
  context?: ReactNode;
  action?: ReactNode;
  /** Whose tab is the open one; a page below another names that one. */
  page: (typeof operatorPages)[number]['to'];
  children: ReactNode;
};

/** A page of the operator's desk: its head, the way to the others, and its content. */
export function OperatorFrame({ title, context, action, page, children }: Props) {
  const tabs = useRef<HTMLDivElement>(null);
  // On a phone the tabs are wider than the screen, and the open one is to be seen.
  useLayoutEffect(() => {
    const open = tabs.current?.querySelector<HTMLElement>('[aria-current="page"]');
    const row = open?.closest('nav');
    if (!open || !row) return;
    const [at, within] = [open.getBoundingClientRect(), row.getBoundingClientRect()];
    row.scrollLeft += at.left + at.width / 2 - (within.left + within.width / 2);
  }, [page]);
  return (
    <>
      <PageHead title={title} context={context} action={action} />
      <div ref={tabs} className={styles['tabs']}>
        <TabLinks label="Meja operator">
          {operatorPages.map(({ to, label }) => (
            <TabLink key={to} to={to} current={to === page}>
              {label}
            </TabLink>
          ))}
        </TabLinks>
      </div>
      <div className={styles['page']}>{children}</div>
    </>
  );
}
