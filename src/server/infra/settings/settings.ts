import { backupSettings } from './backup.ts';
import { fileSettings } from './files.ts';
import {
  address,
  clamd,
  contact,
  decimal,
  listOf,
  oneOf,
  operatorPhone,
  origin,
  postgresUrl,
  proxy,
  replicaUrl,
  secondKey,
  secretKey,
  switched,
  text,
  whole,
  socketAddress,
  jsonOf,
} from './readers.ts';
import { optional, setting, live, liveWhole } from './setting.ts';
import { SupportHours } from '#contract/operator/settings.ts';
import { TOPUP_MAX, TOPUP_MIN, ALERT_MAX } from '#contract/saldo.ts';
import { gatewaySettings } from './gateways.ts';
import * as z from 'zod/mini';

const npwp = z.string().check(z.regex(/^(\d{15}|\d{16})$/, 'an NPWP of 15 or 16 digits'));

const sellerSettings = {
  SELLER_NAME: live(setting('Who sells, as invoices name it.', text, 'Kabari'), {
    group: 'seller',
    label: 'Nama penjual',
    help: 'Tertulis di faktur yang terbit sesudah diubah; faktur lama tetap.',
    kind: 'text',
    max: 100,
  }),
  SELLER_ADDRESS: live(
    optional('The address of the seller, on invoices: without it invoices with PPN wait.', text),
    {
      group: 'seller',
      label: 'Alamat penjual',
      help: 'Wajib di faktur dengan PPN: tanpa alamat, faktur itu menunggu.',
      kind: 'text',
      max: 200,
    },
  ),
  SELLER_NPWP: live(
    optional('The NPWP of the seller, 15 or 16 digits: without it invoices with PPN wait.', npwp),
    {
      group: 'seller',
      label: 'NPWP penjual',
      help: 'Wajib di faktur dengan PPN: tanpa NPWP, faktur itu menunggu. 15 atau 16 angka.',
      kind: 'text',
      max: 16,
      expects: 'Tulis NPWP dengan 15 atau 16 angka, tanpa titik.',
    },
  ),
  SELLER_EMAIL: live(optional('The e-mail address of the seller, on invoices.', text), {
    group: 'seller',
    label: 'Email penjual',
    help: 'Tertulis di faktur sebagai kontak bagi pelanggan. Kosong: tidak ditulis.',
    kind: 'email',
    max: 200,
  }),
  SELLER_PHONE: live(optional('The telephone number of the seller, on invoices.', text), {
    group: 'seller',
    label: 'Telepon penjual',
    help: 'Tertulis di faktur sebagai kontak bagi pelanggan. Kosong: tidak ditulis.',
    kind: 'text',
    max: 40,
  }),
  PAID_STAMP_OVER_5M: setting(
    'Whether documents above Rp 5,000,000 say LUNAS too: as receipts they need an e-Meterai, which is not put on them here.',
    switched,
    'off',
  ),
};

const moneySettings = {
  WELCOME_BONUS: liveWhole({
    means:
      'Saldo a new account begins with, in whole rupiah; a number that had an account before gets none.',
    kind: 'rupiah',
    min: 0,
    max: 10_000_000,
    fallback: 10_000,
    group: 'registration',
    label: 'Bonus selamat datang',
    help: 'Saldo awal akun baru, sekali untuk tiap nomor. Nol: tanpa bonus. Akun yang sudah ada tidak berubah.',
    guarded: true,
    guardsMoney: true,
  }),
  WELCOME_BONUS_USE: setting(
    'What that saldo pays for until a first top-up, or until an operator approves: the simulator and the account’s own number (`own`), or everything (`all`).',
    oneOf('own', 'all'),
    'own',
  ),
  CLOCK: setting(
    'Whether the clock of money can be moved forward (`movable`), to see renewals and expiry without waiting; refused in production.',
    oneOf('real', 'movable'),
    'real',
  ),
  PPN: setting('Whether PPN is added to top-ups.', switched, 'off'),
  KODE_UNIK: setting(
    'Where the kode unik of a transfer goes: to the customer (`saldo`) or to us (`income`).',
    oneOf('saldo', 'income'),
    'saldo',
  ),
  FOUR_EYES_ABOVE: liveWhole({
    means:
      'Above so many rupiah, corrections, refunds and payouts take two operators, and so does confirming a top-up without a bank line of exactly its amount.',
    kind: 'rupiah',
    min: 0,
    max: 1_000_000_000,
    fallback: 5_000_000,
    group: 'money',
    label: 'Dua operator di atas',
    help: 'Di atas nominal ini, penyesuaian, pengembalian, pencairan, dan konfirmasi tanpa mutasi bank yang tepat memerlukan dua operator. ',
    guarded: true,
    guardsMoney: true,
  }),
  FOUR_EYES_DAY_ABOVE: liveWhole({
    means:
      'Above so many rupiah that one operator gives alone within 24 hours, to all customers together, each further entry or confirmation takes two operators; what their imports of statements pay counts.',
    kind: 'rupiah',
    min: 0,
    max: 100_000_000_000,
    fallback: 25_000_000,
    group: 'money',
    label: 'Dua operator di atas, sehari',
    help: 'Jumlah yang boleh diputuskan satu operator sendiri dalam 24 jam untuk semua pelanggan: penyesuaian, pengembalian, pencairan, bonus, konfirmasi, dan mutasi yang diimpornya.',
    guarded: true,
    guardsMoney: true,
  }),
  TOPUP_MINIMUM: liveWhole({
    means: 'The smallest top-up a customer may make, in whole rupiah before PPN.',
    kind: 'rupiah',
    min: TOPUP_MIN,
    max: TOPUP_MAX,
    fallback: TOPUP_MIN,
    group: 'money',
    label: 'Isi saldo minimal',
    help: 'Sebelum PPN, untuk semua cara bayar. Isi saldo yang sudah dibuat dan pembayaran tagihan tidak berubah.',
  }),
  TOPUP_MAXIMUM: liveWhole({
    means: 'The largest top-up a customer may make, in whole rupiah before PPN.',
    kind: 'rupiah',
    min: TOPUP_MIN,
    max: TOPUP_MAX,
    fallback: TOPUP_MAX,
    group: 'money',
    label: 'Isi saldo paling banyak',
    help: 'Sebelum PPN. QRIS dapat memiliki batas yang lebih rendah.',
  }),
  SALDO_ALERT: liveWhole({
    means:
      'The threshold of the low-saldo alert that new accounts begin with, in whole rupiah; 0 leaves it off until its owner sets one.',
    kind: 'rupiah',
    min: 0,
    max: ALERT_MAX,
    fallback: 0,
    group: 'money',
    label: 'Peringatan saldo rendah akun baru',
    help: 'Batas awal peringatan saldo rendah. Pelanggan dapat mengubahnya sendiri. Nol: mati sampai pelanggan menyalakannya.',
  }),
  BANK_NAME: optional(
    'The bank that top-ups are transferred to. Required in production, with its number and holder; without them a local installation names a simulated bank.',
    text,
  ),
  BANK_NUMBER: optional('The account number that top-ups are transferred to.', text),
  BANK_HOLDER: optional('In whose name that account is.', text),
  ...gatewaySettings,
  ...sellerSettings,
};

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

const serviceSettings = {
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
    help: 'Percakapan yang sudah dijawab dan didiamkan pelanggan selama ini ditutup otomatis.',
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
      label: 'Batas kecepatan kirim tiap token (pesan per detik)',
      help: 'Nol: tanpa batas kecepatan. Berlaku bagi pesan yang berikutnya dikirim.',
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

/** Standard variables of OpenTelemetry; its exporter reads the others as documented. */
const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    'Where a collector takes traces by OTLP over HTTP, such as `http://127.0.0.1:4318`; `/v1/traces` is added. Without it there are no traces, and they cost nothing ([traces](running/traces.md)).',
    address,
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(
    'The same with its whole path, in place of it.',
    address,
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting(
    'How spans travel to the collector.',
    oneOf('http/protobuf'),
    'http/protobuf',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    'Headers of each call of the collector, such as its key: `name=value`, separated by commas.',
    text,
    { secret: true },
  ),
  OTEL_SERVICE_NAME: optional(
    'What this service is called in traces. Without it `service.name` of `OTEL_RESOURCE_ATTRIBUTES`, else `kabari`.',
    text,
  ),
  OTEL_RESOURCE_ATTRIBUTES: optional(
    'What else each trace says of this process: `name=value`, separated by commas.',
    text,
  ),
  OTEL_TRACES_SAMPLER: setting(
    'Which messages are traced: all, none, or a share of them. Each process decides by the message’s id, so all of them must have the same; whether a caller records its own trace does not count, with `parentbased_` or without.',
    oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    'parentbased_always_on',
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    'The share, of `traceidratio`: from 0 to 1.',
    decimal(0, 1),
    '1',
  ),
  OTEL_BSP_SCHEDULE_DELAY: setting(
    'After how many milliseconds spans are sent at the latest.',
    whole(10, 600_000),
    '5000',
  ),
  OTEL_BSP_MAX_QUEUE_SIZE: setting(
    'Spans that may wait to be sent; those beyond are dropped.',
    whole(1, 15_000),
    '8192',
  ),
  OTEL_SDK_DISABLED: setting(
    'Whether traces are off (`true`) although the endpoint is set, as for a whole machine.',
    oneOf('true', 'false'),
    'false',
  ),
};

const channelSettings = {
  CHANNEL_CLOUD: setting(
    'Whether tokens may send by the WhatsApp Cloud API of Meta.',
    switched,
    'on',
  ),
  CLOUD_URL: setting(
    'Where the Cloud API is, its version included. Another one for trying things out.',
    address,
    'https://graph.facebook.com/v23.0',
  ),
  CLOUD_TIMEOUT_MS: setting(
    'How long the Cloud API may take to answer, in milliseconds.',
    whole(100, 120_000),
    '20000',
  ),
  CHANNEL_WEB: optional(
    'Whether tokens may send by WhatsApp Web, with an unofficial client. Without it on, except in production.',
    switched,
  ),
  WEB_ENGINE: setting(
    'The client of WhatsApp Web: `baileys`, or `stand-in`, a network inside the process for trying things out.',
    oneOf('baileys', 'stand-in'),
    'baileys',
  ),
  WEB_URL: optional(
    'Where WhatsApp Web is, for trying things out. Without it WhatsApp itself.',
    socketAddress,
  ),
};

export const settings = {
  NODE_ENV: setting(
    'What this installation is. `production` turns the strict rules on: https, a key of its own, no simulator.',
    oneOf('development', 'test', 'production'),
    'development',
  ),
  HOST: setting('The address to listen on.', text, '127.0.0.1'),
  PORT: setting('The port to listen on; 0 takes any free one.', whole(0, 65_535), '3000'),
  HEALTH_PORT: optional(
    'A port of its own for `/healthz`, `/readyz` and `/metrics`, answered however many callers wait at `PORT`, which answers them as well; 0 takes any free port. Without it 9464 with `ROLE=worker`, which has no other port, otherwise none.',
    whole(0, 65_535),
  ),
  ROLE: setting(
    'What this process does: answer requests (`web`), send and tidy (`worker`; needs DATABASE_URL), or both (`all`).',
    oneOf('all', 'web', 'worker'),
    'all',
  ),
  DRAIN_SECONDS: optional(
    'So many seconds a process that was sent SIGTERM goes on answering while `/readyz` says 503: longer than the balancer needs to take it out. Without it 5 with `ROLE=web`, otherwise 0.',
    whole(0, 600),
  ),
  DATABASE_URL: optional(
    'The PostgreSQL (15 or newer) to use. Several servers, a primary and its standbys, may be named with commas (`host:port,host:port`): the one that takes writes is used. Without it the application runs its own, in the data folder.',
    postgresUrl,
    { secret: true },
  ),
  DATABASE_REPLICA_URL: optional(
    'A standby of the PostgreSQL at `DATABASE_URL`, entered by the same role. Long work that only reads goes there: files and archives that people take along, and the checks of the night. While it is away or too far behind, the database itself is read.',
    replicaUrl,
    { secret: true },
  ),
  KABARI_DATA: optional(
    'The folder for everything that lasts. Without it `/var/lib/kabari` for root, `.data` for others. As root it must be one that the user `kabari` can enter, so not below `/root`.',
    text,
  ),
  SECRET_KEY: optional(
    'Mixed into every secret of the installation, so that a copy of the database alone opens nothing: at least 32 random characters, the same on every node. Required in production. Another one: docs/operating.md.',
    secretKey,
    { secret: true },
  ),
  SECRET_KEY_SECOND: optional(
    'A second key that opens what it has sealed: the former one while `npm run operator -- rotate-key` seals everything with `SECRET_KEY`, or the next one before. `none` stands for an installation that began without a key.',
    secondKey,
    { secret: true },
  ),
  PUBLIC_URL: optional(
    'The address people use, such as `https://kabari.example`. Without it `http://localhost` and the port. Required in production, and https there.',
    origin,
  ),
  API_URL: optional(
    'The address of the API as the portal and the samples show it. Without it `PUBLIC_URL`.',
    origin,
  ),
  MEDIA_ORIGIN: optional(
    'Another address of this installation, where files that people sent are shown: nothing in one could ever reach the portal. Without it `PUBLIC_URL`.',
    origin,
  ),
  PORTAL_ORIGINS: setting(
    'Other addresses the portal is served from, separated by commas: allowed in CORS and in the origin check.',
    listOf(origin),
    '',
  ),
  RETURN_ORIGINS: setting(
    'Addresses beside our own that `from` and `callbackUrl` may lead back to, separated by commas.',
    listOf(origin),
    '',
  ),
  TRUSTED_PROXIES: setting(
    'The proxies whose `X-Forwarded-*` is believed: addresses, ranges, or `loopback`, separated by commas.',
    listOf(proxy),
    '',
  ),
  LOG_LEVEL: setting(
    'How much is logged.',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
  ),
  METRICS_TOKEN: optional(
    'Lets whoever sends it as a Bearer token read `/metrics`. Without it only this machine may.',
    text,
    { secret: true },
  ),
  ...traceSettings,
  OPERATOR_SECOND_FACTOR: optional(
    'Whether operators need a second factor beside their password: `required`, or `optional`. Without it required in production, optional otherwise.',
    oneOf('required', 'optional'),
  ),
  SIMULATOR: optional(
    'The phone network inside the process. Without it on, except in production.',
    switched,
  ),
  SIMULATOR_SPEED: setting(
    'How fast simulated phones answer: 1 is lifelike, 2 twice as fast, 0 at once.',
    decimal(0, 1_000),
    '1',
  ),
  ...channelSettings,
  ...backupSettings,
  ...fileSettings,
  ...moneySettings,
  ...serviceSettings,
  RATE_API_PER_SECOND: setting('API requests of a token in a second.', whole(1, 1_000_000), '50'),
  BUSY_DELAY_MS: setting(
    'How late a process may be on average, in milliseconds, before it sends callers away as busy (503); 0 sends nobody away, for tests on a machine with other work.',
    whole(0, 60_000),
    '250',
  ),
  RATE_AUTH_PER_ADDRESS: setting(
    'Sign-in and registration calls from one address in ten minutes.',
    whole(1, 1_000_000),
    '90',
  ),
  UPLOADS_OPEN_MB: setting(
    'Megabytes of an account that are being uploaded, or are uploaded and not used yet.',
    whole(1, 1_000_000),
    '200',
  ),
  FILES_PER_ACCOUNT_MB: setting(
    'Megabytes of files an account may keep.',
    whole(1, 100_000_000),
    '5000',
  ),
  CLAMD_HOST: optional(
    'Where clamd scans uploads for malware: `host:port`, or the path of its socket. Once it is set, nothing is accepted unscanned; its `StreamMaxLength` must be 100M or more.',
    clamd,
  ),
  MEDIA_LISTED: setting(
    'Origins inside our own network from which the links of messages may be fetched, separated by commas. All others are fetched from public addresses only.',
    listOf(origin),
    '',
  ),
  WEBHOOK_ORIGINS: setting(
    'Origins of webhooks that are asked although they are no public https addresses, such as `http://127.0.0.1:4000`, separated by commas: for programs inside our own network, and for trying things out. All others are asked at public https addresses only.',
    listOf(origin),
    '',
  ),
  PUSH_SERVICES: setting(
    'Push services of browsers beside those of Chrome, Firefox, Edge and Safari, separated by commas.',
    listOf(origin),
    '',
  ),
  PUSH_CONTACT: optional(
    'Whom a push service may write to about this installation: a `mailto:` or `https:` address. Without it `admin` at the host of `PUBLIC_URL`.',
    contact,
  ),
  OPERATOR_PHONE: setting(
    'The phone number the first operator signs in with; read at the first start only.',
    operatorPhone,
    '6281100000000',
  ),
  CAPTCHA_PROVIDER: setting(
    'Who tells people from programs. `altcha` runs here and asks nobody else; `turnstile`, `hcaptcha` and `recaptcha` (v2) need the two keys below, and open the policy of the pages for their widget.',
    oneOf('altcha', 'turnstile', 'hcaptcha', 'recaptcha'),
    'altcha',
  ),
  CAPTCHA_STEPS: setting(
    'The most steps that `altcha` has a browser compute; a step takes about a millisecond. A slow device gets a quarter of them at least.',
    whole(2, 10_000),
    '800',
  ),
  CAPTCHA_SITE_KEY: optional('The site key that the captcha’s provider gave.', text),
  CAPTCHA_SECRET_KEY: optional('The secret key beside it.', text, { secret: true }),
  CAPTCHA_VERIFY_URL: optional(
    'Where solved captchas are verified, when not at the provider’s usual address.',
    address,
  ),
  CAPTCHA_SCRIPT_URL: optional(
    'Where the captcha’s script is, when not at the provider’s usual address; refused in production.',
    address,
  ),
};
