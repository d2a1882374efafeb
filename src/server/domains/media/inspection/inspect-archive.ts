import type { Readable } from 'node:stream';
import { type Entry, type ZipFile, open } from 'yauzl';
import { Refusal } from '#contract/base/refusals.ts';
import type { FileMime } from '#contract/uploads.ts';

const ENTRIES_MAX = 1_000;
const INFLATED_BYTES_MAX = 100_000_000;
const RATIO_MAX = 100;
/** Below this size an archive is never a bomb, at any ratio: a page of zeros packs well. */
const HARMLESS_BYTES = 1_000_000;

const officeParts = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'word/document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xl/workbook',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'ppt/presentation',
} as const satisfies Partial<Record<FileMime, string>>;

export const isArchive = (mime: FileMime): boolean =>
  mime === 'application/zip' || mime in officeParts;

/** Nested archives hide bombs; office documents are archives, and one level of them is accepted. */
const officeName = /\.(docx|xlsx|pptx|odt|ods|odp)$/i;
const archiveName = /\.(zip|rar|7z|gz|tgz|bz2|xz|zst|tar|jar|apk|cab|iso)$/i;
const macros = /(^|\/)vbaProject\.bin$|(^|\/)activeX\//i;
const SYMLINK = 0o120000;
const FILE_TYPE = 0o170000;

/**
 * Inspects an archive: the size of its content, measured by inflating it, and whether it matches its type.
 *
 * @throws Refusal `upload_unsafe`, or `upload_contradicts` when an office document is another type or none.
 */
export async function inspectArchive(path: string, mime: FileMime): Promise<void> {
  const zip = await openArchive(path);
  try {
    const entries = await entriesOf(zip);
    refuseBomb(entries, zip.fileSize);
    for (const entry of entries) refuseEntry(entry, mime);
    if (mime in officeParts) requireParts(entries, mime as keyof typeof officeParts);
    let inflated = 0;
    for (const entry of entries) {
      inflated += await inflatedBytes(zip, entry, INFLATED_BYTES_MAX - inflated);
    }
  } catch (error) {
    throw error instanceof Refusal ? error : broken(error);
  } finally {
    zip.close();
  }
}

const unsafe = (why: string) => new Refusal('upload_unsafe', { why });
const broken = (cause: unknown) => Object.assign(unsafe('arsipnya rusak'), { cause });

function openArchive(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    const how = { lazyEntries: true, autoClose: false, strictFileNames: true };
    open(path, how, (error, zip) => (error ? reject(broken(error)) : resolve(zip)));
  });
}

function entriesOf(zip: ZipFile): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = [];
    zip.once('error', reject);
    zip.once('end', () => resolve(entries));
    zip.on('entry', (entry: Entry) => {
      entries.push(entry);
      if (entries.length > ENTRIES_MAX) resolve(entries);
      else zip.readEntry();
    });
    zip.readEntry();
  });
}

function refuseBomb(entries: readonly Entry[], fileBytes: number): void {
  if (entries.length > ENTRIES_MAX) {
    throw unsafe(`arsipnya berisi lebih dari ${ENTRIES_MAX} berkas`);
  }
  const claimed = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (claimed > INFLATED_BYTES_MAX || isBomb(claimed, fileBytes)) {
    throw unsafe('isi arsipnya terlalu besar setelah dibuka');
  }
}

const isBomb = (inflated: number, packed: number): boolean =>
  inflated > HARMLESS_BYTES && inflated > packed * RATIO_MAX;

function refuseEntry(entry: Entry, mime: FileMime): void {
  const { fileName } = entry;
  if (entry.isEncrypted()) throw unsafe('arsip berkata sandi tidak dapat diperiksa');
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMLINK) {
    throw unsafe('arsipnya berisi tautan ke tempat lain');
  }
  if (mime in officeParts && macros.test(fileName)) throw unsafe('dokumen ini berisi makro');
  if (mime === 'application/zip' && archiveName.test(fileName)) {
    throw unsafe('ada arsip di dalam arsip');
  }
}

function requireParts(entries: readonly Entry[], mime: keyof typeof officeParts): void {
  const names = entries.map(({ fileName }) => fileName);
  const main = officeParts[mime];
  const isDocument =
    names.includes('[Content_Types].xml') && names.some((name) => name.startsWith(`${main}`));
  if (!isDocument) throw new Refusal('upload_contradicts', {});
}

/** Inflates an entry to measure it, because the sizes in an archive's directory may be false. */
async function inflatedBytes(zip: ZipFile, entry: Entry, left: number): Promise<number> {
  if (entry.fileName.endsWith('/')) return 0;
  const stream = await streamOf(zip, entry);
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      const more = chunk as Buffer;
      if (bytes === 0 && isNested(more, entry.fileName)) throw unsafe('ada arsip di dalam arsip');
      bytes += more.length;
      if (bytes > left) throw unsafe('isi arsipnya terlalu besar setelah dibuka');
    }
  } finally {
    stream.destroy();
  }
  return bytes;
}

const isNested = (head: Buffer, name: string): boolean =>
  head.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1')) && !officeName.test(name);

function streamOf(zip: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
}
