import { useEffect, useRef, useState, type RefObject } from 'react';
import styles from '#web/ui/upload/upload.module.css';
import { classes } from '#web/ui/classes.ts';
import { isPreviewed, previewHeight } from '#web/ui/upload/preview/uploadsPreview.ts';
import { previewOf, type Preview } from '#web/ui/upload/preview/previewStore.ts';

const RELAYOUT_MS = 250;

/** The width (px) of an element: at once, then after each 250 ms without change. 0: unknown. */
function useSettledWidth(frame: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    setWidth(element.clientWidth);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watch = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(() => setWidth(element.clientWidth), RELAYOUT_MS);
    });
    watch.observe(element);
    return () => {
      clearTimeout(timer);
      watch.disconnect();
    };
  }, [frame]);
  return width;
}

type Props = { file: File | undefined; poster: string | undefined };

/** A picture of an item: of its file, or the server's. Decorative, because the name is beside it. */
export function UploadPreview({ file, poster }: Props) {
  if (poster !== undefined) return <Poster key={poster} src={poster} />;
  return file && isPreviewed(file.type) ? <Drawn file={file} /> : null;
}

function Drawn({ file }: { file: File }) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSettledWidth(frame);
  const [preview, setPreview] = useState<Preview | 'none'>();
  useEffect(() => {
    if (width === 0) return;
    let gone = false;
    void previewOf(file, width).then((made) => {
      if (!gone) setPreview(made ?? 'none');
    });
    return () => {
      gone = true;
    };
  }, [file, width]);
  useEffect(() => {
    if (!canvas.current || !preview || preview === 'none') return;
    const { picture } = preview;
    canvas.current.width = picture.width;
    canvas.current.height = picture.height;
    canvas.current.getContext('2d')?.drawImage(picture, 0, 0);
  }, [preview]);
  if (preview === 'none') return null;
  const height = preview && previewHeight(width, preview.natural);
  return (
    <div
      ref={frame}
      className={classes('place-center min-h-44 sunken', styles['preview'])}
      style={{ height }}
      data-preview={!!preview}
    >
      {preview && <canvas ref={canvas} aria-hidden="true" />}
    </div>
  );
}

function Poster({ src }: { src: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useSettledWidth(frame);
  const [natural, setNatural] = useState<{ width: number; height: number } | 'none'>();
  if (natural === 'none') return null;
  const height = natural && width > 0 ? previewHeight(width, natural) : undefined;
  return (
    <div
      ref={frame}
      className={classes('place-center min-h-44 sunken', styles['preview'])}
      style={{ height }}
      data-preview={!!natural}
    >
      <img
        src={src}
        alt=""
        crossOrigin="anonymous"
        draggable={false}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          setNatural({ width: naturalWidth, height: naturalHeight })
        }
        onError={() => setNatural('none')}
      />
    </div>
  );
}
