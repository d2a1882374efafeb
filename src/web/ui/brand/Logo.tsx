import styles from './Logo.module.css';
import { classes } from '#web/ui/classes.ts';

export const Logo = () => (
  <span className="inline-flex align-center gap-8">
    <svg viewBox="0 0 64 64" width="28" height="28" aria-hidden="true">
      <path
        className={styles['bubble']}
        d="M18 6h28a14 14 0 0 1 14 14v20a14 14 0 0 1-14 14H25.5l-12.3 7.400A2.500 2.500 0 0 1 9.400 59.200V51.700A14 14 0 0 1 4 40V20A14 14 0 0 1 18 6Z"
      />
      <path
        className={styles['letter']}
        d="M23.500 17v26M41.500 22.500 24.500 33.200M30.500 29.500 42 43"
      />
    </svg>
    <span className={classes('ink leading-none', styles['name'])}>Kabari</span>
  </span>
);
