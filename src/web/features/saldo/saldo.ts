// The parts of this feature that other features may import.
export { saldoQuery } from '#web/features/saldo/saldoQuery.ts';
export { inFours, topupTone } from '#web/features/saldo/topups/topups.ts';
