// The parts of this feature that other features may import.
export { isGone, scanQuery } from '#web/features/scan/queries.ts';
export { Code, Progress } from '#web/features/scan/Scanning.tsx';
export { UnofficialRisk } from '#web/features/scan/UnofficialRisk.tsx';
