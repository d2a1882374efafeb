import { create } from 'qrcode';

/** Modules of white around a code, without which cameras do not find it. */
export const QUIET = 4;
/** Pixels of a module: sharp also where a gallery makes it smaller. */
const MODULE = 16;

/** A QR code as a PNG with its quiet zone, to be kept and opened elsewhere. */
export async function qrPicture(text: string): Promise<Blob> {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = (modules.size + 2 * QUIET) * MODULE;
  const pen = canvas.getContext('2d');
  if (!pen) throw new Error('a canvas without a context');
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = '#000';
  for (let row = 0; row < modules.size; row += 1) {
    for (let column = 0; column < modules.size; column += 1) {
      if (!modules.get(row, column)) continue;
      pen.fillRect((column + QUIET) * MODULE, (row + QUIET) * MODULE, MODULE, MODULE);
    }
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png');
  });
}
