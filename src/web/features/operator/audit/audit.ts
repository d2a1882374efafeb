import type { AuditCheck, AuditFinding, AuditEntry } from '#contract/operator/audit.ts';
import { formatNumber } from '#contract/base/money.ts';
import { dayInWords } from '#web/features/operator/bank/statement.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

export const actorOf = ({ person, act }: Pick<AuditEntry, 'person' | 'act'>): string =>
  person?.name ?? (act === 'scan_consent' ? 'Pemilik ponsel' : 'Belum masuk');

export function outcomeOf(outcome: string): { label: string; tone: Tone } {
  if (outcome === 'ok') return { label: 'Berhasil', tone: 'success' };
  return outcome === 'our_fault'
    ? { label: 'Gangguan', tone: 'danger' }
    : { label: 'Ditolak', tone: 'warning' };
}

const kinds: Record<AuditFinding['kind'], (seq: string) => string> = {
  changed: (seq) => `catatan nomor ${seq} diubah`,
  missing: (seq) => `catatan hilang mulai nomor ${seq}`,
  added: (seq) => `catatan nomor ${seq} disisipkan`,
  erased: (seq) => `catatan nomor ${seq} dikosongkan tanpa hak`,
  head: (seq) => `ujung rantai tidak cocok dengan catatan nomor ${seq}`,
  seal: (seq) => `segel nomor ${seq} hilang atau diubah`,
};

export function findingSentence({ kind, account_id, seq, day }: AuditFinding): string {
  const chain = kind === 'seal' ? 'Segel harian' : (account_id ?? 'Rantai tanpa akun');
  const when = day === null ? '' : `, ${dayInWords(day)}`;
  return `${chain}: ${kinds[kind](formatNumber(seq))}${when}.`;
}

export const checkSentence = ({ ok, lines, findings }: AuditCheck): string =>
  ok
    ? `Rantai utuh: ${formatNumber(lines)} catatan sama seperti saat ditulis.`
    : `Rantai terputus di ${formatNumber(findings.length)} tempat. Catatan ini tidak dapat lagi dipercaya seluruhnya.`;

const factNames: Readonly<Record<string, string>> = {
  account_id: 'ID akun',
  user_id: 'ID orang itu',
  token_id: 'Token',
  topup_id: 'Isi saldo',
  message_id: 'Pesan',
  invoice_id: 'Tagihan',
  session_id: 'Sesi',
  adjustment_id: 'Penyesuaian',
  refund_id: 'Pengembalian',
};
export const factName = (field: string): string => factNames[field] ?? field;
