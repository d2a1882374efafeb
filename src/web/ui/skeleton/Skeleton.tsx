import type { CSSProperties } from 'react';
import styles from '#web/ui/skeleton/Skeleton.module.css';

type Props = {
  /** As CSS has it; the whole width when left out. */
  width?: CSSProperties['width'];
  height?: CSSProperties['height'];
  /** As many lines of text; the last one shorter. */
  lines?: number;
  round?: boolean;
};

/**
 * The shape of what is coming. Give it the size of the content, and `aria-busy` to its container.
 * It shows itself after 120 ms, so that quick answers do not flicker.
 */
export function Skeleton({ width, height = '1em', lines = 1, round = false }: Props) {
  const shape = { width, height, borderRadius: round ? '999px' : undefined };
  if (lines === 1) return <span aria-hidden="true" className={styles['bone']} style={shape} />;
  return (
    <span aria-hidden="true" className={styles['lines']}>
      {Array.from({ length: lines }, (_, line) => (
        <span
          key={line}
          className={styles['bone']}
          style={line === lines - 1 ? { ...shape, width: '62%' } : shape}
        />
      ))}
    </span>
  );
}
