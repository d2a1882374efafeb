import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '#contract/base/refusals.ts';
import { type MediaKind, bytesMaxOfKind, endingsOfKind, fitsKind } from '#contract/media/kinds.ts';
import { bytesMaxFor } from '#contract/uploads.ts';
import { type Draft, type Files, measure, storedBytes } from '#server/domains/media/files.ts';
import { type PictureMime, type Pixels, drawPreview } from '#server/domains/media/images.ts';
import { edgesOf } from '#server/domains/media/inspection/inspect-bytes.ts';
import type { Scanner } from '#server/domains/media/inspection/inspect-malware.ts';
import { withEnding } from '#server/domains/media/inspection/inspect-name.ts';
import { type Inspected, inspect } from '#server/domains/media/inspection/inspect.ts';
import { scratchFolder } from '#server/infra/file-store/scratch.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { type Said, claimOf } from './claim.ts';
import { type MediaFacts, readMedia } from './row.ts';
import { type Sound, listenTo } from './sound/listen.ts';

export type IntakeDeps = {
  /** A pool that names the account, or sees all. */
  sql: Sql;
  /** Sees all accounts. */
  allAccountsSql: Sql;
  files: Files;
  dataFolder: string;
  scanner: Scanner | undefined;
  /** Bytes of all files of an account, at most. */
  storedBytesMax: number;
  /** When a file goes that no message uses from now on. */
  keepUntil: () => Date;
  report: (error: unknown) => void;
};

/** Bytes as they come, or as they lie on the disk already. */
export type Bytes = AsyncIterable<Uint8Array> | Uint8Array | { path: string };

/** A file on its way into the library. */
export type NewMedia = {
  accountId: string;
  /** A function where it is known only once the bytes have come. */
  said: Said | (() => Said);
  bytes: Bytes;
  source: 'api' | 'link' | 'channel' | 'portal';
  /** What type of message it is for; without it any. */
  kind?: MediaKind | undefined;
  /** The same id twice is the same file: nothing is kept a second time. */
  fileId?: string;
};

/** From the last byte that came to the answer: a silent connection is cut after 30 s. */
export const ANSWER_MS_MAX = 25_000;

/** Where a file lies while it is looked into; what a crash leaves goes with the parts of uploads. */
export async function withDraftFolder<T>(
  dataFolder: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = join(scratchFolder(dataFolder), `media-${newId()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    return await work(folder);
  } finally {
    // A drawing that was given up may still write a file here.
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Takes a file into the library: looked into as every upload is, pictures drawn anew with a small one beside
 * them, sounds listened to.
 *
 * @throws Refusal as `inspect` does, and `storage_full`
 */
export const takeMedia = (deps: IntakeDeps, media: NewMedia): Promise<MediaFacts> =>
  takeMediaOnce(deps, media, (_sha256, take) => take());

/** Decides, by the hash of the bytes that came, whether they are taken, or were before. */
export type TakeOnce<T> = (sha256: Buffer, take: () => Promise<MediaFacts>) => Promise<T>;

/** As `takeMedia`, where `once` may know the file from an earlier call. */
export function takeMediaOnce<T>(deps: IntakeDeps, media: NewMedia, once: TakeOnce<T>): Promise<T> {
  return withDraftFolder(deps.dataFolder, async (folder) => {
    const path = await onDisk(media, folder);
    const answerBeforeMs = performance.now() + ANSWER_MS_MAX;
    const { sha256 } = await measure(path);
    return once(sha256, async () => {
      const inspected = await look(path, media, deps.scanner);
      const { accountId } = media;
      const described = await describe({ ...inspected, accountId }, folder, answerBeforeMs);
      return keep(deps, media, described);
    });
  });
}

async function onDisk({ bytes, kind }: NewMedia, folder: string): Promise<string> {
  if ('path' in bytes) return bytes.path;
  const path = join(folder, 'given');
  if (bytes instanceof Uint8Array) {
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 });
    return path;
  }
  const bytesMax = kind ? bytesMaxOfKind(kind) : bytesMaxFor('media');
  await pipeline(limited(bytes, bytesMax), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return path;
}

async function* limited(bytes: AsyncIterable<Uint8Array>, bytesMax: number) {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > bytesMax) throw new Refusal('upload_too_large', { bytesMax });
    yield chunk;
  }
}

async function look(
  path: string,
  { accountId, said, source, kind }: NewMedia,
  scanner: Scanner | undefined,
): Promise<Inspected> {
  const { head } = await edgesOf(path);
  const by = source === 'api' ? 'program' : 'link';
  const known = typeof said === 'function' ? said() : said;
  const claim = { accountId, purpose: 'media' as const, ...claimOf(known, { by, kind, head }) };
  const inspected = await inspect(path, claim, scanner);
  if (kind !== undefined && !fitsKind(kind, inspected.mime)) {
    throw new Refusal('upload_kind_refused', { allowed: endingsOfKind(kind) });
  }
  return inspected;
}

type Described = {
  file: Omit<Draft, 'accountId' | 'fileId'>;
  preview: Omit<Draft, 'accountId' | 'fileId'> | undefined;
  /** Of a picture. */
  pixels: Pixels | undefined;
  sound: Sound | undefined;
};

/**
 * What there is to be known of a file that was looked into; its small picture is drawn into `folder`, unless that
 * would take until after `answerBeforeMs`, by `performance.now()`.
 */
export async function describe(
  { path, name, mime, accountId }: Omit<Inspected, 'mime'> & { mime: string; accountId: string },
  folder: string,
  answerBeforeMs: number,
): Promise<Described> {
  const file = { path, name, mime, ...(await measure(path)) };
  const small = join(folder, 'preview');
  const drawn = mime.startsWith('image/')
    ? await drawPreview(
        { path, mime: mime as PictureMime, accountId },
        small,
        Math.max(0, answerBeforeMs - performance.now()),
      )
    : undefined;
  const preview = drawn?.isDrawn
    ? { path: small, name: withEnding(name, 'webp'), mime: 'image/webp', ...(await measure(small)) }
    : undefined;
  return { file, preview, pixels: drawn?.pixels, sound: await listenTo(path, mime, accountId) };
}

/**
 * Keeps a file with what is known of it: all or nothing.
 *
 * @param claim runs first in the transaction that makes it a file of the library, unless it is one already.
 * @throws Refusal `storage_full`, and what `claim` throws.
 */
export async function keep(
  { sql, allAccountsSql, files, storedBytesMax, keepUntil, report }: IntakeDeps,
  { accountId, source, fileId = newId() }: Pick<NewMedia, 'accountId' | 'source' | 'fileId'>,
  { file, preview, pixels, sound }: Described,
  claim?: (tx: Tx) => Promise<unknown>,
): Promise<MediaFacts> {
  const previewId = preview ? newId() : null;
  const drafts = [
    { ...file, fileId },
    ...(preview && previewId !== null ? [{ ...preview, fileId: previewId }] : []),
  ];
  try {
    for (const draft of drafts) await files.sendAhead(draft);
    return await asAccount(sql, accountId, async (tx) => {
      // As uploads do: two that come together would both see the room of one.
      await tx`select pg_advisory_xact_lock(hashtextextended(${`uploads ${accountId}`}, 0))`;
      const [there] = await readMedia(tx, accountId, [fileId]);
      if (there) return there;
      await claim?.(tx);
      if ((await storedBytes(tx, accountId, drafts)) > storedBytesMax) {
        throw new Refusal('storage_full', { bytesMax: storedBytesMax });
      }
      for (const draft of drafts) await files.keep(tx, { accountId, ...draft });
      await tx`
        insert into media_library
          (account_id, file_id, source, preview_id, width, height, waveform, seconds, expires_at)
        values (${accountId}, ${fileId}, ${source}, ${previewId},
          ${pixels?.width ?? null}, ${pixels?.height ?? null},
          ${sound ? [...sound.waveform] : null}::smallint[], ${sound?.seconds ?? null},
          ${keepUntil()})`;
      const [kept] = await readMedia(tx, accountId, [fileId]);
      if (!kept) throw new Error('a file that was just kept is gone');
      return kept;
    });
  } catch (error) {
    const digests = drafts.map(({ sha256 }) => sha256);
    await files.erase(allAccountsSql, digests).catch(report);
    throw error;
  }
}
