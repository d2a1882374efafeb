import { encodeQR } from 'qr';

/** The quiet zone in modules; without it cameras do not find the code. */
const QUIET = 4;
/** Pixels per module: sharp even when a gallery scales it down. */
const MODULE = 16;

/** The modules of a QR code with its quiet zone, row by row; true is dark. */
export const qrModules = (text: string): boolean[][] =>
  encodeQR(text, 'raw', { ecc: 'medium', border: QUIET });

export function drawQr(text: string): HTMLCanvasElement {
  const rows = qrModules(text);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = rows.length * MODULE;
  const pen = canvas.getContext('2d');
  if (!pen) throw new Error('canvas has no 2D context');
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = '#000';
  for (const [row, modules] of rows.entries()) {
    for (const [column, dark] of modules.entries()) {
      if (dark) pen.fillRect(column * MODULE, row * MODULE, MODULE, MODULE);
    }
  }
  return canvas;
}

export function qrPicture(text: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    drawQr(text).toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('canvas.toBlob failed'))),
      'image/png',
    );
  });
}
