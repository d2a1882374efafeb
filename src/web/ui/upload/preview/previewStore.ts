import workerUrl from './uploadPreview.worker.ts?worker&url';
import { trustedScript } from '#web/browser/trustedTypes.ts';
import {
  PREVIEW_INSTANT_BYTES,
  previewPixels,
  vectorSize,
} from '#web/ui/upload/preview/uploadsPreview.ts';
import type { PreviewDone, PreviewTask } from '#web/ui/upload/preview/uploadPreview.worker.ts';

export type Preview = {
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
export async function previewOf(file: Blob, width: number): Promise<Preview | undefined> {
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
