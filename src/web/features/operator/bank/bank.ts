import { PAGE_SIZE } from '#contract/base/act.ts';
import { formatDate, formatDateTimeZone, formatTime } from '#contract/base/time.ts';
import type {
  OperatorBankEntry,
  StatementLine,
  StatementOutcome,
  StatementReport,
} from '#contract/operator/payments.ts';
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

/** Labels of row outcomes; the most important first. */
export const outcomeLabel: Record<StatementOutcome, string> = {
  pays: 'Membayar isi saldo',
  joins: 'Sudah dikonfirmasi',
  second: 'Pembayaran kedua',
  twin: 'Mungkin ganda',
  unreadable: 'Tidak terbaca',
  near: 'Mirip isi saldo',
  kept: 'Belum cocok',
  known: 'Sudah pernah diimpor',
  pending: 'Belum dibukukan bank',
  debit: 'Uang keluar',
};

export const outcomeTone: Record<StatementOutcome, Tone> = {
  pays: 'success',
  joins: 'success',
  second: 'danger',
  twin: 'danger',
  unreadable: 'danger',
  near: 'warning',
  kept: 'warning',
  known: 'neutral',
  pending: 'neutral',
  debit: 'neutral',
};

const outcomes = Object.keys(outcomeLabel) as StatementOutcome[];

export const countsOf = ({ counts }: StatementReport): [StatementOutcome, number][] =>
  outcomes.flatMap((outcome) => (counts[outcome] > 0 ? [[outcome, counts[outcome]]] : []));

export const hasNewEntries = ({ counts }: StatementReport): boolean =>
  counts.pays + counts.joins + counts.second + counts.twin + counts.near + counts.kept > 0;

export function pageOf(
  { lines }: StatementReport,
  outcome: StatementOutcome | undefined,
  page: number,
): { rows: readonly StatementLine[]; totalPages: number } {
  const matching = outcome ? lines.filter((line) => line.outcome === outcome) : lines;
  return {
    rows: matching.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE),
    totalPages: Math.ceil(matching.length / PAGE_SIZE),
  };
}

/** `2026-11-21` → `21 Nov 2026`. */
export const dayInWords = (day: string): string => formatDate(`${day}T00:00:00+07:00`);
