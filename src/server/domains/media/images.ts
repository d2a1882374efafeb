import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { Refusal } from '#contract/base/refusals.ts';
import type { UploadMetadata } from '#contract/uploads.ts';
import { TURN_WAIT_MS, semaphore } from '#server/infra/semaphore.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';

/** The accepted picture types; each is decoded and drawn anew. */
export type PictureMime = 'image/jpeg' | 'image/png' | 'image/webp';
type Crop = NonNullable<UploadMetadata['crop']>;

/** Limits decompression bombs and giant pictures (docs/threats.md, T17). */
const PIXELS_MAX = 40_000_000;
/**
 * The longest side: the maximum of WebP, and more than cameras' panoramas. Each drawing step holds a whole row, so a
 * picture of few pixels in one row takes far more memory and time than its area suggests.
 */
const SIDE_MAX = 16_383;
const CHANNELS_MAX = 4;
/** From the first byte read to the last one written. */
const SECONDS_MAX = 10;
const AT_ONCE = 2;
/** Pictures in the queue; more are answered `busy`. */
const WAITING_MAX = 12;
const WAITING_EACH_MAX = 4;
const AVATAR_PIXELS = 512;
const QUALITY = 85;
const PREVIEW_PIXELS = 640;
const PREVIEW_QUALITY = 75;

const formats: Record<string, PictureMime> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
};

const enter = semaphore(AT_ONCE, WAITING_MAX, {
  waitMs: TURN_WAIT_MS,
  waitingEachMax: WAITING_EACH_MAX,
});

export type Picture = { path: string; mime: PictureMime; accountId: string };

/**
 * Draws a picture anew: upright, without metadata or hidden content (docs/threats.md, T16).
 *
 * @param given the sender's bytes; @param to path of the new ones.
 * @throws Refusal `upload_contradicts` when it is a picture of another kind, `upload_unsafe` when it cannot be drawn,
 * is animated, takes longer than 10 s, has more than 40 million pixels, or a side of more than 16,383; `busy` when too
 * many are queued in all or from this account.
 */
export const redraw = (given: Picture, to: string): Promise<void> =>
  drawInTurn(given, async (picture, { isPalette }) => {
    const { mime } = given;
    const palette = isPalette && { palette: true };
    const drawn =
      mime === 'image/png'
        ? picture.png({ compressionLevel: 8, ...palette })
        : mime === 'image/jpeg'
          ? picture.jpeg({ quality: QUALITY })
          : picture.webp({ quality: QUALITY });
    await drawn.toFile(to);
  });

/**
 * Draws an avatar: a square WebP of 512 pixels, from the part that `crop` names (fractions of the upright picture), or
 * from the largest square in the middle.
 *
 * @throws Refusal as `redraw` does.
 */
export const redrawSquare = (given: Picture, to: string, crop?: Crop): Promise<void> =>
  drawInTurn(given, async (picture, { autoOrient: { width, height } }) => {
    const part = crop ? picture.extract(pixelsOf(crop, width, height)) : picture;
    await part
      .resize(AVATAR_PIXELS, AVATAR_PIXELS, { fit: 'cover' })
      .webp({ quality: QUALITY })
      .toFile(to);
  });

/**
 * A picture as JPEG, for clients without WebP; transparent parts become white.
 *
 * @throws Refusal as `redraw` does.
 */
export async function jpegOf(given: Picture): Promise<Buffer> {
  const drawn = Promise.withResolvers<Buffer>();
  const draw: Draw = async (picture) =>
    drawn.resolve(
      await picture.flatten({ background: 'white' }).jpeg({ quality: QUALITY }).toBuffer(),
    );
  await drawInTurn(given, draw);
  return drawn.promise;
}

export type Pixels = { width: number; height: number };

/**
 * Draws a small WebP preview of a picture that was drawn anew before.
 *
 * @param msMax the time limit, including the wait.
 * @returns the size of the picture itself, and whether a preview was drawn: not for a small picture. Undefined when
 * time was too short or the queue was full: the picture is stored without a preview.
 */
export async function drawPreview(
  given: Picture,
  to: string,
  msMax: number,
): Promise<{ pixels: Pixels; isDrawn: boolean } | undefined> {
  let pixels = { width: 0, height: 0 };
  let isDrawn = false;
  const draw: Draw = async (picture, { autoOrient }) => {
    pixels = { width: autoOrient.width, height: autoOrient.height };
    if (Math.max(pixels.width, pixels.height) <= PREVIEW_PIXELS) return;
    await picture
      .resize(PREVIEW_PIXELS, PREVIEW_PIXELS, { fit: 'inside' })
      .webp({ quality: PREVIEW_QUALITY })
      .toFile(to);
    isDrawn = true;
  };
  const waitMs = Math.min(msMax, TURN_WAIT_MS);
  const drawn = drawInTurn(given, draw, waitMs).then(() => ({ pixels, isDrawn }));
  const unlessBusy = drawn.catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'busy') return undefined;
    throw error;
  });
  return withTimeout(unlessBusy, msMax, () => undefined);
}

type Draw = (picture: Sharp, facts: Metadata) => Promise<void>;

const drawInTurn = async (given: Picture, draw: Draw, waitMs?: number): Promise<void> => {
  const outcome = Promise.withResolvers<void>();
  const turn = enter(
    async () => {
      const timer = setTimeout(() => outcome.reject(tooLong()), SECONDS_MAX * 1_000);
      await drawNow(given, draw).then(outcome.resolve, outcome.reject);
      clearTimeout(timer);
    },
    { owner: given.accountId, waitMs },
  );
  turn.catch(outcome.reject);
  return outcome.promise;
};

async function drawNow({ path, mime }: Picture, draw: Draw): Promise<void> {
  const sharp = await decoder();
  try {
    const picture = sharp(path, {
      limitInputPixels: PIXELS_MAX,
      limitInputChannels: CHANNELS_MAX,
      sequentialRead: true,
      failOn: 'error',
      pages: 1,
    });
    const facts = await picture.metadata();
    if (formats[facts.format] !== mime) throw new Refusal('upload_contradicts', {});
    if ((facts.pages ?? 1) > 1) throw unsafe('gambar bergerak tidak didukung');
    if (facts.width * facts.height > PIXELS_MAX) throw tooManyPixels();
    if (Math.max(facts.width, facts.height) > SIDE_MAX) throw tooLongSide();
    await draw(picture.autoOrient().timeout({ seconds: SECONDS_MAX }), facts);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (isResourceError(error)) throw error;
    if (!(error instanceof Error)) throw broken();
    if (/pixel limit/i.test(error.message)) throw tooManyPixels();
    throw /timeout/i.test(error.message) ? tooLong() : broken();
  }
}

const unsafe = (why: string) => new Refusal('upload_unsafe', { why });
const broken = () => unsafe('gambarnya rusak atau tidak dapat dibaca');
const tooLong = () => unsafe('gambarnya terlalu lama diolah, perkecil dahulu');
const tooLongSide = () => unsafe('sisi gambarnya lebih dari 16.383 piksel, perkecil dahulu');
const tooManyPixels = () => unsafe('gambarnya lebih dari 40 juta piksel, perkecil dahulu');

/** A full disk, or memory: not caused by the picture. */
const isResourceError = (error: unknown): boolean =>
  error instanceof Error && /ENOSPC|EIO|EMFILE|No space left|out of memory/i.test(error.message);

function pixelsOf({ x, y, width, height }: Crop, wide: number, high: number) {
  const left = Math.min(Math.floor(x * wide), wide - 1);
  const top = Math.min(Math.floor(y * high), high - 1);
  return {
    left,
    top,
    width: Math.max(1, Math.min(Math.round(width * wide), wide - left)),
    height: Math.max(1, Math.min(Math.round(height * high), high - top)),
  };
}

type Decoder = (from: string, how: SharpOptions) => Sharp;
let loading: Promise<Decoder> | undefined;

/** Loaded with the first picture, so that installations without pictures do not pay for it. */
function decoder(): Promise<Decoder> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.concurrency(1);
    sharp.cache(false);
    // Block every other loader: SVG, TIFF, PDF and so on.
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({
      operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'],
    });
    return sharp;
  });
  return loading;
}
