import { useQuery } from '@tanstack/react-query';
import { type SaldoSummary, TOPUPS_DAY_MAX, TOPUPS_OPEN_MAX } from '#contract/saldo-summary.ts';
import { saldoQuery } from '#web/features/saldo/saldoQuery.ts';

/** The element of `/saldo` that shows the limit; its disabled buttons refer to it. */
export const TOPUP_LIMIT_ID = 'topup-limit';

/** Why no further top-up is possible now, and whether unpaid ones can be listed. */
export type TopupLimit = { reason: string; hasOpen: boolean };

/** The limit that another top-up would meet; undefined if one is possible, or while this is unknown. */
export function topupLimitOf(
  saldo: Pick<SaldoSummary, 'status' | 'topups_open' | 'topups_unpaid'> | undefined,
): TopupLimit | undefined {
  if (!saldo) return undefined;
  const { status, topups_open: open, topups_unpaid: unpaid } = saldo;
  if (status !== 'active') return { reason: inactive[status], hasOpen: false };
  const hasOpen = open > 0;
  if (open >= TOPUPS_OPEN_MAX) {
    const reason = `Anda masih punya ${open} isi saldo yang menunggu. Bayar atau batalkan salah satunya.`;
    return { reason, hasOpen };
  }
  if (unpaid < TOPUPS_DAY_MAX) return undefined;
  const remedy = hasOpen ? 'Bayar yang masih menunggu, atau coba' : 'Coba';
  const reason = `Dalam 24 jam ini sudah ${unpaid} isi saldo tidak jadi dibayar. ${remedy} lagi besok.`;
  return { reason, hasOpen };
}

const inactive = {
  frozen: 'Saldo sedang dibekukan: tidak dapat diisi atau dipakai.',
  closed: 'Akun ini sudah ditutup: saldo tidak dapat diisi atau dipakai.',
} as const;

export const useTopupLimit = (): TopupLimit | undefined => topupLimitOf(useQuery(saldoQuery).data);
