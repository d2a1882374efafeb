import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

export const ink = {
  text: '#1c2526',
  muted: '#5c6b6d',
  line: '#d5dddd',
  brand: '#026064',
} as const;
export const TINT = '#eef5f4';

/** A4 portrait, in points. */
export const PAGE = { width: 595.28, height: 841.89, margin: 48, foot: 64 } as const;
export const INNER = PAGE.width - 2 * PAGE.margin;
export const PAGE_END = PAGE.height - PAGE.margin - PAGE.foot;

export type Sheet = {
  doc: PDFKit.PDFDocument;
  /** Text from users as one line of at most `max` characters that the font can draw. */
  clean: (text: string, max?: number) => string;
  fit: (text: string, width: number) => string;
  /** Ends the document and returns its bytes, equal for equal drawings. */
  finish: () => Promise<Buffer>;
};

type Fonts = { regular: Buffer; bold: Buffer };
let fonts: Promise<Fonts> | undefined;

/** Plus Jakarta Sans, the portal's font; the document embeds the glyphs it uses. */
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
  /** Written into the PDF, so that the same facts give the same bytes. */
  createdAt: Date;
};

export async function openSheet({ title, author, createdAt }: SheetFacts): Promise<Sheet> {
  // Imported with the first document, because the module and its fonts are large.
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
  for (const name of ['bold', 'regular']) cacheLayouts(fontOf(doc.font(name)));
  doc.fillColor(ink.text);
  const bytes = buffer(doc);
  const clean = createCleaner(doc);
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

/** Control characters, marks that change the direction of writing, and characters without width. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu;

const letters = (text: string): string =>
  text.toWellFormed().normalize('NFC').replace(unseen, ' ').replace(/\s+/g, ' ').trim();

/** More than two combining marks after a letter would overlap other lines. */
const stacked = /(\p{M}{2})\p{M}+/gu;

type Font = {
  font: { hasGlyphForCodePoint: (point: number) => boolean };
  layout: (text: string, features?: readonly string[]) => object;
};

const fontOf = (doc: PDFKit.PDFDocument): Font => (doc as unknown as { _font: Font })._font;

const LAYOUTS_MAX = 2_000;

/** Caches layouts: a text is measured three times before it is drawn, and many texts repeat. */
function cacheLayouts(font: Font): void {
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

function createCleaner(doc: PDFKit.PDFDocument) {
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
