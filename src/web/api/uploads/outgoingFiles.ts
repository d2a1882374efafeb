import type { UploadPurpose } from '#contract/uploads.ts';
import { isAbort, sentenceOf, TransportError } from '#web/api/errors.ts';
import { Fault } from '#web/api/uploads/uploadFault.ts';
import { uploadServer } from '#web/api/uploads/uploadWire.ts';
import { forgetRecord, inTurn, readRecord, writeRecord } from '#web/browser/push/records.ts';
import { createStore, useStore } from '#web/browser/store.ts';

/** The file was selected in a closed tab, and this browser could not store it. */
export class FileGone extends Error {}

const files = new Map<string, File>();
const working = new Map<string, AbortController>();
const progress = createStore<ReadonlyMap<string, number>>(() => new Map());
const serverFor = (purpose: UploadPurpose) => uploadServer(() => ({ metadata: { purpose } }));

/** Keeps the file of an outgoing message in this tab, and in the browser's storage in case the tab closes. */
export function keepFile(id: string, file: File): void {
  files.set(id, file);
  // A tab that reads it must not come before it is stored.
  void inTurn(() => writeRecord(`file ${id}`, file), `file ${id}`);
}

/** The file of an outgoing message, if it is still available. */
export async function fileOf(id: string): Promise<File | undefined> {
  const file = files.get(id) ?? (await inTurn(() => readRecord(`file ${id}`), `file ${id}`));
  if (file) files.set(id, file);
  return file;
}

/** Discards the file of a message and stops its upload. */
export function dropFile(id: string): void {
  working.get(id)?.abort();
  files.delete(id);
  void forgetRecord(`file ${id}`);
}

/** The upload progress of a message, 0 to 1; `undefined` unless it is being sent. */
export const useProgress = (id: string): number | undefined => useStore(progress).get(id);

function setProgress(id: string, to: number | undefined): void {
  const next = new Map(progress.get());
  if (to === undefined) next.delete(id);
  else next.set(id, to);
  progress.set(next);
}

/**
 * Uploads a message's file, continuing an earlier attempt.
 *
 * @returns the upload's id.
 * @throws Fault; FileGone; an AbortError when the message is dropped meanwhile.
 */
export async function uploadFile(id: string, purpose: UploadPurpose): Promise<string> {
  const file = await fileOf(id);
  if (!file) throw new FileGone();
  const controller = new AbortController();
  working.set(id, controller);
  setProgress(id, 0);
  try {
    return await serverFor(purpose).process({
      file,
      signal: controller.signal,
      transferId: undefined,
      onTransfer: () => undefined,
      onProgress: (part) => setProgress(id, part ?? 0),
    });
  } finally {
    working.delete(id);
    setProgress(id, undefined);
  }
}

/** Reverts the upload of an abandoned message. Failures are ignored: uploads expire after a day. */
export function revertUpload(upload: string | undefined): void {
  if (upload !== undefined)
    serverFor('chat')
      .revert(upload)
      .catch(() => undefined);
}

/** True if another attempt would fail too: the password prompt was closed, or the file is lost or never accepted. */
export const isLasting = (error: unknown): boolean =>
  isAbort(error) || error instanceof FileGone || (error instanceof Fault && error.lasting);

/** Why a message was not sent. A missing response to an upload is treated like one to a call. */
export function unsentReason(error: unknown): string {
  if (isAbort(error)) return 'Kata sandi Anda belum dimasukkan.';
  if (error instanceof FileGone)
    return 'Berkasnya tidak ada lagi di browser ini. Hapus, lalu pilih sekali lagi.';
  if (!(error instanceof Fault)) return sentenceOf(error);
  return error.sentence ?? sentenceOf(new TransportError(error.status === 0 ? 'network' : 'http'));
}
