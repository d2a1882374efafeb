import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import { publicId } from '#contract/base/ids.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { WIB, formatDate, formatDateTimeZone } from '#contract/base/time.ts';
import {
  type InvoiceRow,
  type Party,
  dppOf,
  notesOf,
  paymentWords,
  verifyUrlOf,
} from '#server/domains/billing/invoices/row.ts';
import { terbilang } from '#server/domains/billing/invoices/terbilang.ts';
import { drawLogo, drawQr } from './brand.ts';
import { INNER, PAGE, PAGE_END, type Sheet, footPages, ink, openSheet } from './sheet.ts';
import { type Column, cellWidth, drawCells, drawHead, drawRule, figures } from './table.ts';

/** Above this amount, a document marked LUNAS is a receipt that requires an e-Meterai (UU 10/2020). */
export const STAMP_DUTY_OVER = 5_000_000;

type Options = {
  origin: string;
  stampsOver5m: boolean;
};

const LEFT = PAGE.margin;
const RIGHT = PAGE.width - PAGE.margin;
const QR = 92;

/** Renders a paid invoice or a credit note; the same row gives the same bytes. */
export async function invoicePdf(row: InvoiceRow, options: Options): Promise<Buffer> {
  if (row.number === null || row.paid_at === null) throw new Error('an invoice without a number');
  const isNote = row.kind === 'credit_note';
  const sheet = await openSheet({
    title: `${isNote ? 'Nota kredit' : 'Tagihan'} ${row.number}`,
    author: row.seller.name,
    createdAt: row.paid_at,
  });
  drawTitle(sheet, row);
  const belowParties = drawParties(sheet, row, verifyUrlOf(options.origin, row.doc_ref));
  const belowLines = drawLines(sheet, row, belowParties + 22);
  drawClosing(sheet, row, { y: belowLines + 14, ...options });
  footPages(sheet, [
    'Dokumen ini dibuat secara elektronik dan sah tanpa tanda tangan.',
    `Keasliannya dapat diperiksa di ${verifyUrlOf(options.origin, row.doc_ref)}`,
  ]);
  return sheet.finish();
}

function rightText(doc: PDFKit.PDFDocument, text: string, y: number): void {
  doc.text(text, RIGHT - doc.widthOfString(text), y, { lineBreak: false });
}

function drawTitle({ doc }: Sheet, { kind, number, paid_at }: InvoiceRow): void {
  drawLogo(doc, { x: LEFT, y: 46, size: 34 });
  const [title, subtitle] =
    kind === 'credit_note' ? ['NOTA KREDIT', 'Credit note'] : ['TAGIHAN', 'Invoice'];
  doc.font('bold').fontSize(22).fillColor(ink.text);
  rightText(doc, title, 42);
  doc.font('regular').fontSize(9).fillColor(ink.muted);
  rightText(doc, subtitle, 71);
  doc.font('bold').fontSize(10).fillColor(ink.brand);
  rightText(doc, number ?? '', 90);
  doc.font('regular').fontSize(9).fillColor(ink.muted);
  rightText(doc, `${formatDate(paid_at ?? '')} (WIB)`, 105);
  drawRule(doc, 130);
}

/** @returns the y coordinate below the longest block. */
function drawParties(sheet: Sheet, { seller, buyer }: InvoiceRow, verifyUrl: string): number {
  const { doc } = sheet;
  const top = 146;
  const gap = 20;
  const width = (INNER - QR - 2 * gap) / 2;
  const ends = [
    drawParty(sheet, seller, { label: 'DARI', x: LEFT, y: top, width }),
    drawParty(sheet, buyer, { label: 'KEPADA', x: LEFT + width + gap, y: top, width }),
    top + QR + 14,
  ];
  drawQr(doc, verifyUrl, { x: RIGHT - QR, y: top, size: QR });
  doc.font('regular').fontSize(7).fillColor(ink.muted);
  const caption = 'Pindai untuk memeriksa';
  const left = RIGHT - QR + (QR - doc.widthOfString(caption)) / 2;
  doc.text(caption, left, top + QR + 5, { lineBreak: false });
  return Math.max(...ends);
}

type Block = { label: string; x: number; y: number; width: number };

function drawParty(sheet: Sheet, party: Party, { label, x, y, width }: Block): number {
  const { doc, clean } = sheet;
  doc.font('bold').fontSize(7.5).fillColor(ink.muted);
  doc.text(label, x, y, { lineBreak: false });
  doc.font('bold').fontSize(11).fillColor(ink.text);
  let end = y + 14 + paragraph(doc, clean(party.name, 160), { x, y: y + 14, width, lines: 2 });
  doc.font('regular').fontSize(8.5).fillColor(ink.muted);
  const facts: readonly [string | null, number][] = [
    [party.address, 4],
    [party.npwp === null ? null : `NPWP ${npwpText(party.npwp)}`, 1],
    [party.email, 1],
    [party.phone === null ? null : phoneText(party.phone), 1],
  ];
  for (const [fact, lines] of facts) {
    if (fact === null || fact === '') continue;
    end += 3 + paragraph(doc, clean(fact, 300), { x, y: end + 3, width, lines });
  }
  return end;
}

type Paragraph = { x: number; y: number; width: number; lines: number };

/** Draws at most `lines` lines, the last one cut. @returns the height. */
function paragraph(
  doc: PDFKit.PDFDocument,
  text: string,
  { x, y, width, lines }: Paragraph,
): number {
  const height = Math.min(
    doc.heightOfString(text, { width }),
    lines * doc.currentLineHeight(true) + 1,
  );
  doc.text(text, x, y, { width, height, ellipsis: true });
  return height;
}

/** 15 digits as `01.234.567.8-901.000`; 16 digits (the new format) in groups of four. */
const npwpText = (npwp: string): string =>
  npwp.length === 15
    ? npwp.replace(/^(..)(...)(...)(.)(...)(...)$/, '$1.$2.$3.$4-$5.$6')
    : npwp.replace(/(....)(?=.)/g, '$1 ');

/** Formats a customer's number as the portal does; a seller's telephone stays as configured. */
const phoneText = (phone: string): string => (/^62\d+$/.test(phone) ? formatPhone(phone) : phone);

const columns: readonly Column[] = [
  { title: 'Uraian', width: INNER - 60 - 110 - 110 },
  { title: 'Jumlah', width: 60, align: 'right' },
  { title: 'Harga satuan', width: 110, align: 'right' },
  { title: 'Nilai (Rp)', width: 110, align: 'right' },
];

function drawLines(sheet: Sheet, row: InvoiceRow, top: number): number {
  const { doc, clean } = sheet;
  const [first] = columns;
  const width = first ? cellWidth(first) : INNER;
  let y = drawHead(sheet, columns, top);
  for (const line of row.lines) {
    doc.font('regular').fontSize(9.5).fillColor(ink.text);
    const text = clean(line.text, 200);
    const height = Math.min(doc.heightOfString(text, { width }), 3 * doc.currentLineHeight(true));
    if (y + height + 16 > PAGE_END) {
      doc.addPage();
      y = drawHead(sheet, columns, PAGE.margin);
      doc.font('regular').fontSize(9.5).fillColor(ink.text);
    }
    doc.text(text, LEFT + 8, y + 8, { width, height: height + 1, ellipsis: true });
    const cells = ['', line.quantity, line.price, line.amount].map((one) =>
      typeof one === 'number' ? formatNumber(one) : one,
    );
    drawCells(doc, columns, { cells, y: y + 8 });
    y += height + 16;
    drawRule(doc, y);
  }
  return y;
}

type Closing = Options & { y: number };
const SUMS = 240;

function drawClosing(sheet: Sheet, row: InvoiceRow, { y, stampsOver5m }: Closing): void {
  const { doc } = sheet;
  const room = 210;
  let top = y;
  if (top + room > PAGE_END) {
    doc.addPage();
    top = PAGE.margin;
  }
  const belowSums = drawSums(sheet, row, top);
  const belowWords = drawWords(sheet, row, top);
  const below = Math.max(belowSums, belowWords) + 18;
  const isStamped = row.kind !== 'credit_note' && (row.total <= STAMP_DUTY_OVER || stampsOver5m);
  if (isStamped) drawStamp(sheet, row, below + 6);
  drawPayment(sheet, row, below);
}

function drawSums({ doc }: Sheet, row: InvoiceRow, top: number): number {
  const dpp = dppOf(row);
  const tax = row.tax;
  const percent = tax ? formatNumber((100 * tax.num) / tax.den) : '';
  const share = tax ? `${tax.dpp_num}/${tax.dpp_den}` : '';
  const sums: readonly (readonly [string, number | null, boolean])[] = [
    ['Subtotal', row.base, false],
    [`DPP nilai lain (${share})`, dpp, true],
    [`PPN ${percent}%`, row.ppn > 0 ? row.ppn : null, false],
    [
      row.unique_code >= 1 && row.unique_code <= 999 ? 'Kode unik' : 'Selisih pembayaran',
      row.unique_code === 0 ? null : row.unique_code,
      false,
    ],
  ];
  let y = top;
  for (const [label, amount, isAside] of sums) {
    if (amount === null) continue;
    doc
      .font('regular')
      .fontSize(isAside ? 8.5 : 9.5)
      .fillColor(isAside ? ink.muted : ink.text);
    drawSum(doc, { label, amount: formatNumber(amount), y });
    y += 18;
  }
  doc.roundedRect(RIGHT - SUMS, y + 2, SUMS, 32, 5).fill(ink.brand);
  doc.font('bold').fontSize(12).fillColor('#ffffff');
  drawSum(doc, { label: 'Total', amount: formatRupiah(row.total), y: y + 10.5 });
  return y + 34;
}

type Sum = { label: string; amount: string; y: number };

function drawSum(doc: PDFKit.PDFDocument, { label, amount, y }: Sum): void {
  doc.text(label, RIGHT - SUMS + 10, y, { lineBreak: false });
  const left = RIGHT - 8 - doc.widthOfString(amount, figures);
  doc.text(amount, left, y, { lineBreak: false, ...figures });
}

function drawWords({ doc, clean }: Sheet, row: InvoiceRow, top: number): number {
  const width = INNER - SUMS - 24;
  doc.font('bold').fontSize(7.5).fillColor(ink.muted);
  doc.text('TERBILANG', LEFT, top, { lineBreak: false });
  doc.font('regular').fontSize(9.5).fillColor(ink.text);
  const words = terbilang(row.total);
  const text = `${words[0]?.toUpperCase()}${words.slice(1)} rupiah`;
  let y = top + 14 + paragraph(doc, text, { x: LEFT, y: top + 14, width, lines: 6 });
  doc.fontSize(8.5).fillColor(ink.muted);
  for (const note of notesOf(row)) {
    y += 8 + paragraph(doc, clean(note, 300), { x: LEFT, y: y + 8, width, lines: 4 });
  }
  return y;
}

function drawPayment({ doc, clean }: Sheet, row: InvoiceRow, top: number): void {
  const isNote = row.kind === 'credit_note';
  const facts = [
    ...(isNote ? [] : [['Metode', paymentWords(row) ?? '']]),
    [isNote ? 'Diterbitkan' : 'Dibayar', formatDateTimeZone(row.paid_at ?? '', WIB)],
    ...(row.topup_id === null ? [] : [['Referensi', publicId('topup', row.topup_id)]]),
    ...(row.period_start && row.period_end
      ? [['Periode', `${formatDate(row.period_start)} – ${formatDate(lastDay(row.period_end))}`]]
      : []),
  ];
  doc.font('bold').fontSize(7.5).fillColor(ink.muted);
  doc.text(isNote ? 'PENERBITAN' : 'PEMBAYARAN', LEFT, top, { lineBreak: false });
  let y = top + 15;
  for (const [label = '', value = ''] of facts) {
    doc.font('regular').fontSize(9).fillColor(ink.muted);
    doc.text(label, LEFT, y, { lineBreak: false });
    doc.fillColor(ink.text).text(clean(value), LEFT + 72, y, { lineBreak: false });
    y += 16;
  }
}

/** A period ends before its last midnight. */
const lastDay = (end: Date): Date => new Date(end.getTime() - 1);

const GREEN = '#1b7f4b';

function drawStamp({ doc }: Sheet, { paid_at }: InvoiceRow, top: number): void {
  const [width, height] = [132, 52];
  const x = RIGHT - width - 6;
  doc.save().rotate(-6, { origin: [x + width / 2, top + height / 2] });
  doc.roundedRect(x, top, width, height, 6).lineWidth(2).strokeColor(GREEN).stroke();
  doc
    .roundedRect(x + 4, top + 4, width - 8, height - 8, 4)
    .lineWidth(0.6)
    .stroke();
  doc.font('bold').fontSize(22).fillColor(GREEN);
  const word = 'LUNAS';
  doc.text(word, x + (width - doc.widthOfString(word)) / 2, top + 7, { lineBreak: false });
  doc.font('regular').fontSize(7.5);
  const day = formatDate(paid_at ?? '');
  doc.text(day, x + (width - doc.widthOfString(day)) / 2, top + 34, { lineBreak: false });
  doc.restore();
}
