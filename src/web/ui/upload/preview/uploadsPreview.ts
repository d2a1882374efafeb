/** The lowest and the highest a preview is, in CSS pixels. */
const HEIGHT_MIN = 44;
const HEIGHT_MAX = 256;
/** A preview has so many pixels for each of the screen's, both ways: it stays sharp on fine screens. */
export const PREVIEW_ZOOM = 2;
/** Where pictures cannot be made small beside the page, longer files wait for one another (bytes). */
export const PREVIEW_INSTANT_BYTES = 1_000_000;
/** What is drawn by lines is made this wide first (px). */
const VECTOR_WIDTH = 2_048;

type Size = { width: number; height: number };

/** How high (px) a picture's preview is in an item of this width. */
export function previewHeight(itemWidth: number, natural: Size): number {
  if (natural.width <= 0 || natural.height <= 0) return HEIGHT_MIN;
  const fitting = itemWidth * (natural.height / natural.width);
  const most = Math.max(HEIGHT_MIN, Math.min(natural.height, HEIGHT_MAX));
  return Math.max(HEIGHT_MIN, Math.round(Math.min(fitting, most)));
}

/** The pixels a preview is made of: all of the picture in its box, never more than the picture has. */
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

/** The size of a picture drawn by lines, before it is made small: 2,048 wide. */
export const vectorSize = ({ width, height }: Size): Size =>
  width > 0 && height > 0
    ? { width: VECTOR_WIDTH, height: Math.round((VECTOR_WIDTH * height) / width) }
    : { width: VECTOR_WIDTH, height: VECTOR_WIDTH };

/** Whether a file is shown as a picture. */
export const isPreviewed = (type: string): boolean => /^image\/[\w.+-]+$/.test(type);
