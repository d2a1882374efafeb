import * as z from 'zod/mini';
import { act, paging, PAGE_SIZE, type Paging } from '#contract/base/act.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { readAnswer } from '#web/api/answer.ts';
import type { ListAnswer } from '#web/api/listPages.ts';

const Sample = schema(() =>
  z.object({
    id: z.string(),
    peer: z.string(),
    text: z.string(),
    status: z.enum(['Terkirim', 'Sampai', 'Dibaca', 'Gagal']),
    price: z.number(),
    at: z.string(),
  }),
);
export type Sample = Output<typeof Sample>;

const people = ['Budi Santoso', 'Siti Rahayu', 'Ahmad Fauzi', 'Dewi Lestari', 'Rina Melati'];
const texts = [
  'Pesanan Anda sudah dikirim lewat JNE, resi JX4401928810',
  'Kontrol gigi besok pukul 09.00 di Klinik Sehat Bersama',
  'Tagihan bulan November sebesar Rp 185.000 jatuh tempo Jumat',
  'Seragam keluarga sudah siap diambil di toko',
];
const statuses = ['Terkirim', 'Sampai', 'Dibaca', 'Gagal'] as const;
const pick = <T>(from: readonly T[], at: number): T => from[at % from.length] as T;

/** Generates `count` messages, the same each time. */
export const sampleRows = (count: number): readonly Sample[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `msg-${String(at + 1).padStart(3, '0')}`,
    peer: `${pick(people, at * 3)} ${at + 1}`,
    text: pick(texts, at),
    status: pick(statuses, at * 7),
    price: (at * 37) % 100 === 0 ? 0 : 150,
    at: `2026-11-${String(20 - (at % 19)).padStart(2, '0')}`,
  }));

const list = <P extends Paging>(type: P) =>
  act({
    name: `sample_${type}`,
    by: 'public',
    input: () => paging(['peer', 'price', 'at']),
    output: Sample,
    list: type,
  });
const acts = { default: list('default'), arrow: list('arrow'), manual: list('manual') };

export type Fields = Readonly<Record<string, unknown>>;

function sorted(rows: readonly Sample[], { sort_by: by, sort_type: type }: Fields) {
  if (by !== 'peer' && by !== 'price' && by !== 'at') return rows;
  const sign = type === 'desc' ? -1 : 1;
  return rows.toSorted(
    (a, b) => sign * String(a[by]).localeCompare(String(b[by]), 'id', { numeric: true }),
  );
}

export function replyTo(type: Paging, rows: readonly Sample[], fields: Fields): unknown {
  const all = sorted(rows, fields);
  const start = Number(fields['start']);
  const from = { default: start, arrow: start - 1, manual: start / PAGE_SIZE }[type] * PAGE_SIZE;
  const data = all.slice(from, from + PAGE_SIZE);
  const total_page = Math.ceil(all.length / PAGE_SIZE);
  if (type === 'manual') return { code: 1, data, count: data.length };
  return { code: 1, result: type === 'arrow' ? { data, total: all.length } : { data, total_page } };
}

export const readReply = (type: Paging, reply: unknown): ListAnswer<Sample> =>
  readAnswer(acts[type], reply, 200);
