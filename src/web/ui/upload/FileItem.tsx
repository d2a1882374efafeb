import { File as FileIcon, RotateCcw, Undo2, Upload, X } from 'lucide-react';
import type { CSSProperties, PointerEvent, ReactNode, Ref } from 'react';
import styles from '#web/ui/upload/upload.module.css';
import { classes } from '#web/ui/classes.ts';
import { fileSizeText } from '#web/ui/upload/fileSize.ts';
import { isPreviewed } from '#web/ui/upload/preview/uploadsPreview.ts';
import {
  statusOf,
  viewStateOf,
  type UploadAct,
  type UploadItem,
} from '#web/ui/upload/queue/uploadState.ts';
import type { UploadLabels } from '#web/ui/upload/uploadLabels.ts';
import { UploadPreview } from '#web/ui/upload/preview/UploadPreview.tsx';

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
