// What other features may know of this one.
export { saldoQuery } from '#web/features/saldo/saldoQuery.ts';
export { inFours, topupTone } from '#web/features/saldo/topups/topups.ts';
