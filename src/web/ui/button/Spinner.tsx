import styles from '#web/ui/button/Spinner.module.css';
import { classes } from '#web/ui/classes.ts';

/** A spinner; `screen` fills the window. */
export function Spinner({ screen = false }: { screen?: boolean }) {
  return (
    <div role="status" className={classes(styles['place'], screen && styles['screen'])}>
      <span className={styles['wheel']} aria-hidden="true" />
      <span className={screen ? styles['word'] : 'sr-only'}>Memuat…</span>
    </div>
  );
}
