import { later } from '#web/browser/lazyComponent.ts';

/** Asks for rows as a file; comes when it is opened. */
export const ExportDialog = later(
  async () => (await import('#web/features/exports/ExportDialog.tsx')).ExportDialog,
);

/** The code of the dialog with the files of the last day. */
export const loadFilesDialog = async () =>
  (await import('#web/features/exports/notice/FilesDialog.tsx')).FilesDialog;
