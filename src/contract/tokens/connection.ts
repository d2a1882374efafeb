import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { IdInput } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { ChannelName } from '#contract/tokens.ts';

/** Why a number is parted from its network, with what to do, in plain Indonesian. */
export const partings = {
  phone:
    'Ponsel memutus perangkat ini, atau nomornya keluar dari WhatsApp. Pindai QR lagi untuk menyambungkannya.',
  banned:
    'WhatsApp memblokir nomor ini. Buka WhatsApp di ponselnya untuk meminta peninjauan; pesan yang antre menunggu.',
  relink: 'Sesi nomor ini tidak dapat dipakai lagi. Pindai QR lagi untuk menyambungkannya.',
  replaced:
    'Sesi nomor ini dibuka di tempat lain. Putuskan yang lain di ponsel (Perangkat tertaut), lalu pindai QR lagi.',
  access:
    'Meta menolak access token nomor ini: kedaluwarsa, dicabut, atau kurang izin. Masukkan access token yang baru.',
  unregistered:
    'Nomor ini belum terdaftar, atau tidak terdaftar lagi, di Cloud API. Daftarkan di WhatsApp Manager dengan PIN-nya; access token tidak perlu diganti. Kabari mencoba lagi sendiri, dan pesan yang antre menunggu.',
  display_name:
    'Meta belum menyetujui nama tampilan nomor ini, sehingga nomor ini belum boleh mengirim. Ajukan nama tampilannya di WhatsApp Manager; access token tidak perlu diganti. Kabari mencoba lagi sendiri, dan pesan yang antre menunggu.',
  outdated:
    'WhatsApp tidak lagi menerima versi Kabari di server ini. Setelah pengelola memperbarui Kabari, nomor tersambung sendiri tanpa memindai ulang; pesan yang antre menunggu.',
} as const;
export type Parting = keyof typeof partings;
export const Parting = schema(() => z.enum(Object.keys(partings) as [Parting, ...Parting[]]));

/** What a network restricts of a number, in plain Indonesian. */
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

/** Why a number stands still although it is connected, with what to do, in plain Indonesian. */
export const pauses = {
  silent:
    'WhatsApp tidak menjawab. Pesan yang antre menunggu: Kabari mencoba satu pesan dulu, lalu melanjutkan sendiri begitu dijawab.',
  refused:
    'Meta menolak pesan dari nomor ini, walaupun access token-nya masih berlaku. Pesan yang antre menunggu, dan Kabari mencoba lagi sendiri. Bila terus berulang, periksa izin aplikasi Anda di Meta.',
  restricted:
    'Meta sedang membatasi akun ini. Pesan yang antre menunggu, dan Kabari mencoba lagi sendiri. Periksa pemberitahuannya di WhatsApp Manager.',
  billing:
    'Meta belum dapat menagih akun WhatsApp Business ini. Lengkapi metode pembayarannya di WhatsApp Manager; pesan yang antre menunggu, dan Kabari mencoba lagi sendiri.',
} as const;
export type Pause = keyof typeof pauses;
export const Pause = schema(() => z.enum(Object.keys(pauses) as [Pause, ...Pause[]]));

/** How a token's number stands in its network. */
export const Connection = schema(() =>
  z.object({
    channel: ChannelName(),
    /** Connected since; null while it is parted, or was never connected. */
    since: z.nullable(z.coerce.date()),
    parted: z.nullable(z.object({ at: z.coerce.date(), reason: Parting() })),
    restriction: z.nullable(
      z.object({ kind: Restriction(), at: z.coerce.date(), until: z.nullable(z.coerce.date()) }),
    ),
    /** Since when it stands still although it is connected; one message is tried at `until`. */
    paused: z.nullable(z.object({ reason: Pause(), at: z.coerce.date(), until: z.coerce.date() })),
    last_receipt_at: z.nullable(z.coerce.date()),
    /** Of the last 30 days, or since it was first connected, in ten-thousandths; null: never connected. */
    uptime: z.nullable(z.int()),
  }),
);
export type Connection = Output<typeof Connection>;

/** How a token's number stands; of a simulated one there is nothing to tell. */
export const getConnection = act({
  name: 'token_connection_get',
  by: 'customer',
  input: () => ({ token_id: IdInput('token') }),
  output: () => z.nullable(Connection()),
});
