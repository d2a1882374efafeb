import { previewPixels } from '#web/ui/upload/preview/uploadsPreview.ts';

export type PreviewTask = { id: number; file: Blob; width: number };
export type PreviewDone =
  | { id: number; natural: { width: number; height: number }; bitmap: ImageBitmap }
  | { id: number; failed: true };

// The DOM types declare a window; a worker's `postMessage` accepts transferables.
const post = postMessage as (done: PreviewDone, handOver?: { transfer: ImageBitmap[] }) => void;

/** Scales a picture down, rotated as its metadata says. */
async function makeSmall({ id, file, width }: PreviewTask): Promise<void> {
  try {
    const whole = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const natural = { width: whole.width, height: whole.height };
    const pixels = previewPixels(width, natural);
    const bitmap = await createImageBitmap(whole, {
      resizeWidth: pixels.width,
      resizeHeight: pixels.height,
      resizeQuality: 'high',
    });
    whole.close();
    post({ id, natural, bitmap }, { transfer: [bitmap] });
  } catch {
    post({ id, failed: true });
  }
}

addEventListener('message', ({ data }: MessageEvent<PreviewTask>) => void makeSmall(data));
