import jsQR from 'jsqr';
import type { Locator } from 'playwright-core';
import { PNG } from 'pngjs';

/** What a QR on the screen says, read as a camera does: from the picture alone. */
export async function readQr(shown: Locator): Promise<string | undefined> {
  const { data, width, height } = PNG.sync.read(await shown.screenshot());
  return jsQR.default(new Uint8ClampedArray(data), width, height)?.data;
}
