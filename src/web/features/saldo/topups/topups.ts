import { formatRupiah } from '#contract/base/money.ts';
import type { Topup, TopupStatus } from '#contract/saldo.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

const CLOSED_SHOWN = 3;

/**
 * The listed top-ups: all pending ones, the one that expires first on top, then the newest closed ones. `newest` may
 * contain pending ones too.
 */
export function recentTopups(
  pending: readonly Topup[],
  newest: readonly Topup[],
): readonly Topup[] {
  const isLooked = ({ status }: Topup) => status === 'review' || status === 'creating';
  const looked = newest.filter(isLooked);
  const closed = newest.filter((topup) => !isLooked(topup) && topup.status !== 'pending');
  const soonest = pending.toSorted((a, b) => a.expires_at.getTime() - b.expires_at.getTime());
  return [...soonest, ...looked, ...closed.slice(0, CLOSED_SHOWN)];
}

/** `8800123456` → `8800 1234 56`, as banks print account numbers. */
export const inFours = (digits: string): string => digits.replace(/(\d{4})(?=\d)/g, '$1 ');

/** The amount to transfer, split before its last three digits: they carry the kode unik. */
export function splitTotal(total: number): { head: string; tail: string } {
  const shown = formatRupiah(total);
  return { head: shown.slice(0, -3), tail: shown.slice(-3) };
}

/** The messages that an amount pays at a price; `undefined` when messages are free. */
export const messagesFor = (amount: number, price: number): number | undefined =>
  price > 0 ? Math.max(0, Math.floor(amount / price)) : undefined;

export const topupTone: Record<TopupStatus, Tone> = {
  creating: 'neutral',
  pending: 'warning',
  paid: 'success',
  expired: 'neutral',
  cancelled: 'neutral',
  review: 'info',
  rejected: 'danger',
};
