import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { Phone } from '#contract/base/phone.ts';
import { type Output, schema } from '#contract/base/schema.ts';

export const ScanData = schema(() =>
  z
    .string()
    .check(z.regex(/^[A-Za-z0-9_.~-]{1,512}$/, 'Tautan ini tidak lengkap. Salin ulang alamatnya.')),
);

/** menunggu, terpindai, tersambung, kedaluwarsa, gagal. */
export const LinkState = schema(() =>
  z.enum(['waiting', 'scanned', 'connected', 'expired', 'failed']),
);
export type LinkState = Output<typeof LinkState>;

export const linkFailures = {
  phone_taken:
    'Nomor itu sudah tersambung ke token lain. Putuskan dahulu di sana, atau pindai dengan nomor lain.',
  passkey:
    'WhatsApp meminta passkey untuk menautkan nomor itu, dan Kabari tidak dapat menjawabnya. Hapus dahulu passkey di WhatsApp pada ponselnya (Setelan › Akun › Passkey), lalu pindai lagi.',
  outdated:
    'WhatsApp tidak lagi menerima versi Kabari di server ini. Coba lagi setelah pengelola memperbarui Kabari.',
} as const;
export type LinkFailure = keyof typeof linkFailures;
export const LinkFailure = schema(() =>
  z.enum(Object.keys(linkFailures) as [LinkFailure, ...LinkFailure[]]),
);

export const Scan = schema(() =>
  z.object({
    state: LinkState(),
    /** Null if it has not failed, or the cause is unknown. */
    failure: z.nullable(LinkFailure()),
    account_name: z.string(),
    token_name: z.string(),
    channel: z.enum(channelNames),
    /** Visible only to the browser that agreed; replaced at `expires_at`. */
    qr: z.nullable(
      z.object({
        text: z.string(),
        /** To type instead; null while the network has provided none. */
        pairing_code: z.nullable(z.string()),
        expires_at: z.coerce.date(),
      }),
    ),
    /** The linked number, masked, once connected. */
    phone: z.nullable(z.string()),
    expires_at: z.coerce.date(),
  }),
);
export type Scan = Output<typeof Scan>;

/**
 * Reads a scan link; changes nothing. The `nonce` is from `scan_consent` of this browser; once it is issued, every
 * other browser gets `link_gone`.
 */
export const getScan = act({
  name: 'scan_get',
  by: 'public',
  limit: 'scan',
  input: () => ({ data: ScanData(), nonce: z.optional(z.string().check(z.maxLength(64))) }),
  output: Scan,
  refuses: ['link_gone'],
});

/** Records the consent of the phone's owner; from then on only this browser sees the QR. */
export const consentScan = act({
  name: 'scan_consent',
  by: 'public',
  changes: true,
  limit: 'scan',
  audited: true,
  /** `phone`: the number for a pairing code, if the network creates the codes. */
  input: () => ({ data: ScanData(), phone: z.optional(Phone()) }),
  output: () => z.object({ nonce: z.string() }),
  refuses: ['link_gone'],
});

export const channelNames = ['simulator', 'cloud', 'web'] as const;
