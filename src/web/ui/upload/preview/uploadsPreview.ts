/** The minimum and maximum height of a preview, in CSS pixels. */
const HEIGHT_MIN = 44;
const HEIGHT_MAX = 256;
/** Preview pixels per CSS pixel, in both directions, for sharpness on high-density screens. */
export const PREVIEW_ZOOM = 2;
/** Without a worker, larger files (bytes) are scaled one at a time. */
export const PREVIEW_INSTANT_BYTES = 1_000_000;
/** Vector pictures are rendered at this width first (px). */
const VECTOR_WIDTH = 2_048;

type Size = { width: number; height: number };

/** The height (px) of a picture's preview in an item of this width. */
export function previewHeight(itemWidth: number, natural: Size): number {
  if (natural.width <= 0 || natural.height <= 0) return HEIGHT_MIN;
  const fitting = itemWidth * (natural.height / natural.width);
  const most = Math.max(HEIGHT_MIN, Math.min(natural.height, HEIGHT_MAX));
  return Math.max(HEIGHT_MIN, Math.round(Math.min(fitting, most)));
}

/** The pixel size of a preview: the whole picture fitted into its box, never upscaled. */
export function previewPixels(itemWidth: number, natural: Size): Size {
  const height = previewHeight(itemWidth, natural) * PREVIEW_ZOOM;
  const scale = Math.min(
    1,
    height / Math.max(1, natural.height),
    (itemWidth * PREVIEW_ZOOM) / Math.max(1, natural.width),
  );
  return {
    width: Math.max(1, Math.round(natural.width * scale)),
    height: Math.max(1, Math.round(natural.height * scale)),
  };
}

/** The initial size of a vector picture: 2,048 wide. */
export const vectorSize = ({ width, height }: Size): Size =>
  width > 0 && height > 0
    ? { width: VECTOR_WIDTH, height: Math.round((VECTOR_WIDTH * height) / width) }
    : { width: VECTOR_WIDTH, height: VECTOR_WIDTH };

/** True if a file is shown as a picture. */
export const isPreviewed = (type: string): boolean => /^image\/[\w.+-]+$/.test(type);
