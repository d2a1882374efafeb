import type { Locator } from 'playwright-core';
import { PNG } from 'pngjs';
import { decodeQR } from 'qr/decode.js';

/** What a QR on the screen says, read as a camera does: from the picture alone. @throws Error when it holds none. */
export async function readQr(shown: Locator): Promise<string> {
  return decodeQR(PNG.sync.read(await shown.screenshot()));
}
