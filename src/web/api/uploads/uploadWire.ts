import {
  CHUNK_BYTES,
  CHUNK_TYPE,
  UPLOAD_FIELD,
  uploadHeaders,
  type UploadMetadata,
} from '#contract/uploads.ts';
import { apiUrl } from '#web/api/server.ts';
import { readJson } from '#web/browser/json.ts';
import { replyMessage } from '#web/api/replyMessage.ts';
import { sessionToken } from '#web/browser/session.ts';
import { Fault } from '#web/api/uploads/uploadFault.ts';
import { retried } from '#web/api/uploads/uploadRetry.ts';
import {
  pendingUpload,
  claimPendingUpload,
  forgetPendingUpload,
  identify,
  savePendingUpload,
  type PendingUpload,
} from '#web/api/uploads/pendingUploads.ts';
import { chunkPlan, chunksFrom, type Chunk } from '#web/api/uploads/chunks.ts';
import { typeOfFile } from '#web/api/uploads/fileTypes.ts';
import type { Schedule } from '#web/api/uploads/uploadRetry.ts';

type Working = {
  signal: AbortSignal;
  /** 0 to 1; `undefined` if unknown. */
  onProgress: (progress: number | undefined) => void;
};

export type UploadServer = {
  /**
   * Sends a file and returns the upload's id.
   * @throws Fault; an AbortError when `signal` aborts.
   */
  process: (
    job: Working & {
      file: File;
      transferId: string | undefined;
      onTransfer: (id: string | undefined) => void;
    },
  ) => Promise<string>;
  /** Reverts an upload, also an unfinished one. @throws Fault */
  revert: (id: string) => Promise<void>;
  /** Fetches a file from the server, or through it from elsewhere. @throws Fault */
  load: (
    job: Working & { how: 'fetch' | 'restore' | 'load'; source: string },
  ) => Promise<{ file: File; id?: string }>;
};

export type UploadOptions = {
  metadata: UploadMetadata;
  /** Piece size in bytes; larger files are sent in pieces. */
  chunkBytes?: number;
  /** Sends shorter files in pieces too. */
  chunkForce?: boolean;
  /** Retry delays of a failed piece, in ms: one retry each. */
  retryDelaysMs?: readonly number[];
  later?: Schedule;
};

const RETRY_DELAYS_MS = [500, 1_000, 3_000] as const;

const timer: Schedule = (afterMs, run) => {
  const id = setTimeout(run, afterMs);
  return () => clearTimeout(id);
};

/** The upload client, by FilePond's verbs (`contract/uploads.ts`). */
export function uploadServer(options: () => UploadOptions): UploadServer {
  return {
    async process(job) {
      const { metadata, chunkBytes = CHUNK_BYTES, chunkForce = false, ...rest } = options();
      const { file } = job;
      const whole = { ...metadata, type: typeOfFile(file) };
      const plan = chunkPlan(file.size, chunkBytes, chunkForce);
      if (plan) return sendPieces({ ...job, ...rest, plan, metadata: whole });
      const form = formOf(whole);
      // The server checks the type that the part declares.
      form.append(UPLOAD_FIELD, file.slice(0, file.size, whole.type), file.name);
      const { text } = await ask({ method: 'POST', body: form, ...job });
      return text;
    },
    async revert(id) {
      forgetPendingUpload(id);
      await ask({ method: 'DELETE', body: id, headers: { 'Content-Type': 'text/plain' } });
    },
    async load({ how, source, ...job }) {
      const request = `?${how}=${encodeURIComponent(source)}`;
      const { blob, header } = await ask({ method: 'GET', request, ...job });
      const name = nameIn(header('Content-Disposition')) ?? source;
      const id = header(uploadHeaders.transferId);
      return {
        file: new File([blob], name, { type: blob.type }),
        ...(id !== null && { id }),
      };
    },
  };
}

/** The file name in a Content-Disposition header, in UTF-8 if present. */
export function nameIn(disposition: string | null): string | undefined {
  const wide = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  const plain = /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition ?? '')?.[1];
  try {
    return wide === undefined ? plain?.replace(/\\(.)/g, '$1') : decodeURIComponent(wide.trim());
  } catch {
    return plain;
  }
}

function formOf(metadata: UploadMetadata): FormData {
  const form = new FormData();
  form.append(UPLOAD_FIELD, JSON.stringify(metadata));
  return form;
}

type Pieces = Parameters<UploadServer['process']>[0] &
  Pick<UploadOptions, 'metadata' | 'retryDelaysMs' | 'later'> & {
    plan: readonly Chunk[];
  };

async function sendPieces(job: Pieces): Promise<string> {
  const { file, signal, metadata } = job;
  const identity = await identify(file, metadata.purpose ?? '');
  signal.throwIfAborted();
  const leave = claimPendingUpload(identity);
  try {
    // Another item that is sending the same file has its own upload.
    const known = job.transferId ?? (leave ? pendingUpload(identity)?.transferId : undefined);
    const { id, offset } = await openTransfer(job, known);
    const note = (about: PendingUpload | undefined) => {
      if (leave) savePendingUpload(identity, about);
    };
    job.onTransfer(id);
    note({ transferId: id, name: file.name, size: file.size, offset });
    try {
      await sendFrom(job, id, offset, note);
    } catch (error) {
      if (error instanceof Fault && error.lasting) {
        job.onTransfer(undefined);
        note(undefined);
      }
      throw error;
    }
    note(undefined);
    return id;
  } finally {
    leave?.();
  }
}

async function openTransfer(job: Pieces, known: string | undefined) {
  if (known !== undefined) {
    const offset = await offsetOf(known, job.signal).catch((error: unknown) => {
      if (error instanceof Fault && error.lasting) return undefined;
      throw error;
    });
    if (offset !== undefined && offset <= job.file.size) return { id: known, offset };
  }
  const { text } = await ask({
    method: 'POST',
    body: formOf(job.metadata),
    headers: { [uploadHeaders.length]: String(job.file.size) },
    signal: job.signal,
  });
  return { id: text, offset: 0 };
}

async function offsetOf(id: string, signal: AbortSignal): Promise<number> {
  const { header } = await ask({ method: 'HEAD', request: patchOf(id), signal });
  const offset = Number(header(uploadHeaders.offset) ?? Number.NaN);
  if (!Number.isSafeInteger(offset) || offset < 0) throw new Fault(0);
  return offset;
}

const patchOf = (id: string): string => `?patch=${encodeURIComponent(id)}`;

async function sendFrom(
  job: Pieces,
  id: string,
  offset: number,
  note: (about: PendingUpload) => void,
): Promise<void> {
  const { file, plan } = job;
  let left = chunksFrom(offset, plan);
  // Only the confirmation is missing: send an empty piece at the end.
  if (left.length === 0) left = [[file.size, file.size]];
  for (let piece = left[0]; piece; piece = left[0]) {
    const reached = await sendPiece(job, id, piece);
    note({ transferId: id, name: file.name, size: file.size, offset: reached });
    left = chunksFrom(reached, plan);
  }
}

function sendPiece(job: Pieces, id: string, [from, to]: Chunk): Promise<number> {
  const { file, signal, retryDelaysMs = RETRY_DELAYS_MS, later = timer } = job;
  const send = () =>
    ask({
      method: 'PATCH',
      request: patchOf(id),
      body: file.slice(from, to),
      headers: {
        'Content-Type': CHUNK_TYPE,
        [uploadHeaders.offset]: String(from),
        [uploadHeaders.length]: String(file.size),
        [uploadHeaders.name]: encodeURIComponent(file.name),
      },
      signal,
      onProgress: (part) => job.onProgress((from + (part ?? 0) * (to - from)) / (file.size || 1)),
    });
  return retried({ delaysMs: retryDelaysMs, later, signal }, async () => {
    try {
      await send();
      return to;
    } catch (error) {
      if (!(error instanceof Fault) || error.status !== 409) throw error;
      // The server has more than its last response said: a response was lost. Continue from there.
      const offset = await offsetOf(id, signal);
      if (offset <= from) throw error;
      return offset;
    }
  });
}

type Asking = {
  method: 'POST' | 'PATCH' | 'HEAD' | 'DELETE' | 'GET';
  request?: string;
  body?: FormData | Blob | string;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  onProgress?: Working['onProgress'];
};

type Reply = { text: string; blob: Blob; header: (name: string) => string | null };

/** Uses XMLHttpRequest because `fetch` reports no upload progress. */
async function ask(asking: Asking): Promise<Reply> {
  const { method, request = '', body, headers = {}, signal, onProgress } = asking;
  signal?.throwIfAborted();
  const call = new XMLHttpRequest();
  call.open(method, `${apiUrl()}/uploads${request}`);
  call.responseType = 'blob';
  call.setRequestHeader('Authorization', `Bearer ${sessionToken()}`);
  for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value);
  const progress = ({ lengthComputable, loaded, total }: ProgressEvent) =>
    onProgress?.(lengthComputable && total > 0 ? loaded / total : undefined);
  if (body === undefined) call.onprogress = progress;
  else if (onProgress) call.upload.onprogress = progress;
  const abort = () => call.abort();
  signal?.addEventListener('abort', abort, { once: true });
  await new Promise<void>((settled) => {
    call.onloadend = () => settled();
    call.send(body ?? null);
  });
  signal?.removeEventListener('abort', abort);
  signal?.throwIfAborted();
  const blob = call.response instanceof Blob ? call.response : new Blob();
  const { status } = call;
  if (status < 200 || status >= 300)
    throw new Fault(status, replyMessage(readJson(await blob.text())));
  // Only ids are read as text; a fetched file may be a hundred megabytes.
  const text = method === 'POST' ? (await blob.text()).trim() : '';
  return { text, blob, header: (name) => call.getResponseHeader(name) };
}
