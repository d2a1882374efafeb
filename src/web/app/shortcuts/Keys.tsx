import { hasCommandKey, keyNames } from '#web/app/shortcuts/shortcuts.ts';
import styles from '#web/app/shortcuts/Keys.module.css';

export const Keys = ({ keys }: { keys: string }) => (
  <span className={styles['keys']}>
    {keyNames(keys, hasCommandKey()).map((name, index) => (
      <kbd key={index} className={styles['key']}>
        {name}
      </kbd>
    ))}
  </span>
);
