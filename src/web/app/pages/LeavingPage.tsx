import { useQuery } from '@tanstack/react-query';
import { useSearch } from '#web/browser/router/Router.tsx';
import { safeTarget } from '#web/browser/redirect.ts';
import { NotFoundPage } from '#web/ui/page/NotFoundPage.tsx';
import { configQuery } from '#web/api/configQuery.ts';
import styles from '#web/ui/page/noticePage.module.css';
import { AnchorButton, LinkButton } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { Spinner } from '#web/ui/button/Spinner.tsx';

/** Route `/leaving`: confirms leaving for another site that the operator allows. */
export function LeavingPage() {
  const { to } = useSearch('/leaving');
  const config = useQuery(configQuery);
  if (config.isPending) return <Spinner screen />;
  const target = safeTarget(to, window.location.origin, config.data?.return_origins ?? []);
  if (!target || target.startsWith('/')) return <NotFoundPage />;
  return (
    <main id="isi" tabIndex={-1} className={styles['page']}>
      <PageTitle>Anda akan meninggalkan Kabari</PageTitle>
      <p className={styles['text']}>
        Anda akan dibawa ke <strong>{new URL(target).host}</strong>.
      </p>
      <div className="flex wrap justify-center gap-8 mt-12">
        <AnchorButton href={target} rel="noreferrer">
          Lanjutkan
        </AnchorButton>
        <LinkButton to="/" variant="outline">
          Tetap di Kabari
        </LinkButton>
      </div>
    </main>
  );
}
