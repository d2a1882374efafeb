import { isolated } from '#contract/base/names.ts';
import type { RowExport } from '#contract/exports.ts';
import { directionLabel, messageTypeLabel, statusFilterLabel } from '#contract/messages.ts';
import { formatDate, wibMidnight } from '#contract/base/time.ts';

type Requested = RowExport['of'];
type Filters = Omit<Extract<Requested, { kind: 'messages' }>, 'kind' | 'chosen' | 'sort_type'>;

const dayWords = (day: string): string => formatDate(wibMidnight(day));

/** The filters in words, as the table names them: `Gagal, Keluar, 1 Nov 2026 sampai 7 Nov 2026`. */
export function filterWords(
  { q, status, direction, type, from, to, token_id: token }: Filters,
  nameOfToken: (id: string) => string | undefined,
): string {
  // Every filter must be named: without its name the dialog would claim to export all messages.
  const words: Record<Exclude<keyof Filters, 'to'>, string | undefined> = {
    q: q && `cocok dengan “${q}”`,
    status: status?.map(statusFilterLabel).join(' atau '),
    direction: direction && directionLabel[direction],
    type: type && messageTypeLabel[type],
    token_id: token && `token ${isolated(nameOfToken(token) ?? 'yang sudah dihapus')}`,
    from:
      from &&
      (to === undefined || to === from
        ? dayWords(from)
        : `${dayWords(from)} sampai ${dayWords(to)}`),
  };
  return Object.values(words).filter(Boolean).join(', ');
}

export function exportTitle(
  of: Requested,
  nameOfToken: (id: string) => string | undefined,
): string {
  if (of.kind === 'campaign') return 'Hasil kiriman';
  if (of.chosen !== undefined) return `${of.chosen} pesan pilihan`;
  const words = filterWords(of, nameOfToken);
  return words === '' ? 'Semua pesan' : `Pesan: ${words}`;
}
