import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { later } from '#web/browser/lazyComponent.ts';
import { Router } from '#web/browser/router/Router.tsx';
import { Announcer } from '#web/ui/announce/Announcer.tsx';
import { Spinner } from '#web/ui/button/Spinner.tsx';
import { OfflineBar } from '#web/ui/layout/OfflineBar.tsx';
import { ToastHost } from '#web/ui/toast/ToastHost.tsx';
import { useEffect, useState } from 'react';
import { onServerBack, probeServer } from '#web/api/server.ts';
import styles from '#web/ui/page/noticePage.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

const parts = {
  Broken: BrokenPage,
  NotFound: later(() => import('#web/ui/page/NotFoundPage.tsx')),
  pending: <Spinner screen />,
};

export const App = ({ client }: { client: QueryClient }) => (
  <QueryClientProvider client={client}>
    <OfflineBar />
    <Router parts={parts} />
    <ToastHost />
    <Announcer />
  </QueryClientProvider>
);

const RELOADED = 'ui-reloaded';

/** True if a chunk could not be fetched: a deploy removes the old files, or the server is away. */
const isUnloaded = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|module script|preload/i.test(error.message);

/** Reloads for a new version, at most once in ten seconds. */
function reloadOnce(): void {
  try {
    const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
    if (Date.now() - last < 10_000) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    window.location.reload();
  } catch {
    // Without a storage it could reload forever.
  }
}

/** The error page: for bugs, for versions that no longer exist, and for pages that the server did not send. */
function BrokenPage({ error }: { error: unknown }) {
  const unloaded = isUnloaded(error);
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    if (!unloaded) return undefined;
    // Before the server answers, a reload could only lose the app.
    void probeServer().then((isThere) => (isThere ? reloadOnce() : setAway(true)));
    return onServerBack(() => window.location.reload());
  }, [unloaded]);
  return (
    <main id="isi" tabIndex={-1} className={styles['page']} role="alert">
      <PageTitle>{isAway ? 'Halaman belum termuat' : 'Halaman ini bermasalah'}</PageTitle>
      <p className={styles['text']}>
        {isAway
          ? 'Server belum dapat dihubungi. Halaman ini terbuka otomatis begitu tersambung.'
          : 'Muat ulang untuk mencoba lagi. Yang sudah tersimpan tidak hilang.'}
      </p>
      <div className="flex wrap justify-center gap-8 mt-12">
        {isAway ? (
          <Button onClick={() => void probeServer()}>Coba sekarang</Button>
        ) : (
          <Button onClick={() => window.location.reload()}>Muat ulang</Button>
        )}
      </div>
    </main>
  );
}
