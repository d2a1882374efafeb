// The parts of this feature that other features may import.
export { saldoQuery } from '#web/features/saldo/saldoQuery.ts';
export { LimitReason, TopupButton } from '#web/features/saldo/topups/TopupButton.tsx';
export { type TopupLimit, topupLimitOf } from '#web/features/saldo/topups/limit.ts';
export { inFours, topupTone } from '#web/features/saldo/topups/topups.ts';
