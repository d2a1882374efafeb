/** Longest sides (px) at which a picture is scanned: a code may be large or small in it. */
const SIDES = [1600, 900, 480] as const;

type Drawable = { source: CanvasImageSource; width: number; height: number };

/** The pixels of a picture, its longest side no longer than `side`. */
function pixelsOf({ source, width, height }: Drawable, side: number): ImageData | undefined {
  const scale = Math.min(1, side / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  if (!pen) return undefined;
  // A transparent picture gets a white background, not a black one.
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(source, 0, 0, canvas.width, canvas.height);
  return pen.getImageData(0, 0, canvas.width, canvas.height);
}

/** Scans an image for a QR code at several sizes. The reader is loaded lazily. */
async function look(drawable: Drawable, sides: readonly number[]): Promise<string | undefined> {
  const { readQr } = await import('#web/features/simulator/camera/readQr.ts');
  for (const [index, side] of sides.entries()) {
    const smaller = Math.max(drawable.width, drawable.height) <= (sides[index + 1] ?? 0);
    const pixels = smaller ? undefined : pixelsOf(drawable, side);
    const text = pixels && readQr(pixels);
    if (text) return text;
  }
  return undefined;
}

/**
 * The text of the QR code in a picture; `undefined` when none can be read.
 *
 * @param url a `blob:` or `data:` address.
 * @throws an EncodingError when it is not a picture.
 */
export async function readPicture(url: string): Promise<string | undefined> {
  const image = new Image();
  image.src = url;
  await image.decode();
  return look({ source: image, width: image.naturalWidth, height: image.naturalHeight }, SIDES);
}

export async function readFrame(video: HTMLVideoElement): Promise<string | undefined> {
  if (video.videoWidth === 0) return undefined;
  return look({ source: video, width: video.videoWidth, height: video.videoHeight }, [900]);
}
