import jsQR from 'jsqr';

/** A picture's dots: four bytes each, row by row. */
export type Pixels = { data: Uint8ClampedArray; width: number; height: number };

/** What the QR code in a picture says, light on dark too; `undefined` when there is none to read. */
export function readQr({ data, width, height }: Pixels): string | undefined {
  const found = jsQR(data, width, height, { inversionAttempts: 'attemptBoth' });
  return found?.data || undefined;
}
