import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

/** The looks of our documents: sober, and the portal's own colour. */
export const ink = {
  text: '#1c2526',
  muted: '#5c6b6d',
  line: '#d5dddd',
  brand: '#026064',
} as const;
/** Behind the head of a table. */
export const TINT = '#eef5f4';

/** A4 upright, in points. */
export const PAGE = { width: 595.28, height: 841.89, margin: 48, foot: 64 } as const;
export const INNER = PAGE.width - 2 * PAGE.margin;
/** What is below it belongs to the foot of the page. */
export const PAGE_END = PAGE.height - PAGE.margin - PAGE.foot;

/** A document that is being drawn, and how texts that came from people are made fit for it. */
export type Sheet = {
  doc: PDFKit.PDFDocument;
  /** A text of somebody as one line of letters that the font has, at most so many. */
  clean: (text: string, max?: number) => string;
  /** `clean`, cut so that it is not wider. */
  fit: (text: string, width: number) => string;
  /** Ends the document: its bytes, the same for the same drawing. */
  finish: () => Promise<Buffer>;
};

type Fonts = { regular: Buffer; bold: Buffer };
let fonts: Promise<Fonts> | undefined;

/** Plus Jakarta Sans, the portal's font; what a document uses of it is embedded in it. */
function readFonts(): Promise<Fonts> {
  const read = (name: string) => readFile(join(import.meta.dirname, 'fonts', name));
  fonts ??= Promise.all([
    read('PlusJakartaSans-Regular.ttf'),
    read('PlusJakartaSans-Bold.ttf'),
  ]).then(([regular, bold]) => ({ regular, bold }));
  return fonts;
}

type SheetFacts = {
  title: string;
  author: string;
  /** Written into it: the same facts give the same bytes. */
  createdAt: Date;
};

/** Begins a document of A4 pages. */
export async function openSheet({ title, author, createdAt }: SheetFacts): Promise<Sheet> {
  // Loaded with the first document: with its fonts it would weigh on every process.
  const [{ regular, bold }, { default: PDFDocument }] = await Promise.all([
    readFonts(),
    import('pdfkit'),
  ]);
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    lang: 'id-ID',
    displayTitle: true,
    pdfVersion: '1.7',
    font: '',
    info: {
      Title: title,
      Author: letters(author),
      Creator: 'Kabari',
      Producer: 'Kabari',
      CreationDate: createdAt,
      ModDate: createdAt,
    },
  });
  doc.registerFont('regular', regular).registerFont('bold', bold);
  for (const name of ['bold', 'regular']) rememberLayouts(fontOf(doc.font(name)));
  doc.fillColor(ink.text);
  const bytes = buffer(doc);
  const clean = cleanerOf(doc);
  return {
    doc,
    clean,
    fit: (text, width) => fitted(doc, clean(text), width),
    finish: () => {
      doc.end();
      return bytes;
    },
  };
}

const LENGTH_MAX = 500;

/** Controls, marks that turn the direction of writing, and what has no width: none of it is to be seen. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu;

/** A text of people on one line, without anything that acts on its surroundings. */
const letters = (text: string): string =>
  text.toWellFormed().normalize('NFC').replace(unseen, ' ').replace(/\s+/g, ' ').trim();

/** Marks of their own that follow a letter, beyond one or two: they would be stacked over other lines. */
const stacked = /(\p{M}{2})\p{M}+/gu;

/** What pdfkit has of a font, as far as it is used here. */
type Font = {
  font: { hasGlyphForCodePoint: (point: number) => boolean };
  layout: (text: string, features?: readonly string[]) => object;
};

const fontOf = (doc: PDFKit.PDFDocument): Font => (doc as unknown as { _font: Font })._font;

const LAYOUTS_MAX = 2_000;

/** A text is measured three times before it is drawn, and many are the same: each is laid out once. */
function rememberLayouts(font: Font): void {
  const layouts = new Map<string, object>();
  const layout = font.layout.bind(font);
  font.layout = (text, features) => {
    const key = `${features?.join() ?? ''}|${text}`;
    const known = layouts.get(key);
    if (known) return known;
    if (layouts.size >= LAYOUTS_MAX) layouts.clear();
    const made = layout(text, features);
    layouts.set(key, made);
    return made;
  };
}

/** What the font has no letter for is shown as a box, one for each. */
function cleanerOf(doc: PDFKit.PDFDocument) {
  const { font } = fontOf(doc);
  const has = (char: string) => font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0);
  const box = ['□', '?'].find(has) ?? '?';
  return (text: string, max = LENGTH_MAX): string => {
    const points = [...letters(text.slice(0, 4 * LENGTH_MAX)).replace(stacked, '$1')];
    const cut = points.length > max ? [...points.slice(0, max - 1), '…'] : points;
    return cut.map((char) => (has(char) ? char : box)).join('');
  };
}

function fitted(doc: PDFKit.PDFDocument, text: string, width: number): string {
  if (doc.widthOfString(text) <= width) return text;
  const points = [...text];
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const part = `${points.slice(0, middle).join('').trimEnd()}…`;
    if (doc.widthOfString(part) <= width) low = middle;
    else high = middle - 1;
  }
  return `${points.slice(0, low).join('').trimEnd()}…`;
}

/** Puts the same foot on every page, with its number. */
export function footPages({ doc }: Sheet, words: readonly string[]): void {
  const { start, count } = doc.bufferedPageRange();
  for (let page = 0; page < count; page++) {
    doc.switchToPage(start + page);
    const top = PAGE.height - PAGE.margin - 26;
    doc
      .moveTo(PAGE.margin, top - 10)
      .lineTo(PAGE.width - PAGE.margin, top - 10)
      .lineWidth(0.5)
      .strokeColor(ink.line)
      .stroke();
    doc.font('regular').fontSize(7.5).fillColor(ink.muted);
    for (const [line, text] of words.entries()) {
      doc.text(text, PAGE.margin, top + line * 11, { lineBreak: false });
    }
    const place = `Halaman ${page + 1} dari ${count}`;
    doc.text(place, PAGE.width - PAGE.margin - doc.widthOfString(place), top, { lineBreak: false });
  }
}
