import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { announceUpdate, takeUpdate, useAppUpdate } from '#web/browser/install/appUpdate.ts';
import styles from '#web/app/layout/frame.module.css';
import { classes } from '#web/ui/classes.ts';
import { configQuery } from '#web/api/configQuery.ts';
import { announce } from '#web/ui/announce/announce.ts';
import { Button } from '#web/ui/button/Button.tsx';

const CHECK_MS = 300_000;

/** Announces an update when the server serves another build than this page's. */
function useBuildCheck(): void {
  const { data } = useQuery({
    ...configQuery,
    staleTime: CHECK_MS,
    refetchInterval: CHECK_MS,
    refetchOnWindowFocus: true,
  });
  const build = data?.build;
  const first = useRef(build);
  useEffect(() => {
    first.current ??= build;
    if (build !== first.current) announceUpdate();
  }, [build]);
}

/** Whether to announce a newer version, and how to dismiss it until the next load. */
export function useNewVersion(): [boolean, () => void] {
  useBuildCheck();
  const ready = useAppUpdate();
  const [later, setLater] = useState(false);
  const shown = ready && !later;
  useEffect(() => {
    if (shown) announce('Versi baru tersedia. Muat ulang untuk memakainya.');
  }, [shown]);
  return [shown, () => setLater(true)];
}

/** The notice of a newer version, which is loaded only on click. */
export function NewVersion({ onLater }: { onLater: () => void }) {
  const [busy, setBusy] = useState(false);
  const reload = () => {
    setBusy(true);
    // The person may stay if the browser asks about unsaved work.
    void takeUpdate().finally(() => setBusy(false));
  };
  return (
    <section
      className={classes(
        'row wrap gap-8 gap-x-12 small leading-ui py-10 px-12 rounded-lg',
        styles['card'],
      )}
      aria-label="Versi baru"
    >
      <p className={styles['words']}>Versi baru tersedia</p>
      <Button
        size="sm"
        variant="outline"
        busy={busy}
        icon={<RefreshCw size={16} aria-hidden="true" />}
        className={styles['reload']}
        onClick={reload}
      >
        <span className={styles['word']}>Muat ulang</span>
      </Button>
      <Button size="sm" variant="link" tone="neutral" className={styles['later']} onClick={onLater}>
        Nanti
      </Button>
    </section>
  );
}
