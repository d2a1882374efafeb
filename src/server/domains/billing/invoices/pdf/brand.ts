import { encodeQR } from 'qr';
import { ink } from './sheet.ts';

const BUBBLE =
  'M18 6h28a14 14 0 0 1 14 14v20a14 14 0 0 1-14 14H25.5l-12.3 7.4A2.5 2.5 0 0 1 9.4 59.2V51.7A14 14 0 0 1 4 40V20A14 14 0 0 1 18 6Z';
const LETTER = 'M23.5 17v26M41.5 22.5 24.5 33.2M30.5 29.5 42 43';
const SIDE = 64;

type Place = { x: number; y: number; size: number };

export function drawLogo(doc: PDFKit.PDFDocument, { x, y, size }: Place): void {
  doc
    .save()
    .translate(x, y)
    .scale(size / SIDE);
  doc.path(BUBBLE).fill(ink.brand);
  doc
    .path(LETTER)
    .lineWidth(6.5)
    .lineCap('round')
    .lineJoin('round')
    .strokeColor('#ffffff')
    .stroke();
  doc.restore();
  doc
    .font('bold')
    .fontSize(size * 0.66)
    .fillColor(ink.brand)
    .text('Kabari', x + size * 1.22, y + size * 0.06, { lineBreak: false });
}

/** Draws a QR code as runs of dark modules. The caller leaves a white margin around it. */
export function drawQr(doc: PDFKit.PDFDocument, text: string, { x, y, size }: Place): void {
  // The border of one module lies outside the given box.
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 1 });
  const unit = size / (rows.length - 2);
  doc.save();
  for (const [row, modules] of rows.entries()) {
    for (let column = 0; column < modules.length; column++) {
      const from = column;
      while (modules[column]) column += 1;
      if (column > from) {
        doc.rect(x + (from - 1) * unit, y + (row - 1) * unit, (column - from) * unit, unit);
      }
    }
  }
  doc.fill('#000000').restore();
}
