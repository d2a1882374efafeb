import { hasCommandKey, keyNames } from '#web/app/shortcuts/shortcuts.ts';
import styles from '#web/app/palette/palette.module.css';
import { classes } from '#web/ui/classes.ts';

export const Keys = ({ keys }: { keys: string }) => (
  <span className="inline-flex gap-4 flex-none">
    {keyNames(keys, hasCommandKey()).map((name, index) => (
      <kbd
        key={index}
        className={classes(
          'tiny muted strong px-6 border rounded-sm surface leading-none',
          styles['key'],
        )}
      >
        {name}
      </kbd>
    ))}
  </span>
);
