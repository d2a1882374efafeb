import { Link } from '#web/browser/router/Link.tsx';
import { SOMEBODY } from '#web/features/tokens/samples.ts';

/** A sample's precondition by the Cloud API, where a text only reaches people who have written. */
export const WindowNote = () => (
  <p>
    Lewat WhatsApp Cloud API, teks bebas hanya sampai kepada orang yang menulis ke nomor Anda dalam
    24 jam terakhir. Untuk mencobanya, kirim dahulu sebuah pesan dari ponsel Anda ke nomor token
    ini, lalu ganti {SOMEBODY} dengan nomor ponsel itu. Kepada yang lain, kirim{' '}
    <Link to="/token/templat">templat yang disetujui</Link>.
  </p>
);
