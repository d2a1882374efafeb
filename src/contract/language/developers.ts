import type { FactsOf, RefusalCode } from '#contract/base/refusals.ts';
import { sentenceFor } from './indonesian.ts';

type Sentences = { [C in RefusalCode]?: string | ((facts: FactsOf<C>) => string) };

/** Where the portal's sentence speaks of a screen: the same for whoever reads the answer of a program. */
const sentences: Sentences = {
  not_found: ({ what }) =>
    `${what} tidak ditemukan. Periksa id-nya; mungkin milik token lain, atau sudah dihapus.`,
  input_invalid: 'Ada isian yang perlu diperbaiki; `fields` menyebutkan yang mana dan isinya apa.',
  body_too_large:
    'Isi permintaan paling besar 1.048.576 byte. Kirim lebih sedikit pesan dalam satu permintaan.',
  media_type_unsupported:
    'Kirim isi permintaan sebagai JSON tanpa kompresi, dengan `Content-Type: application/json`; berkas ke `POST /v1/media` sebagai `multipart/form-data`.',
  upload_empty: 'Berkasnya tidak ada dalam isian `file` formulirnya, atau kosong.',
  upload_infected:
    'Berkas ini dikenali sebagai perangkat lunak berbahaya, jadi tidak diterima dan tidak disimpan.',
  upload_too_slow:
    'Berkas ini datang terlalu lambat sehingga dihentikan. Periksa koneksi, lalu unggah sekali lagi.',
  timed_out: 'Jawaban terlalu lama. Ulangi permintaan dengan `Idempotency-Key` yang sama.',
  our_fault:
    'Terjadi gangguan di sisi kami. Ulangi permintaan; sebutkan `request_id` bila menghubungi kami.',
};

/** The sentence of a refusal for developers, in Indonesian. */
export function developerSentenceFor(no: { code: RefusalCode; facts: unknown }): string {
  const sentence: string | ((facts: never) => string) | undefined = sentences[no.code];
  if (sentence === undefined) return sentenceFor(no);
  return typeof sentence === 'string' ? sentence : sentence(no.facts as never);
}
