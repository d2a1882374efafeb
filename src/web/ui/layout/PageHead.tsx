import { EllipsisVertical } from 'lucide-react';
import type { ReactNode } from 'react';
import { Disclosure } from '#web/ui/disclosure/Disclosure.tsx';
import styles from '#web/ui/layout/layout.module.css';
import { classes } from '#web/ui/classes.ts';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

type Props = {
  /** The page's h1; also the tab's title, before the product's name. */
  title: string;
  titleClass?: string | undefined;
  context?: ReactNode;
  /** The page's main action; always visible on phones. */
  action?: ReactNode;
  /** The other tools; behind a ⋮ button below 768 px. */
  tools?: ReactNode;
};

/** A page's head: h1, context, tools. Sets the tab's title and takes the focus on a route change. */
export function PageHead({ title, titleClass, context, action, tools }: Props) {
  return (
    <header
      className={classes(
        'flex wrap align-start justify-between gap-12 gap-x-24 mb-24 relative',
        styles['head'],
      )}
      data-both={(action !== undefined && tools !== undefined) || undefined}
    >
      <div className={classes('grow', styles['words'])}>
        <PageTitle className={titleClass}>{title}</PageTitle>
        {context && <p className={classes('mt-6 muted pretty', styles['context'])}>{context}</p>}
      </div>
      {(action || tools) && (
        <div className={classes('row gap-8', styles['side'])}>
          {tools && (
            <Disclosure
              label="Alat halaman"
              icon={<EllipsisVertical size={20} />}
              toggleClass={'place-center size-44 rounded muted hover below-768'}
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
