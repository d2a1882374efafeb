import type { OperatorBankEntry } from '#contract/operator/payments.ts';
import { formatDate, formatDateTimeZone, formatTime } from '#contract/base/time.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

type State = OperatorBankEntry['state'];

/** What became of a line, in the interface's words. */
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

/** Whether somebody may still say what a line is. */
export const maySettle = ({ state }: OperatorBankEntry): boolean =>
  state === 'unmatched' || state === 'dismissed' || state === 'twin';

/** What is known of a line beside its amount, in a few words. */
export function aboutLine({ state, topup, candidates }: OperatorBankEntry): string {
  if (topup) return topup.account_name;
  if (state === 'dismissed' || candidates.length === 0) return '—';
  return candidates.length === 1
    ? '1 isi saldo yang mirip'
    : `${candidates.length} isi saldo yang mirip`;
}

/** When money came, in the bank's own zone; a statement that knows the day only says no time. */
export const whenOf = (at: Date): string =>
  formatTime(at) === '00.00' ? formatDate(at) : formatDateTimeZone(at);
