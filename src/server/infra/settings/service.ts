import { SupportHours } from '#contract/operator/settings.ts';
import { decimal, jsonOf, switched, text } from './readers.ts';
import { live, liveWhole, setting } from './setting.ts';

const weekday = { open: '08:00', close: '17:00' };
const hours: SupportHours = {
  days: [weekday, weekday, weekday, weekday, weekday, { open: '08:00', close: '12:00' }, null],
  days_off: [],
  note: '',
};

const REGISTRATION_CLOSED =
  'Pendaftaran akun baru sedang ditutup. Silakan coba lagi beberapa hari lagi.';
const MAINTENANCE =
  'Sedang ada pemeliharaan. Pesan tetap dikirim, tetapi beberapa halaman mungkin lambat.';

/** Settings of how people are served. */
export const serviceSettings = {
  SUPPORT_HOURS: live(
    setting(
      'When customer service is open, in WIB: a JSON object of `days` (Monday first, each `{"open":"08:00","close":"17:00"}` or null), `days_off` (dates) and `note`.',
      jsonOf(SupportHours(), 'an object of seven days, as the default is'),
      JSON.stringify(hours),
    ),
    {
      group: 'support',
      label: 'Jam buka layanan pelanggan',
      help: 'Dalam WIB. Di luar jam ini pelanggan membaca kapan Anda membalas.',
      kind: 'hours',
    },
  ),
  SUPPORT_CLOSE_DAYS: liveWhole({
    means: 'After so many days without a word from the customer an answered thread is closed.',
    min: 1,
    max: 90,
    fallback: 7,
    group: 'support',
    label: 'Tutup percakapan setelah (hari)',
    help: 'Percakapan yang sudah dijawab dan didiamkan pelanggan selama ini ditutup sendiri.',
  }),
  REGISTRATION: live(setting('Whether new accounts may be registered.', switched, 'on'), {
    group: 'registration',
    label: 'Pendaftaran akun baru',
    help: 'Bila ditutup, akun baru tidak dapat dibuat; yang sudah terdaftar tetap dapat masuk.',
    kind: 'switch',
  }),
  REGISTRATION_CLOSED: live(
    setting('What visitors read while `REGISTRATION` is off.', text, REGISTRATION_CLOSED),
    {
      group: 'registration',
      label: 'Kalimat saat pendaftaran ditutup',
      help: 'Dibaca pengunjung halaman Daftar.',
      kind: 'sentence',
      max: 300,
    },
  ),
  OTP_DAILY_TOTAL: liveWhole({
    means:
      'One-time codes sent in a day, all numbers together, for each of: registering, a forgotten password, signing in, what a session asks for, another number.',
    min: 0,
    max: 10_000_000,
    fallback: 2_000,
    group: 'registration',
    label: 'Kode verifikasi sehari, semua nomor',
    help: 'Untuk tiap keperluan: mendaftar, lupa kata sandi, masuk, keperluan dalam sesi, ganti nomor. Di atasnya tidak ada kode lagi sampai besok. Menaikkannya meminta kata sandi Anda.',
    guarded: true,
  }),
  OTP_DAILY_PER_ADDRESS: liveWhole({
    means:
      'One-time codes asked for in a day from one address, for each of the same purposes; a network (/24, /64) may ask four times as many.',
    min: 0,
    max: 1_000_000,
    fallback: 50,
    group: 'registration',
    label: 'Kode verifikasi sehari, tiap alamat IP',
    help: 'Satu jaringan boleh meminta empat kali lipatnya. Menaikkannya meminta kata sandi Anda.',
    guarded: true,
  }),
  OTP_WRONG_ALERT: liveWhole({
    means:
      'Wrong one-time codes within an hour, all people together, from which operators are alerted.',
    min: 1,
    max: 1_000_000,
    fallback: 200,
    group: 'registration',
    label: 'Kode salah dalam satu jam',
    help: 'Mulai jumlah ini admin diberi tahu, paling sering sekali sejam.',
  }),
  TOKEN_DAILY_LIMIT_MAX: liveWhole({
    means: 'The highest daily limit that customers may set for a token.',
    min: 1_000,
    max: 1_000_000,
    fallback: 1_000_000,
    group: 'sending',
    label: 'Batas harian token paling tinggi',
    help: 'Yang dapat dipasang pelanggan. Batas yang sudah dipasang tidak berubah.',
  }),
  LANE_PACE_PER_SECOND: live(
    setting('Messages a token sends in a second at most; 0 sets no pace.', decimal(0, 10_000), '0'),
    {
      group: 'sending',
      label: 'Laju kirim tiap token (pesan per detik)',
      help: 'Nol: tanpa batas laju. Berlaku bagi pesan yang berikutnya dikirim.',
      kind: 'decimal',
      min: 0,
      max: 10_000,
    },
  ),
  MEDIA_RETENTION_DAYS: liveWhole({
    means:
      'Days after its last use in a message that a file is kept. Then the message stands without it.',
    min: 1,
    max: 3_650,
    fallback: 365,
    group: 'sending',
    label: 'Simpan berkas pesan (hari)',
    help: 'Dihitung sejak berkas terakhir dipakai dalam pesan. Sesudahnya pesannya tetap ada, tanpa berkasnya.',
  }),
  MAINTENANCE: live(
    setting(
      'Whether the portal says that it is being maintained; messages are sent all the same.',
      switched,
      'off',
    ),
    {
      group: 'maintenance',
      label: 'Mode pemeliharaan',
      help: 'Pelanggan melihat spanduk sejak halaman berikutnya yang mereka muat. Pengiriman tetap berjalan.',
      kind: 'switch',
    },
  ),
  MAINTENANCE_TEXT: live(
    setting('What customers read while `MAINTENANCE` is on.', text, MAINTENANCE),
    {
      group: 'maintenance',
      label: 'Kalimat spanduk pemeliharaan',
      help: 'Sebutkan sampai kapan.',
      kind: 'sentence',
      max: 300,
    },
  ),
};
