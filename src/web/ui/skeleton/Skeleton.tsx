import type { CSSProperties } from 'react';
import { Stack } from '#web/ui/panel/Panel.tsx';
import styles from '#web/ui/skeleton/Skeleton.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  /** A CSS width; omitted: the full width. */
  width?: CSSProperties['width'];
  height?: CSSProperties['height'];
  /** The number of text lines; the last one is shorter. */
  lines?: number;
  round?: boolean;
};

/**
 * A placeholder with the shape of the content. Give it the content's size, and `aria-busy` to its container. It appears
 * after 120 ms, so that quick answers do not flicker.
 */
export function Skeleton({ width, height = '1em', lines = 1, round = false }: Props) {
  const shape = { width, height, borderRadius: round ? '999px' : undefined };
  if (lines === 1)
    return (
      <span
        aria-hidden="true"
        className={classes('block rounded-sm', styles['bone'])}
        style={shape}
      />
    );
  return (
    <span aria-hidden="true" className={classes('grid', styles['lines'])}>
      {Array.from({ length: lines }, (_, line) => (
        <span
          key={line}
          className={classes('block rounded-sm', styles['bone'])}
          style={line === lines - 1 ? { ...shape, width: '62%' } : shape}
        />
      ))}
    </span>
  );
}

/** A form that loads: a label above each control. `fields` has the height of each control in px. */
export const FormSkeleton = ({ fields = [44, 44, 44] }: { fields?: readonly number[] }) => (
  <div aria-busy="true">
    <Stack>
      {fields.map((height, index) => (
        <span key={index} className={classes('grid', styles['lines'])}>
          <Skeleton width={`${18 + ((index * 29) % 16)}%`} />
          <Skeleton height={height} />
        </span>
      ))}
    </Stack>
  </div>
);

/** A list that loads: rows of two lines. */
export const ListSkeleton = ({ rows = 3 }: { rows?: number }) => (
  <div aria-busy="true">
    <Stack gap={24}>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} lines={2} width={`${54 + ((row * 37) % 30)}%`} />
      ))}
    </Stack>
  </div>
);
