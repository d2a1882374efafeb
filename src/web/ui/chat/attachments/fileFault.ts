import {
  bytesMaxFor,
  endingsFor,
  fileKinds,
  mimesFor,
  type FileMime,
  type UploadPurpose,
} from '#contract/uploads.ts';
import { acceptsType, typeOfFile } from '#web/api/uploads/fileTypes.ts';
import { fileSizeText, shortSizes } from '#web/ui/upload/fileSize.ts';

/** The limit for all files that wait in a browser, in bytes; the browser stores them until they are sent. */
const WAITING_BYTES_MAX = 200_000_000;

/**
 * Why a file cannot be sent, in one sentence; `undefined` when it can.
 *
 * @param waiting bytes of the files that wait before it.
 * @param purpose what it is sent for.
 */
export function fileFault(
  file: Pick<File, 'name' | 'type' | 'size'>,
  waiting: number,
  purpose: UploadPurpose = 'chat',
): string | undefined {
  const type = typeOfFile(file);
  if (!acceptsType(type, mimesFor(purpose)) || !(type in fileKinds)) {
    return `${file.name} tidak dapat dikirim. Pilih ${endingsFor(purpose)}.`;
  }
  if (file.size === 0) return `${file.name} kosong.`;
  const most = bytesMaxFor(purpose, type as FileMime);
  if (waiting + file.size > WAITING_BYTES_MAX) {
    return `${file.name} belum dapat dikirim: terlalu banyak berkas menunggu. Coba lagi nanti.`;
  }
  if (file.size <= most) return undefined;
  return `${file.name} terlalu besar. Paling besar ${fileSizeText(most, shortSizes)}.`;
}

/** The extensions that a purpose accepts, without pictures, in the syntax of `accept`. */
export const documentEndings = (purpose: UploadPurpose): string =>
  mimesFor(purpose)
    .filter((mime) => !mime.startsWith('image/'))
    .flatMap((mime) => fileKinds[mime].extensions.map((end) => `.${end}`))
    .join();
