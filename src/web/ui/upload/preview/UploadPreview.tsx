import { useEffect, useRef, useState, type RefObject } from 'react';
import styles from '#web/ui/upload/FileItem.module.css';
import {
  isPreviewed,
  previewHeight,
  PREVIEW_INSTANT_BYTES,
  previewPixels,
  vectorSize,
} from '#web/ui/upload/preview/uploadsPreview.ts';
import workerUrl from './uploadPreview.worker.ts?worker&url';
import { trustedScript } from '#web/browser/trustedTypes.ts';
import type { PreviewDone, PreviewTask } from '#web/ui/upload/preview/uploadPreview.worker.ts';

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
    <div ref={frame} className={styles['preview']} style={{ height }} data-preview={!!preview}>
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
    <div ref={frame} className={styles['preview']} style={{ height }} data-preview={!!natural}>
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

type Preview = {
  natural: { width: number; height: number };
  picture: CanvasImageSource & { width: number; height: number };
};

let worker: Worker | undefined;
let last = 0;
const pending = new Map<number, (done: PreviewDone) => void>();

function ownWorker(): Worker {
  if (worker) return worker;
  const made = new Worker(trustedScript(workerUrl), { type: 'module' });
  made.addEventListener('message', ({ data }: MessageEvent<PreviewDone>) => {
    pending.get(data.id)?.(data);
    pending.delete(data.id);
  });
  made.addEventListener('error', () => {
    for (const [id, done] of pending) done({ id, failed: true });
    pending.clear();
  });
  worker = made;
  return made;
}

/**
 * Scales a picture down for an item of this width (px), off the main thread where possible.
 * @returns `undefined` for a file that this browser cannot show as a picture.
 */
async function previewOf(file: Blob, width: number): Promise<Preview | undefined> {
  const done = await new Promise<PreviewDone>((answer) => {
    const id = ++last;
    pending.set(id, answer);
    const task: PreviewTask = { id, file, width };
    try {
      ownWorker().postMessage(task);
    } catch {
      pending.delete(id);
      answer({ id, failed: true });
    }
  });
  if ('failed' in done) return byElement(file, width).catch(() => undefined);
  return { natural: done.natural, picture: done.bitmap };
}

let earlier: Promise<unknown> = Promise.resolve();

/** The fallback without a capable worker: by an image element, short files at once, longer ones in turn. */
function byElement(file: Blob, width: number): Promise<Preview> {
  if (file.size <= PREVIEW_INSTANT_BYTES) return drawn(file, width);
  const own = earlier.then(() => drawn(file, width));
  earlier = own.catch(() => undefined);
  return own;
}

async function drawn(file: Blob, width: number): Promise<Preview> {
  const url = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const found = { width: image.naturalWidth, height: image.naturalHeight };
    const natural = file.type === 'image/svg+xml' ? vectorSize(found) : found;
    const picture = document.createElement('canvas');
    Object.assign(picture, previewPixels(width, natural));
    picture.getContext('2d')?.drawImage(image, 0, 0, picture.width, picture.height);
    return { natural, picture };
  } finally {
    URL.revokeObjectURL(url);
  }
}
