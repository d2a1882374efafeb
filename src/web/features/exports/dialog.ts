import { later } from '#web/browser/lazyComponent.ts';

export const ExportDialog = later(() => import('#web/features/exports/ExportDialog.tsx'));

export const loadFilesDialog = async () =>
  (await import('#web/features/exports/notice/FilesDialog.tsx')).FilesDialog;
