import type { UploadMetadata } from '#contract/uploads.ts';

type Size = { width: number; height: number };
export type Crop = NonNullable<UploadMetadata['crop']>;

/**
 * The visible square of a picture: its zoom, and its position in the remaining space, from 0 (left, top) to 1 (right,
 * bottom).
 */
export type View = { zoom: number; x: number; y: number };

export const wholeView: View = { zoom: 1, x: 0.5, y: 0.5 };
export const ZOOM_MAX = 4;

const clamp = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, value));

/** The visible square in fractions of the upright picture, for the server's crop. */
export function cropOf({ width, height }: Size, { zoom, x, y }: View): Crop {
  const side = Math.min(width, height) / zoom;
  const part = { width: side / width, height: side / height };
  return { x: (1 - part.width) * x, y: (1 - part.height) * y, ...part };
}

/** The picture's position behind a square window of `side` px, in px from the window's corner. */
export function pictureBehind(picture: Size, view: View, side: number) {
  const crop = cropOf(picture, view);
  const [width, height] = [side / crop.width, side / crop.height];
  return { width, height, left: -crop.x * width, top: -crop.y * height };
}

export function dragged(
  picture: Size,
  view: View,
  side: number,
  by: { x: number; y: number },
): View {
  const { width, height } = pictureBehind(picture, view, side);
  const along = (at: number, room: number, px: number) =>
    room <= 0 ? at : clamp(at - px / room, 0, 1);
  return { ...view, x: along(view.x, width - side, by.x), y: along(view.y, height - side, by.y) };
}

/** Zooms and preserves the centre, as far as the picture reaches. */
export function zoomed(picture: Size, view: View, zoom: number): View {
  const next = clamp(zoom, 1, ZOOM_MAX);
  const before = cropOf(picture, view);
  const after = cropOf(picture, { ...view, zoom: next });
  const placed = (start: number, was: number, is: number) =>
    is >= 1 ? 0.5 : clamp((start + (was - is) / 2) / (1 - is), 0, 1);
  return {
    zoom: next,
    x: placed(before.x, before.width, after.width),
    y: placed(before.y, before.height, after.height),
  };
}
