import type { OperatorBankEntry } from '#contract/operator/payments.ts';
import { formatDate, formatDateTimeZone, formatTime } from '#contract/base/time.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

type State = OperatorBankEntry['state'];

export const stateLabel: Record<State, string> = {
  unmatched: 'Belum cocok',
  matched: 'Cocok',
  second: 'Pembayaran kedua',
  dismissed: 'Dikesampingkan',
  twin: 'Mungkin ganda',
};

export const stateTone: Record<State, Tone> = {
  unmatched: 'warning',
  matched: 'success',
  second: 'danger',
  dismissed: 'neutral',
  twin: 'danger',
};

export const maySettle = ({ state }: OperatorBankEntry): boolean =>
  state === 'unmatched' || state === 'dismissed' || state === 'twin';

export function aboutLine({ state, topup, candidates }: OperatorBankEntry): string {
  if (topup) return topup.account_name;
  if (state === 'dismissed' || candidates.length === 0) return '—';
  return candidates.length === 1
    ? '1 isi saldo yang mirip'
    : `${candidates.length} isi saldo yang mirip`;
}

/** In the bank's own zone; without a time if the statement only has the day. */
export const whenOf = (at: Date): string =>
  formatTime(at) === '00.00' ? formatDate(at) : formatDateTimeZone(at);
