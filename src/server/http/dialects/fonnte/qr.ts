import { toBuffer } from 'qrcode';

/** A QR of an address as a PNG, in base64 without a prefix. */
export async function qrPng(address: string): Promise<string> {
  const png = await toBuffer(address, { type: 'png', margin: 2, scale: 6 });
  return png.toString('base64');
}
