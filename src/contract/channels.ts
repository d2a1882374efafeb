import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { IdInput } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { ChannelName, Token } from '#contract/tokens.ts';

export const PriceCategory = schema(() =>
  z.enum(['message', 'marketing', 'utility', 'authentication', 'service']),
);
export type PriceCategory = Output<typeof PriceCategory>;

export const categoryLabel: Record<PriceCategory, string> = {
  message: 'Pesan',
  marketing: 'Pemasaran',
  utility: 'Utilitas',
  authentication: 'Autentikasi',
  service: 'Layanan (balasan dalam 24 jam)',
};

export const OfferedChannel = schema(() =>
  z.object({
    channel: ChannelName(),
    prices: z.array(z.object({ category: PriceCategory(), price: Rupiah() })),
  }),
);
export type OfferedChannel = Output<typeof OfferedChannel>;

export const listChannels = act({
  name: 'channel_list',
  by: 'customer',
  input: () => ({}),
  output: () => z.object({ channels: z.array(OfferedChannel()) }),
});

/**
 * Moves a token to another channel: its key, name, limits and history stay; its number must be connected anew. Queued
 * messages wait for that.
 */
export const moveToken = act({
  name: 'token_move',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({ token_id: IdInput('token'), channel: ChannelName() }),
  output: Token,
  refuses: ['channel_off', 'channel_busy', 'channel_waiting', 'account_suspended'],
});

/** Why a number is disconnected from its network, with what to do, in plain Indonesian. */
export const partings = {
  phone:
    'Ponsel memutus perangkat ini, atau nomornya keluar dari WhatsApp. Pindai QR lagi untuk menyambungkannya.',
  banned:
    'WhatsApp memblokir nomor ini. Buka WhatsApp di ponselnya untuk meminta peninjauan; pesan yang antre menunggu.',
  relink: 'Sambungan nomor ini tidak dapat dipakai lagi. Pindai QR lagi untuk menyambungkannya.',
  replaced:
    'Nomor ini tersambung di tempat lain. Putuskan perangkat itu di ponsel (Perangkat tertaut), lalu pindai QR lagi.',
  access:
    'Meta menolak access token nomor ini: kedaluwarsa, dicabut, atau kurang izin. Masukkan access token yang baru.',
  unregistered:
    'Nomor ini belum terdaftar, atau tidak terdaftar lagi, di Cloud API. Daftarkan di WhatsApp Manager dengan PIN-nya; access token tidak perlu diganti. Kabari otomatis mencoba lagi, dan pesan yang antre menunggu.',
  display_name:
    'Meta belum menyetujui nama tampilan nomor ini, sehingga nomor ini belum boleh mengirim. Ajukan nama tampilannya di WhatsApp Manager; access token tidak perlu diganti. Kabari otomatis mencoba lagi, dan pesan yang antre menunggu.',
  outdated:
    'WhatsApp tidak lagi menerima versi Kabari di server ini. Setelah pengelola memperbarui Kabari, nomor tersambung otomatis tanpa memindai ulang; pesan yang antre menunggu.',
} as const;
export type Parting = keyof typeof partings;
export const Parting = schema(() => z.enum(Object.keys(partings) as [Parting, ...Parting[]]));

/** Restrictions that a network puts on a number, in plain Indonesian. */
export const restrictions = {
  new_chats:
    'WhatsApp sedang membatasi nomor ini memulai percakapan baru. Pesan kepada nomor yang belum pernah berkirim pesan ditahan; balasan tetap berjalan.',
  capped:
    'Jatah percakapan baru nomor ini dari WhatsApp sudah habis. Pesan kepada nomor baru ditahan; balasan tetap berjalan.',
  quality:
    'Meta menurunkan mutu nomor ini, sehingga batas kirimnya turun. Kurangi pesan yang tidak diminta penerima.',
  blocked: 'Meta memblokir pengiriman dari akun ini. Periksa pemberitahuannya di WhatsApp Manager.',
  templates:
    'Meta membatasi akun ini memulai percakapan: templat tidak terkirim, balasan tetap berjalan. Periksa pemberitahuannya di WhatsApp Manager.',
  replies:
    'Meta membatasi akun ini membalas percakapan. Periksa pemberitahuannya di WhatsApp Manager.',
  disabling:
    'Meta akan menonaktifkan akun WhatsApp Business ini. Ajukan peninjauan di WhatsApp Manager sebelum waktunya.',
} as const;
export type Restriction = keyof typeof restrictions;
export const Restriction = schema(() =>
  z.enum(Object.keys(restrictions) as [Restriction, ...Restriction[]]),
);

/** Why a connected number is paused, with what to do, in plain Indonesian. */
export const pauses = {
  silent:
    'WhatsApp tidak menjawab. Pesan yang antre menunggu: Kabari mencoba satu pesan dulu, lalu melanjutkan otomatis begitu dijawab.',
  refused:
    'Meta menolak pesan dari nomor ini, walaupun token aksesnya masih berlaku. Pesan yang antre menunggu, dan Kabari otomatis mencoba lagi. Bila terus berulang, periksa izin aplikasi Anda di Meta.',
  restricted:
    'Meta sedang membatasi akun ini. Pesan yang antre menunggu, dan Kabari otomatis mencoba lagi. Periksa pemberitahuannya di WhatsApp Manager.',
  billing:
    'Meta belum dapat menagih akun WhatsApp Business ini. Lengkapi metode pembayarannya di WhatsApp Manager; pesan yang antre menunggu, dan Kabari otomatis mencoba lagi.',
} as const;
export type Pause = keyof typeof pauses;
export const Pause = schema(() => z.enum(Object.keys(pauses) as [Pause, ...Pause[]]));

export const Connection = schema(() =>
  z.object({
    channel: ChannelName(),
    /** Connected since; null while it is disconnected, or was never connected. */
    since: z.nullable(z.coerce.date()),
    parted: z.nullable(z.object({ at: z.coerce.date(), reason: Parting() })),
    restriction: z.nullable(
      z.object({ kind: Restriction(), at: z.coerce.date(), until: z.nullable(z.coerce.date()) }),
    ),
    /** Set while a connected number is paused; one message is tried at `until`. */
    paused: z.nullable(z.object({ reason: Pause(), at: z.coerce.date(), until: z.coerce.date() })),
    last_receipt_at: z.nullable(z.coerce.date()),
    /** Over the last 30 days, or since the first connection, in ten-thousandths; null: never connected. */
    uptime: z.nullable(z.int()),
  }),
);
export type Connection = Output<typeof Connection>;

export const getConnection = act({
  name: 'token_connection_get',
  by: 'customer',
  input: () => ({ token_id: IdInput('token') }),
  output: () => z.nullable(Connection()),
});

const MetaId = (what: string) =>
  z.string().check(z.trim(), z.regex(/^[0-9]{5,20}$/, `${what} hanya berisi angka, 5 sampai 20.`));

const Secret = (what: string, min: number, max: number) =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(min, `${what} tidak lengkap. Salin ulang seluruhnya.`),
      z.maxLength(max, `${what} terlalu panjang. Salin ulang hanya nilainya.`),
      z.regex(/^[!-~]*$/, `${what} berisi karakter yang tidak mungkin. Salin ulang.`),
    );

/** For its owner; never contains its secrets. */
export const CloudConnection = schema(() =>
  z.object({
    phone_number_id: z.string(),
    waba_id: z.string(),
    verified_name: z.nullable(z.string()),
    /** Meta's rating: GREEN, YELLOW, RED, UNKNOWN. */
    quality: z.nullable(z.string()),
    /** The callback address and the verify token to enter in Meta's app. */
    callback_url: z.string(),
    verify_token: z.string(),
    /** When Meta verified the callback, and last called it; null: never. */
    verified_at: z.nullable(z.coerce.date()),
    called_back_at: z.nullable(z.coerce.date()),
  }),
);
export type CloudConnection = Output<typeof CloudConnection>;

export const CloudAccess = schema(() =>
  z.object({
    phone_number_id: MetaId('Phone number ID'),
    waba_id: MetaId('WhatsApp Business Account ID'),
    access_token: Secret('Access token', 20, 1024),
    app_secret: Secret('App secret', 16, 128),
  }),
);
export type CloudAccess = Output<typeof CloudAccess>;

/** Null while the token has no Cloud API number. */
export const getCloud = act({
  name: 'token_cloud_get',
  by: 'customer',
  input: () => ({ token_id: IdInput('token') }),
  output: () => z.nullable(CloudConnection()),
});

/**
 * Connects a token of the channel `cloud` with its number, after Meta has confirmed both. A repeat replaces the access
 * token and secret; the callback address stays.
 */
export const connectCloud = act({
  name: 'token_cloud_connect',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_make',
  input: () => ({
    token_id: IdInput('token'),
    ...CloudAccess().shape,
  }),
  output: () => z.object({ token: Token(), cloud: CloudConnection() }),
  refuses: [
    'cloud_refused',
    'cloud_unreachable',
    'phone_taken',
    'channel_other',
    'account_suspended',
  ],
});
