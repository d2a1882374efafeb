import { decodeQR } from 'qr/decode.js';

export type Pixels = { data: Uint8ClampedArray; width: number; height: number };

/** The text of the QR code in a picture, light on dark too; `undefined` without a readable one. */
export function readQr(pixels: Pixels): string | undefined {
  try {
    return decodeQR(pixels) || undefined;
  } catch {
    // The reader throws when it found none.
    return undefined;
  }
}
