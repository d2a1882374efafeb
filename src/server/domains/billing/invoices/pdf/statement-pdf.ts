import { setImmediate } from 'node:timers/promises';
import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import { formatDateTime, formatDateTimeZone } from '#contract/base/time.ts';
import { drawLogo } from './brand.ts';
import { INNER, PAGE, PAGE_END, type Sheet, footPages, ink, openSheet } from './sheet.ts';
import { type Column, cellWidth, drawCells, drawHead, drawRule } from './table.ts';

export type StatementRow = {
  seq: number;
  at: Date;
  kind: string;
  text: string;
  amount: number;
  after: number;
};

export type StatementFacts = {
  holder: string;
  period: string;
  only: string | null;
  opening: number;
  closing: number;
  madeAt: Date;
};

const columns: readonly Column[] = [
  { title: 'Waktu (WIB)', width: 86 },
  { title: 'Jenis', width: 112 },
  { title: 'Keterangan', width: INNER - 86 - 112 - 69 - 69 },
  { title: 'Nilai (Rp)', width: 69, align: 'right' },
  { title: 'Saldo (Rp)', width: 69, align: 'right' },
];
const ROW = 18;
/** Chosen so that the longest kind and the widest time fit into their columns. */
const ROW_TEXT = 7;
const RIGHT = PAGE.width - PAGE.margin;

/** Renders a statement. Yields to the event loop between the pages of a long one. */
export async function statementPdf(
  facts: StatementFacts,
  rows: AsyncIterable<StatementRow>,
): Promise<Buffer> {
  const title = `Mutasi saldo ${facts.period}`;
  const sheet = await openSheet({ title, author: 'Kabari', createdAt: facts.madeAt });
  const { doc, fit } = sheet;
  let y = drawHead(sheet, columns, drawTop(sheet, facts));
  let count = 0;
  for await (const row of rows) {
    if (y + ROW > PAGE_END) {
      await setImmediate();
      doc.addPage();
      y = drawHead(sheet, columns, PAGE.margin);
    }
    doc.font('regular').fontSize(ROW_TEXT).fillColor(ink.text);
    const texts = [formatDateTime(row.at), row.kind, row.text].map((text, index) => {
      const column = columns[index];
      return fit(text, column ? cellWidth(column) : 0);
    });
    const cells = [...texts, signed(row.amount), formatNumber(row.after)];
    drawCells(doc, columns, { cells, y: y + 5 });
    y += ROW;
    drawRule(doc, y);
    count += 1;
  }
  if (count === 0) {
    doc.font('regular').fontSize(9).fillColor(ink.muted);
    doc.text('Tidak ada mutasi pada hari-hari ini.', PAGE.margin + 8, y + 12, { lineBreak: false });
  }
  footPages(sheet, [
    'Dokumen ini dibuat secara elektronik dan sah tanpa tanda tangan.',
    `Dibuat ${formatDateTimeZone(facts.madeAt)}`,
  ]);
  return sheet.finish();
}

const signed = (amount: number): string => `${amount > 0 ? '+' : ''}${formatNumber(amount)}`;

function drawTop({ doc, fit }: Sheet, facts: StatementFacts): number {
  drawLogo(doc, { x: PAGE.margin, y: 46, size: 34 });
  doc.font('bold').fontSize(18).fillColor(ink.text);
  right(doc, 'MUTASI SALDO', 44);
  doc.font('regular').fontSize(9).fillColor(ink.muted);
  right(doc, facts.period, 70);
  if (facts.only !== null) right(doc, `Hanya: ${facts.only}`, 84);
  drawRule(doc, 110);
  doc.font('bold').fontSize(11).fillColor(ink.text);
  doc.text(fit(facts.holder, INNER / 2), PAGE.margin, 126, { lineBreak: false });
  const sums: readonly [string, number][] = [
    ['Saldo awal', facts.opening],
    ['Saldo akhir', facts.closing],
  ];
  for (const [place, [label, amount]] of sums.entries()) {
    const x = RIGHT - (2 - place) * 120;
    doc.font('regular').fontSize(8).fillColor(ink.muted).text(label, x, 122, { lineBreak: false });
    doc.font('bold').fontSize(11).fillColor(ink.brand);
    doc.text(formatRupiah(amount), x, 134, { lineBreak: false });
  }
  return 166;
}

function right(doc: PDFKit.PDFDocument, text: string, y: number): void {
  doc.text(text, RIGHT - doc.widthOfString(text), y, { lineBreak: false });
}
