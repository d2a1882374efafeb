// The parts of this feature that other features may import.
export { ExportButton } from '#web/features/exports/ExportButton.tsx';
export { ExportList } from '#web/features/exports/ExportList.tsx';
export { ExportDialog } from '#web/features/exports/dialog.ts';
