// What other features may know of this one.
export { saldoQuery } from '#web/features/saldo/queries.ts';
export { inFours, topupTone } from '#web/features/saldo/topups/topups.ts';
