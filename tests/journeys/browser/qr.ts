import type { Locator } from 'playwright-core';
import { PNG } from 'pngjs';
import { decodeQR } from 'qr/decode.js';

/** Decodes a QR from its picture alone, as a camera does. @throws Error if it contains none. */
export async function readQr(shown: Locator): Promise<string> {
  return decodeQR(PNG.sync.read(await shown.screenshot()));
}
