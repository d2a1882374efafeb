import { useQuery } from '@tanstack/react-query';
import { type SaldoSummary, TOPUPS_OPEN_MAX } from '#contract/saldo-summary.ts';
import { saldoQuery } from '#web/features/saldo/saldoQuery.ts';

/** The element of `/saldo` that shows the limit; its disabled buttons refer to it. */
export const TOPUP_LIMIT_ID = 'topup-limit';

/** Why no further top-up is possible now; undefined if one is, or while this is unknown. */
export const topupLimitOf = (
  saldo: Pick<SaldoSummary, 'topups_open'> | undefined,
): string | undefined =>
  saldo && saldo.topups_open >= TOPUPS_OPEN_MAX
    ? `Anda masih punya ${saldo.topups_open} isi saldo yang menunggu. Bayar atau batalkan salah satunya.`
    : undefined;

export const useTopupLimit = (): string | undefined => topupLimitOf(useQuery(saldoQuery).data);
