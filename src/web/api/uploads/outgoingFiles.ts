import type { UploadPurpose } from '#contract/uploads.ts';
import { Fault } from '#web/api/uploads/uploadFault.ts';
import { uploadServer } from '#web/api/uploads/uploadWire.ts';
import { forgetRecord, readRecord, writeRecord } from '#web/browser/push/records.ts';
import { createStore, useStore } from '#web/browser/store.ts';

/** The file is nowhere any more: chosen in a tab that is gone, in a browser that stores none. */
export class FileGone extends Error {}

const files = new Map<string, File>();
const working = new Map<string, AbortController>();
const progress = createStore<ReadonlyMap<string, number>>(() => new Map());
const serverFor = (purpose: UploadPurpose) => uploadServer(() => ({ metadata: { purpose } }));

/** Keeps the file of a message that is on its way in this tab, and in the browser for when the tab is gone. */
export function keepFile(id: string, file: File): void {
  files.set(id, file);
  void writeRecord(`file ${id}`, file);
}

/** The file of a message on its way, where it is still to be had. */
export async function fileOf(id: string): Promise<File | undefined> {
  const file = files.get(id) ?? (await readRecord(`file ${id}`));
  if (file) files.set(id, file);
  return file;
}

/** Forgets the file of a message; stops its upload. */
export function dropFile(id: string): void {
  working.get(id)?.abort();
  files.delete(id);
  void forgetRecord(`file ${id}`);
}

/** How far a message's upload is, 0 to 1; `undefined` while it is not being sent. */
export const useProgress = (id: string): number | undefined => useStore(progress).get(id);

function setProgress(id: string, to: number | undefined): void {
  const next = new Map(progress.get());
  if (to === undefined) next.delete(id);
  else next.set(id, to);
  progress.set(next);
}

/**
 * Uploads a message's file, on from where an earlier try ended.
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

/** Takes back what was uploaded for a message that is given up: what fails is forgotten after a day. */
export function revertUpload(upload: string | undefined): void {
  if (upload !== undefined)
    serverFor('chat')
      .revert(upload)
      .catch(() => undefined);
}

/** Whether the server will never take this file. */
export const isLasting = (error: unknown): boolean => error instanceof Fault && error.lasting;
