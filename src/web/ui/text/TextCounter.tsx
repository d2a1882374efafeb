import { lengthShown, roomLeft } from '#web/ui/text/textLength.ts';
import styles from '#web/ui/text/TextCounter.module.css';
import { classes } from '#web/ui/classes.ts';

/** The used part of a text's limit; announced to screen readers only near or beyond the limit. */
export const TextCounter = ({ length, max }: { length: number; max: number }) => (
  <span className={classes('flex-none tiny faint num', styles['counter'])}>
    <span data-full={length >= max || undefined}>
      <span className="sr-only">Karakter: </span>
      {lengthShown(length, max)}
    </span>
    <span role="status" className="sr-only">
      {roomLeft(length, max)}
    </span>
  </span>
);
