import { decodeQR } from 'qr/decode.js';

/** A picture's dots: four bytes each, row by row. */
export type Pixels = { data: Uint8ClampedArray; width: number; height: number };

/** What the QR code in a picture says, light on dark too; `undefined` when there is none to read. */
export function readQr(pixels: Pixels): string | undefined {
  try {
    return decodeQR(pixels) || undefined;
  } catch {
    // Thus it says that it found none.
    return undefined;
  }
}
