import styles from '#web/ui/button/Spinner.module.css';
import { classes } from '#web/ui/classes.ts';

/** A spinner; `screen` fills the window. */
export function Spinner({ screen = false }: { screen?: boolean }) {
  return (
    <div
      role="status"
      className={classes(
        'place-center gap-12 p-24',
        screen && classes('content-center', styles['screen']),
      )}
    >
      <span className={classes('size-32 rounded-full', styles['wheel'])} aria-hidden="true" />
      <span className={screen ? 'small faint' : 'sr-only'}>Memuat…</span>
    </div>
  );
}
