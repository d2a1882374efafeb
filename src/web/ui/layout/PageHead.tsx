import { EllipsisVertical } from 'lucide-react';
import type { ReactNode } from 'react';
import { Disclosure } from '#web/ui/disclosure/Disclosure.tsx';
import styles from '#web/ui/layout/PageHead.module.css';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

type Props = {
  /** The page's h1; also the tab's title, before the product's name. */
  title: string;
  context?: ReactNode;
  /** The page's main action; always visible on phones. */
  action?: ReactNode;
  /** The other tools; behind a ⋮ button below 768 px. */
  tools?: ReactNode;
};

/** A page's head: h1, context, tools. Sets the tab's title and takes the focus on a route change. */
export function PageHead({ title, context, action, tools }: Props) {
  return (
    <header
      className={styles['head']}
      data-both={(action !== undefined && tools !== undefined) || undefined}
    >
      <div className={styles['words']}>
        <PageTitle>{title}</PageTitle>
        {context && <p className={styles['context']}>{context}</p>}
      </div>
      {(action || tools) && (
        <div className={styles['side']}>
          {tools && (
            <Disclosure
              label="Alat halaman"
              icon={<EllipsisVertical size={20} aria-hidden="true" />}
              toggleClass={styles['toggle']}
              contentClass={styles['content']}
            >
              {tools}
            </Disclosure>
          )}
          {action}
        </div>
      )}
    </header>
  );
}
