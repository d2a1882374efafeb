// What other features may know of this one.
export { ExportButton } from '#web/features/exports/ExportButton.tsx';
export { ExportDialog } from '#web/features/exports/dialog.ts';
