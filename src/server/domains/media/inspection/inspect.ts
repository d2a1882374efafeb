import { stat } from 'node:fs/promises';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type FileMime,
  type UploadMetadata,
  type UploadPurpose,
  bytesMaxFor,
  endingsFor,
  fileKinds,
  mimeOfName,
  mimesFor,
} from '#contract/uploads.ts';
import { TURN_WAIT_MS, semaphore } from '#server/infra/semaphore.ts';
import { type PictureMime, redraw, redrawSquare } from '#server/domains/media/images.ts';
import { startsAsType, controls, readEdges, findPatterns } from './inspect-bytes.ts';
import type { Scanner } from './inspect-malware.ts';
import { withEnding } from './inspect-name.ts';
import type { Readable } from 'node:stream';
import { type Entry, type ZipFile, open } from 'yauzl';

export type Claim = {
  purpose: UploadPurpose;
  name: string;
  /** Empty, or `application/octet-stream`, when the sender declares no type. */
  declared: string;
  crop?: UploadMetadata['crop'] | undefined;
};

export type Inspected = { path: string; name: string; mime: FileMime };

const unspecifiedTypes = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/**
 * The type a file must have, by the sender's claims.
 *
 * @throws Refusal `upload_kind_refused` when the purpose takes no such files, `upload_contradicts` when name and
 * declared type disagree.
 */
export function claimedMime({ purpose, name, declared }: Claim): FileMime {
  const mime = mimeOfName(name);
  if (mime === undefined || !mimesFor(purpose).includes(mime)) {
    throw new Refusal('upload_kind_refused', { allowed: endingsFor(purpose) });
  }
  const declaredType = declared.split(';')[0]?.trim().toLowerCase() ?? '';
  const fits = declaredType === mime || (fileKinds[mime].alsoDeclared ?? []).includes(declaredType);
  if (!unspecifiedTypes.has(declaredType) && !fits) throw new Refusal('upload_contradicts', {});
  return mime;
}

/** @throws Refusal `upload_empty`, `upload_too_large` */
export function checkSize(purpose: UploadPurpose, bytes: number, mime?: FileMime): void {
  if (bytes === 0) throw new Refusal('upload_empty', {});
  const bytesMax = bytesMaxFor(purpose, mime);
  if (bytes > bytesMax) throw new Refusal('upload_too_large', { bytesMax });
}

/** @throws Refusal `upload_contradicts` when the first bytes are not those of the claimed type. */
export function checkHead(claim: Claim, head: Uint8Array): void {
  if (!startsAsType(claimedMime(claim), head)) throw new Refusal('upload_contradicts', {});
}

const enterHeavy = semaphore(2, 12, { waitMs: TURN_WAIT_MS, waitingEachMax: 4 });

/**
 * Inspects a whole file: its size, its first bytes, malware if a scanner is configured, and the hidden content of its
 * kind. Pictures are drawn anew beside `path`; other files are not changed.
 *
 * @param claim the sender's claims and account; one account has a limited share of the queue.
 * @throws Refusal as `claimedMime`, `checkSize`, `inspectArchive` and `redraw` do; `upload_infected`,
 * `upload_unscanned`, `busy`.
 */
export async function inspect(
  path: string,
  claim: Claim & { accountId: string },
  scanner: Scanner | undefined,
): Promise<Inspected> {
  const mime = claimedMime(claim);
  checkSize(claim.purpose, (await stat(path)).size, mime);
  const { head, tail } = await readEdges(path);
  if (!startsAsType(mime, head)) throw new Refusal('upload_contradicts', {});
  await scanner?.scan(path);
  if (isPicture(mime)) return drawn(path, claim, mime);
  if (isArchive(mime)) {
    await enterHeavy(() => inspectArchive(path, mime), { owner: claim.accountId });
  }
  if (mime === 'application/pdf') await inspectPdf(path, tail);
  else if (mime in legacyParts) await inspectLegacyOffice(path, mime as keyof typeof legacyParts);
  else if (mime === 'audio/webm') await inspectWebm(path);
  else if (mime === 'text/plain' || mime === 'text/csv') await inspectText(path, head);
  return { path, name: claim.name, mime };
}

const isPicture = (mime: FileMime): mime is PictureMime => mime.startsWith('image/');

async function drawn(
  path: string,
  { purpose, name, crop, accountId }: Claim & { accountId: string },
  mime: PictureMime,
): Promise<Inspected> {
  const to = `${path}.drawn`;
  if (purpose !== 'avatar') {
    await redraw({ path, mime, accountId }, to);
    return { path: to, name, mime };
  }
  await redrawSquare({ path, mime, accountId }, to, crop);
  return { path: to, name: withEnding(name, 'webp'), mime: 'image/webp' };
}

const unsafe = (why: string) => new Refusal('upload_unsafe', { why });
const unescaped = (text: string): string =>
  text.replace(/#([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );

/**
 * A PDF is only downloaded, never shown in place, so hidden content in its packed parts does not run in a browser here.
 * One that openly carries a script, or starts programs, is refused.
 */
async function inspectPdf(path: string, tail: Buffer): Promise<void> {
  if (!tail.includes('%%EOF')) throw unsafe('PDF-nya rusak atau terpotong');
  const found = await findPatterns(
    path,
    { script: /\/JavaScript(?![A-Za-z])/, launch: /\/Launch(?![A-Za-z])/ },
    unescaped,
  );
  if (found.size > 0) throw unsafe('PDF ini berisi skrip atau menjalankan program');
}

const utf16Pattern = (word: string) => [...word].join('\\0');
const legacyParts = {
  'application/msword': new RegExp(utf16Pattern('WordDocument')),
  'application/vnd.ms-excel': new RegExp(
    `${utf16Pattern('Workbook')}|${utf16Pattern('Book')}\\0\\0`,
  ),
  'application/vnd.ms-powerpoint': new RegExp(utf16Pattern('PowerPoint')),
} as const satisfies Partial<Record<FileMime, RegExp>>;

async function inspectLegacyOffice(path: string, mime: keyof typeof legacyParts): Promise<void> {
  const main = legacyParts[mime];
  const found = await findPatterns(path, {
    main,
    macros: new RegExp(utf16Pattern('_VBA_PROJECT')),
  });
  if (!found.has('main')) throw new Refusal('upload_contradicts', {});
  if (found.has('macros')) throw unsafe('dokumen ini berisi makro');
}

/** Sound only: video is accepted as MP4, which all players support. */
async function inspectWebm(path: string): Promise<void> {
  const found = await findPatterns(path, { sound: /A_(OPUS|VORBIS)/, film: /V_(VP[89]|AV1|MPEG)/ });
  if (!found.has('sound') || found.has('film')) throw new Refusal('upload_contradicts', {});
}

async function inspectText(path: string, head: Buffer): Promise<void> {
  const isWide = ['\xff\xfe', '\xfe\xff'].includes(head.toString('latin1', 0, 2));
  if (isWide) return;
  const found = await findPatterns(path, { controls });
  if (found.size > 0) throw new Refusal('upload_contradicts', {});
}

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

const isArchive = (mime: FileMime): boolean => mime === 'application/zip' || mime in officeParts;

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
async function inspectArchive(path: string, mime: FileMime): Promise<void> {
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
