import { ImageOff } from 'lucide-react';
import { Button } from '#web/ui/button/Button.tsx';
import styles from '#web/ui/media/media.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  alt: string;
  /** The picture's class, for the same size. */
  className?: string | undefined;
  width?: number | string | undefined;
  onRetry: () => void;
};

/** Replaces a picture that failed to load, with a retry button. */
export const BrokenPicture = ({ alt, className, width, onRetry }: Props) => (
  <span
    className={classes(
      'grid justify-items-center gap-6 max-w-full p-12 sunken small muted text-center min-h-120 rounded',
      styles['broken'],
      className,
    )}
    style={{ width }}
  >
    <ImageOff size={24} />
    <span>
      {alt !== '' && <span className="sr-only">{alt}: </span>}
      Gambar tidak dapat dimuat.
    </span>
    <Button size="sm" variant="link" tone="neutral" onClick={onRetry}>
      Coba lagi
    </Button>
  </span>
);
