// What other features may know of this one.
export { isGone, scanQuery } from '#web/features/scan/queries.ts';
export { Code, HowTo, Progress } from '#web/features/scan/Scanning.tsx';
export { UnofficialRisk } from '#web/features/scan/UnofficialRisk.tsx';
