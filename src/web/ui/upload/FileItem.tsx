import { File as FileIcon, RotateCcw, Undo2, Upload, X } from 'lucide-react';
import {
  type CSSProperties,
  type PointerEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useRef,
  useState,
  type RefObject,
} from 'react';
import styles from '#web/ui/upload/upload.module.css';
import { classes } from '#web/ui/classes.ts';
import { fileSizeText } from '#web/ui/upload/fileSize.ts';
import {
  isPreviewed,
  previewHeight,
  PREVIEW_INSTANT_BYTES,
  previewPixels,
  vectorSize,
} from '#web/ui/upload/preview/uploadsPreview.ts';
import {
  statusOf,
  viewStateOf,
  type UploadAct,
  type UploadItem,
} from '#web/ui/upload/queue/uploadState.ts';
import type { UploadLabels } from '#web/ui/upload/uploadLabels.ts';
import workerUrl from './preview/uploadPreview.worker.ts?worker&url';
import { trustedScript } from '#web/browser/trustedTypes.ts';
import type { PreviewDone, PreviewTask } from '#web/ui/upload/preview/uploadPreview.worker.ts';

type Props = {
  item: UploadItem;
  labels: UploadLabels;
  acts: readonly UploadAct[];
  onAct: (act: UploadAct) => void;
  /** A complete upload is removed, not only undone. */
  instant: boolean;
  /** 1000 or 1024. */
  sizeBase?: number | undefined;
  disabled?: boolean | undefined;
  handle?: ReactNode;
  /** A dragged item would be inserted before it. */
  gap?: boolean;
  lifted?: boolean;
  /** Its offset from its place, in px. */
  shift?: number;
  onPointerDown?: ((event: PointerEvent<HTMLElement>) => void) | undefined;
  ref?: Ref<HTMLLIElement>;
};

const icons: Readonly<Record<UploadAct, typeof X>> = {
  remove: X,
  process: Upload,
  'abort-load': X,
  'retry-load': RotateCcw,
  'abort-process': X,
  'retry-process': RotateCcw,
  undo: Undo2,
};

function wordsOf(act: UploadAct, labels: UploadLabels, instant: boolean): string {
  if (act === 'remove') return labels.buttonRemove;
  if (act === 'process') return labels.buttonProcess;
  if (act === 'abort-load') return labels.buttonAbortLoad;
  if (act === 'retry-load') return labels.buttonRetryLoad;
  if (act === 'abort-process') return labels.buttonAbortProcess;
  if (act === 'retry-process') return labels.buttonRetryProcess;
  return instant ? labels.buttonRemove : labels.buttonUndo;
}

/** One file of an upload: its name, size, picture, state and buttons. */
export function FileItem({ item, labels, acts, onAct, instant, handle, ...rest }: Props) {
  const { name, phase, fault } = item;
  const picture = item.poster !== undefined || (item.file && isPreviewed(item.file.type));
  const { ref, disabled, sizeBase, gap, lifted, shift = 0, onPointerDown } = rest;
  const style: CSSProperties = shift === 0 ? {} : { translate: `0 ${shift}px` };
  return (
    <li
      ref={ref}
      className={classes('border rounded surface relative ring container', styles['item'])}
      data-state={viewStateOf(phase)}
      data-status={statusOf(phase)}
      data-wrong={fault !== undefined || undefined}
      tabIndex={-1}
      data-gap={gap || undefined}
      data-lifted={lifted || undefined}
      style={style}
      onPointerDown={(event) => {
        // A finger on the item scrolls; it drags by the handle.
        const control = event.target instanceof Element && event.target.closest('button');
        if (event.pointerType === 'mouse' && !control) onPointerDown?.(event);
      }}
    >
      {picture && <UploadPreview file={item.file} poster={item.poster} />}
      <div
        className={classes(
          'grid align-center gap-4 min-h-52 py-4 px-6 columns-between',
          styles['row'],
        )}
      >
        {handle}
        {!picture && <FileIcon size={20} className={styles['icon']} />}
        <div className="grid leading-ui px-6">
          <bdi className="truncate semibold">{name}</bdi>
          <span className="tiny faint num">{sizeOf(item, labels, sizeBase)}</span>
        </div>
        <State item={item} labels={labels} undo={acts.includes('undo')} />
        {acts.map((act) => {
          const words = wordsOf(act, labels, instant);
          const Icon = act === 'undo' && instant ? X : icons[act];
          return (
            <button
              key={act}
              type="button"
              className={classes('place-center muted size-36 rounded hover-ink', styles['button'])}
              aria-label={`${words} ${name}`}
              title={words}
              disabled={disabled}
              onClick={() => onAct(act)}
            >
              <Icon size={18} aria-hidden="true" />
            </button>
          );
        })}
      </div>
      <Progress item={item} labels={labels} />
    </li>
  );
}

type ListProps = {
  label: string;
  gapAtEnd?: boolean;
  children: ReactNode;
};

export const FileList = ({ label, gapAtEnd = false, children }: ListProps) => (
  <ul
    className={classes('stack gap-8', styles['items'])}
    aria-label={label}
    data-end={gapAtEnd || undefined}
  >
    {children}
  </ul>
);

function sizeOf({ size, phase }: UploadItem, labels: UploadLabels, base?: number): string {
  if (size !== undefined) return fileSizeText(size, labels.size, base);
  return phase === 'init' || phase === 'loading' ? labels.sizeWaiting : labels.sizeNotAvailable;
}

type StateProps = { item: UploadItem; labels: UploadLabels; undo: boolean };

function State({ item, labels, undo }: StateProps) {
  const [main, sub] = stateTexts(item, labels, undo);
  if (main === '') return null;
  return (
    <p className={classes('grid justify-items-end small leading-ui text-end', styles['state'])}>
      <span className={classes('num', item.fault && 'text-danger semibold', styles['main'])}>
        {main}
      </span>
      {sub !== '' && <span className="tiny faint num">{sub}</span>}
    </p>
  );
}

function stateTexts(item: UploadItem, labels: UploadLabels, undo: boolean): [string, string] {
  if (item.fault) return [item.fault.main, item.fault.sub];
  const percent = item.progress === undefined ? '' : ` ${Math.floor(item.progress * 100)}%`;
  switch (item.phase) {
    case 'loading':
      return [labels.loading + percent, labels.tapToCancel];
    case 'queued':
      return [labels.queued, labels.tapToCancel];
    case 'processing':
      return [labels.processing + percent, labels.tapToCancel];
    case 'processing-complete':
      return [labels.processingComplete, undo ? labels.tapToUndo : ''];
    case 'cancelled':
      return [labels.processingAborted, labels.tapToRetry];
    default:
      return ['', ''];
  }
}

function Progress({
  item: { name, phase, progress },
  labels,
}: {
  item: UploadItem;
  labels: UploadLabels;
}) {
  if (phase !== 'processing' && phase !== 'loading') return null;
  const what = phase === 'loading' ? labels.loading : labels.processing;
  const percent = progress === undefined ? undefined : Math.floor(progress * 100);
  return (
    <div
      role="progressbar"
      className={classes('sunken', styles['progress'])}
      aria-label={`${what} ${name}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <span
        className={classes('block', styles['bar'])}
        data-unknown={percent === undefined || undefined}
        style={{ scale: `${progress ?? 0.3} 1` }}
      />
    </div>
  );
}

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

type PreviewProps = { file: File | undefined; poster: string | undefined };

/** A picture of an item: of its file, or the server's. Decorative, because the name is beside it. */
function UploadPreview({ file, poster }: PreviewProps) {
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
