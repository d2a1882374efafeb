import { INNER, PAGE, type Sheet, TINT, ink } from './sheet.ts';

export type Column = { title: string; width: number; align?: 'right' };

const PADDING = 8;

export const cellWidth = ({ width }: Column): number => width - 2 * PADDING;

/** @returns the y coordinate right below the head. */
export function drawHead({ doc }: Sheet, columns: readonly Column[], y: number): number {
  const height = 22;
  doc.roundedRect(PAGE.margin, y, INNER, height, 4).fill(TINT);
  doc.font('bold').fontSize(8).fillColor(ink.brand);
  drawCells(doc, columns, { cells: columns.map(({ title }) => title), y: y + 6.5 });
  return y + height;
}

/** Draws the cells of a row on one line; texts are already truncated to their cells. */
export function drawCells(
  doc: PDFKit.PDFDocument,
  columns: readonly Column[],
  { cells, y }: { cells: readonly string[]; y: number },
): void {
  let x: number = PAGE.margin;
  for (const [index, column] of columns.entries()) {
    const text = cells[index] ?? '';
    const left =
      column.align === 'right'
        ? x + column.width - PADDING - doc.widthOfString(text, figures)
        : x + PADDING;
    if (text !== '') {
      doc.text(text, left, y, { lineBreak: false, ...(column.align && figures) });
    }
    x += column.width;
  }
}

export const figures: { features: ['tnum'] } = { features: ['tnum'] };

export function drawRule(doc: PDFKit.PDFDocument, y: number): void {
  doc
    .moveTo(PAGE.margin, y)
    .lineTo(PAGE.width - PAGE.margin, y)
    .lineWidth(0.5)
    .strokeColor(ink.line)
    .stroke();
}
