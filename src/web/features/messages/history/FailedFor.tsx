import type { Failure, MessageRow } from '#contract/messages.ts';

/** Failures in a few words that fit a column; the details say it in full, with what to do. */
const failureWords: Record<Failure, string> = {
  not_on_whatsapp: 'Tidak ada di WhatsApp',
  blocked: 'Nomor Anda diblokir',
  rate_limited: 'Terlalu cepat',
  not_linked: 'Nomor terputus',
  no_answer: 'Jaringan tidak menjawab',
  rejected: 'Isinya ditolak jaringan',
  opted_out: 'Penerima minta berhenti',
  media_unreachable: 'Berkas gagal diambil',
  media_refused: 'Berkasnya ditolak',
  window_closed: 'Batas 24 jam terlewat',
  network_declined: 'Ditahan WhatsApp',
  template_refused: 'Templatnya ditolak',
  network_billing: 'Tagihan Meta bermasalah',
  network_access: 'Token akses ditolak',
  number_restricted: 'Nomor Anda dibatasi',
  unexplained: 'Ditolak tanpa alasan',
};

type Props = { message: Pick<MessageRow, 'status' | 'failure'> };

export const FailedFor = ({ message: { status, failure } }: Props) =>
  status === 'failed' &&
  failure && <span className="block tiny muted num ws-normal">{failureWords[failure]}</span>;
