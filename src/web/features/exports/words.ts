import type { RowExport } from '#contract/exports/exports.ts';
import { messageStatusLabel, messageTypeLabel } from '#contract/messages.ts';
import { formatDate, wibMidnight } from '#contract/base/time.ts';

type Asked = RowExport['of'];

const dayWords = (day: string): string => formatDate(wibMidnight(day));

/** Which messages filters let through, as people say them: "gagal, keluar, 1 Nov 2026 sampai 7 Nov 2026". */
export function filterWords(
  {
    q,
    status,
    direction,
    type,
    from,
    to,
    token_id: token,
  }: Omit<Extract<Asked, { kind: 'messages' }>, 'kind'>,
  nameOfToken: (id: string) => string | undefined,
): string {
  const words = [
    q && `cocok dengan “${q}”`,
    status && (status === 'waiting' ? 'Antre' : messageStatusLabel[status]),
    direction && (direction === 'out' ? 'Keluar' : 'Masuk'),
    type && messageTypeLabel[type],
    token && `token ${nameOfToken(token) ?? 'yang sudah dihapus'}`,
    from &&
      (to === undefined || to === from
        ? dayWords(from)
        : `${dayWords(from)} sampai ${dayWords(to)}`),
  ];
  return words.filter(Boolean).join(', ');
}

/** What a file is called in the list. */
export function exportTitle(of: Asked, nameOfToken: (id: string) => string | undefined): string {
  if (of.kind === 'campaign') return 'Hasil kiriman';
  if (of.chosen !== undefined) return `${of.chosen} pesan pilihan`;
  const words = filterWords(of, nameOfToken);
  return words === '' ? 'Semua pesan' : `Pesan: ${words}`;
}
