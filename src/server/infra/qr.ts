import { PNG } from 'pngjs';
import { encodeQR } from 'qr';

/**
 * @param quiet white modules around the code; cameras need four.
 * @param scale pixels per module, or the minimum side in pixels.
 */
export function qrPng(
  text: string,
  { quiet, scale }: { quiet: number; scale: number | { sideMin: number } },
): Buffer {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: quiet });
  const dots = typeof scale === 'number' ? scale : Math.ceil(scale.sideMin / modules.length);
  const side = modules.length * dots;
  const png = new PNG({ width: side, height: side, colorType: 0 });
  png.data.fill(0xff);
  for (let y = 0; y < side; y += 1) {
    const row = modules[Math.floor(y / dots)] ?? [];
    for (let x = 0; x < side; x += 1) {
      if (row[Math.floor(x / dots)]) png.data.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3);
    }
  }
  return PNG.sync.write(png, { colorType: 0 });
}
