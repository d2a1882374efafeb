import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { IdInput } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Token } from '#contract/tokens.ts';

/** A number of digits as Meta's pages show ids. */
const MetaId = (what: string) =>
  z.string().check(z.trim(), z.regex(/^[0-9]{5,20}$/, `${what} hanya berisi angka, 5 sampai 20.`));

/** A secret as it was copied: letters, digits and what keys are made of. */
const Secret = (what: string, min: number, max: number) =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(min, `${what} tidak lengkap. Salin ulang seluruhnya.`),
      z.maxLength(max, `${what} terlalu panjang. Salin ulang hanya nilainya.`),
      z.regex(/^[!-~]*$/, `${what} berisi karakter yang tidak mungkin. Salin ulang.`),
    );

/** A number of the Cloud API as its owner sees it: never its secrets. */
export const CloudConnection = schema(() =>
  z.object({
    phone_number_id: z.string(),
    waba_id: z.string(),
    verified_name: z.nullable(z.string()),
    /** Meta's own word: GREEN, YELLOW, RED, UNKNOWN. */
    quality: z.nullable(z.string()),
    /** What is entered in Meta's app: where it calls back, and the word by which it asks first. */
    callback_url: z.string(),
    verify_token: z.string(),
    /** When Meta asked, and last called back; null: never. */
    verified_at: z.nullable(z.coerce.date()),
    called_back_at: z.nullable(z.coerce.date()),
  }),
);
export type CloudConnection = Output<typeof CloudConnection>;

/** What Meta asks for of a number. */
export const CloudAccess = schema(() =>
  z.object({
    phone_number_id: MetaId('Phone number ID'),
    waba_id: MetaId('WhatsApp Business Account ID'),
    access_token: Secret('Access token', 20, 1024),
    app_secret: Secret('App secret', 16, 128),
  }),
);
export type CloudAccess = Output<typeof CloudAccess>;

/** A token's number of the Cloud API; null while it has none. */
export const getCloud = act({
  name: 'token_cloud_get',
  by: 'customer',
  input: () => ({ token_id: IdInput('token') }),
  output: () => z.nullable(CloudConnection()),
});

/**
 * Connects a token of the channel `cloud` with its number, after Meta has confirmed both. Entered again, it takes the
 * new access token and secret; the callback's address stays.
 */
export const connectCloud = act({
  name: 'token_cloud_connect',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
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
