import { useMemo, type ReactNode } from 'react';
import styles from '#web/ui/qr/QrImage.module.css';
import { classes } from '#web/ui/classes.ts';
import { qrModules } from '#web/ui/qr/qrPicture.ts';

type Props = {
  text: string;
  alt: string;
  /** The side in px; 264. */
  size?: number;
  /** Covers an expired code: 'Kedaluwarsa' with a button. */
  cover?: ReactNode;
};

/** A QR code, always dark on white with its quiet zone, so that every camera reads it. */
export function QrImage({ text, alt, size = 264, cover }: Props) {
  const { side, path } = useMemo(() => drawn(text), [text]);
  return (
    <div
      className={classes('max-w-full border rounded-lg overflow-hidden relative', styles['frame'])}
      style={{ width: size }}
    >
      <svg
        viewBox={`0 0 ${side} ${side}`}
        className={classes('w-full', styles['code'])}
        role="img"
        aria-label={alt}
        data-covered={cover ? true : undefined}
        shapeRendering="crispEdges"
      >
        <rect width="100%" height="100%" fill="#fff" />
        <path d={path} fill="#000" />
      </svg>
      {cover && (
        <div
          className={classes(
            'place-center gap-12 strong text-center content-center p-24',
            styles['cover'],
          )}
        >
          {cover}
        </div>
      )}
    </div>
  );
}

/** One path for all dark modules, a run per row. */
function drawn(text: string): { side: number; path: string } {
  const rows = qrModules(text);
  const runs: string[] = [];
  for (const [row, modules] of rows.entries()) {
    for (let column = 0; column < modules.length; column += 1) {
      const from = column;
      while (modules[column]) column += 1;
      if (column > from) runs.push(`M${from} ${row}h${column - from}v1h${from - column}z`);
    }
  }
  return { side: rows.length, path: runs.join('') };
}
