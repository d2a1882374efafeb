import { useEffect } from 'react';
import styles from '#web/ui/page/noticePage.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

const RELOADED = 'ui-reloaded';

/** True if a chunk could not be fetched: a deploy removes the old files. */
const isOldVersion = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|module script|preload/i.test(error.message);

/** Reloads for a new version, at most once in ten seconds. */
function reloadOnce(): boolean {
  try {
    const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
    if (Date.now() - last < 10_000) return false;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    window.location.reload();
    return true;
  } catch {
    return false;
  }
}

/** The error page: for bugs, and for versions that no longer exist. */
export function BrokenPage({ error }: { error: unknown }) {
  useEffect(() => {
    if (!isOldVersion(error)) return undefined;
    if (navigator.onLine) return void reloadOnce();
    // Offline, a reload could only lose the page.
    const back = () => window.location.reload();
    window.addEventListener('online', back, { once: true });
    return () => window.removeEventListener('online', back);
  }, [error]);
  return (
    <main id="isi" tabIndex={-1} className={styles['page']} role="alert">
      <PageTitle>Halaman ini bermasalah</PageTitle>
      <p className={styles['text']}>
        Muat ulang untuk mencoba lagi. Yang sudah tersimpan tidak hilang.
      </p>
      <div className={styles['actions']}>
        <Button onClick={() => window.location.reload()}>Muat ulang</Button>
      </div>
    </main>
  );
}
