import type { SizeWords } from '#web/ui/upload/fileSize.ts';

export type UploadLabels = {
  /** Before the browse button: 'Drag & Drop your files or' Browse. */
  idle: string;
  browse: string;
  invalidField: string;
  sizeWaiting: string;
  sizeNotAvailable: string;
  countOne: string;
  countMany: string;
  loading: string;
  added: string;
  loadError: string;
  removed: string;
  removeError: string;
  processing: string;
  processingComplete: string;
  processingAborted: string;
  processingError: string;
  revertError: string;
  /** Waiting in the queue. */
  queued: string;
  tapToCancel: string;
  tapToRetry: string;
  tapToUndo: string;
  buttonRemove: string;
  buttonAbortLoad: string;
  buttonRetryLoad: string;
  buttonAbortProcess: string;
  buttonUndo: string;
  buttonRetryProcess: string;
  buttonProcess: string;
  typeInvalid: string;
  typeExpects: string;
  tooLarge: string;
  /** `{size}` */
  sizeMax: string;
  maxFiles: string;
  list: string;
  /** The drag handle of an item: `{name}`. */
  handle: string;
  handleHelp: string;
  /** `{name}`, `{place}`, `{count}` */
  lifted: string;
  movedTo: string;
  dropped: string;
  /** `{name}` */
  putBack: string;
  /** An interrupted upload: `{name}`, `{percent}`. */
  unfinished: string;
  size: SizeWords;
};

/** The specified English texts. */
export const englishUploads: UploadLabels = {
  idle: 'Drag & Drop your files or',
  browse: 'Browse',
  invalidField: 'Field contains invalid files',
  sizeWaiting: 'Waiting for size',
  sizeNotAvailable: 'Size not available',
  countOne: 'file in list',
  countMany: 'files in list',
  loading: 'Loading',
  added: 'Added',
  loadError: 'Error during load',
  removed: 'Removed',
  removeError: 'Error during remove',
  processing: 'Uploading',
  processingComplete: 'Upload complete',
  processingAborted: 'Upload cancelled',
  processingError: 'Error during upload',
  revertError: 'Error during revert',
  queued: 'Waiting to upload',
  tapToCancel: 'tap to cancel',
  tapToRetry: 'tap to retry',
  tapToUndo: 'tap to undo',
  buttonRemove: 'Remove',
  buttonAbortLoad: 'Abort',
  buttonRetryLoad: 'Retry',
  buttonAbortProcess: 'Cancel',
  buttonUndo: 'Undo',
  buttonRetryProcess: 'Retry',
  buttonProcess: 'Upload',
  typeInvalid: 'File is of invalid type',
  typeExpects: 'Expects {allButLastType} or {lastType}',
  tooLarge: 'File is too large',
  sizeMax: 'Maximum file size is {size}',
  maxFiles: 'Max files',
  list: 'Files',
  handle: 'Move {name}',
  handleHelp: 'Space lifts, the arrow keys move, Space drops, Escape cancels',
  lifted: '{name} lifted, place {place} of {count}',
  movedTo: '{name}, place {place} of {count}',
  dropped: '{name} dropped, place {place} of {count}',
  putBack: '{name} is back in its place',
  unfinished: '{name} stopped at {percent}%. Choose it again to go on from there.',
  size: { bytes: 'bytes', KB: 'KB', MB: 'MB', GB: 'GB', decimal: '.' },
};

export const indonesianUploads: UploadLabels = {
  idle: 'Seret berkas ke sini atau',
  browse: 'pilih berkas',
  invalidField: 'Ada berkas yang tidak dapat diterima',
  sizeWaiting: 'Menunggu ukuran',
  sizeNotAvailable: 'Ukuran tidak diketahui',
  countOne: 'berkas dalam daftar',
  countMany: 'berkas dalam daftar',
  loading: 'Memuat',
  added: 'Ditambahkan:',
  loadError: 'Berkas gagal dimuat',
  removed: 'Dihapus:',
  removeError: 'Berkas gagal dihapus',
  processing: 'Mengunggah',
  processingComplete: 'Selesai diunggah',
  processingAborted: 'Unggahan dibatalkan',
  processingError: 'Gagal diunggah',
  revertError: 'Unggahan gagal dibatalkan',
  queued: 'Menunggu giliran',
  tapToCancel: 'ketuk untuk membatalkan',
  tapToRetry: 'ketuk untuk mencoba lagi',
  tapToUndo: 'ketuk untuk mengurungkan',
  buttonRemove: 'Hapus',
  buttonAbortLoad: 'Batalkan',
  buttonRetryLoad: 'Coba lagi',
  buttonAbortProcess: 'Batalkan',
  buttonUndo: 'Urungkan',
  buttonRetryProcess: 'Coba lagi',
  buttonProcess: 'Unggah',
  typeInvalid: 'Jenis berkas ini tidak diterima',
  typeExpects: 'Pilih {allButLastType} atau {lastType}',
  tooLarge: 'Berkas terlalu besar',
  sizeMax: 'Paling besar {size}',
  maxFiles: 'Berkas terlalu banyak',
  list: 'Berkas',
  handle: 'Pindahkan {name}',
  handleHelp: 'Spasi mengangkat, tombol panah memindahkan, Spasi meletakkan, Escape membatalkan',
  lifted: '{name} diangkat, urutan {place} dari {count}',
  movedTo: '{name}, urutan {place} dari {count}',
  dropped: '{name} diletakkan, urutan {place} dari {count}',
  putBack: '{name} kembali ke tempatnya',
  unfinished: '{name} terhenti di {percent}%. Pilih berkas itu lagi untuk melanjutkan.',
  size: { bytes: 'byte', KB: 'KB', MB: 'MB', GB: 'GB', decimal: ',' },
};

/** Replaces `{name}` and similar placeholders. */
export const worded = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
