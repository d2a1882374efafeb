import type { Series } from '#web/ui/chart/SmallBars.tsx';

/** The segments of a stacked bar of outbound messages, each message in one of them (`segmentsOf` of the contract). */
export const statusSegments = [
  { key: 'read', label: 'Dibaca', color: 'toska' },
  { key: 'delivered', label: 'Sampai, belum dibaca', color: 'langit' },
  { key: 'sent', label: 'Terkirim, belum sampai', color: 'pandan' },
  { key: 'waiting', label: 'Antre', color: 'kunyit' },
  { key: 'failed', label: 'Gagal', color: 'bata' },
] as const satisfies readonly Series[];
