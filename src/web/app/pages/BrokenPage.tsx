import { useEffect } from 'react';
import styles from '#web/ui/page/noticePage.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

const RELOADED = 'ui-reloaded';

/** True when a part of the app could not be fetched: after a new version the old files are gone. */
const isOldVersion = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|module script|preload/i.test(error.message);

/** Reloads once for a new version; not again within ten seconds, should that not help. */
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

/** A page that broke: our bug, or a version that is gone. */
export function BrokenPage({ error }: { error: unknown }) {
  useEffect(() => {
    if (!isOldVersion(error)) return undefined;
    if (navigator.onLine) return void reloadOnce();
    // Without a network loading it again could only lose what is there.
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
