import * as z from 'zod/mini';
import {
  Challenge,
  NewPassword,
  PersonName,
  SecondFactorRequired,
  SignedIn,
  User,
} from './accounts.ts';
import { act } from './base/act.ts';
import { Id, IdInput } from './base/ids.ts';
import { IndonesianMobile } from './base/phone.ts';
import { type Output, schema } from './base/schema.ts';

export const Code = schema(() =>
  z.string().check(z.trim(), z.regex(/^[0-9]{6}$/, 'Tulis enam angka dari pesan.')),
);

const CurrentPassword = schema(() =>
  z.string().check(z.minLength(1, 'Tulis kata sandi Anda.'), z.maxLength(1000)),
);

// Forgotten password: phone → code → new password.

/** Sends a code to a number that has an account; the response is the same for every number. */
export const forgotPassword = act({
  name: 'user_forgot_password',
  by: 'public',
  changes: true,
  limit: 'otp',
  audited: true,
  input: () => ({
    phone: IndonesianMobile(),
    captcha: z
      .string()
      .check(z.minLength(1, 'Tunggu pemeriksaan keamanan selesai.'), z.maxLength(8000)),
  }),
  output: Challenge,
  refuses: ['captcha_failed', 'captcha_unreachable', 'otp_too_soon', 'otp_limit', 'otp_unsendable'],
});

/** A correct code returns a grant: one change of the password, within ten minutes. */
export const verifyForgot = act({
  name: 'user_forgot_verify',
  by: 'public',
  changes: true,
  limit: 'auth',
  audited: true,
  input: () => ({ challenge: IdInput('challenge'), code: Code() }),
  output: () => z.object({ grant: z.string(), expires_in_seconds: z.int() }),
  refuses: ['otp_wrong', 'otp_expired'],
});

/**
 * Sets the password, ends every session of the user, and signs this browser in, after the second factor if there is
 * one.
 */
export const changeForgotten = act({
  name: 'user_forgot_change',
  by: 'public',
  changes: true,
  limit: 'auth',
  audited: true,
  input: () => ({ grant: z.string().check(z.maxLength(100)), password: NewPassword() }),
  output: () => z.union([SignedIn(), SecondFactorRequired()]),
  refuses: ['grant_gone', 'password_common', 'account_suspended'],
});

// The signed-in user.

/**
 * Re-authenticates with the password: for five minutes this browser may call acts that require it, for fifteen those
 * that make something. In a browser other than the session's own that is every lasting change except those that need a
 * sign-in there (`sign_in_needed`).
 */
export const reauthUser = act({
  name: 'user_reauth',
  by: 'anyone_signed_in',
  whileSuspended: true,
  changes: true,
  outlivesSession: false,
  withoutSecondFactor: true,
  limit: 'auth',
  audited: true,
  input: () => ({ password: CurrentPassword() }),
  output: () => z.object({ seconds: z.int(), token: z.optional(z.string()) }),
  refuses: ['password_wrong'],
});

export const zones = {
  'Asia/Jakarta': 'WIB (Jakarta)',
  'Asia/Makassar': 'WITA (Makassar)',
  'Asia/Jayapura': 'WIT (Jayapura)',
} as const;
export const Zone = schema(() =>
  z.enum(
    Object.keys(zones) as [keyof typeof zones, ...(keyof typeof zones)[]],
    'Pilih zona waktu.',
  ),
);

export const sounds = { pesan: 'Pesan', lonceng: 'Lonceng', ketuk: 'Ketuk' } as const;
export const SoundName = schema(() =>
  z.enum(Object.keys(sounds) as [keyof typeof sounds, ...(keyof typeof sounds)[]]),
);

const Switch = schema(() =>
  z.pipe(
    z.enum(['1', '0']),
    z.transform((text) => text === '1'),
  ),
);

/** Omitted fields are unchanged. An empty `email` or `avatar` removes it. */
export const updateUser = act({
  name: 'user_update',
  by: 'anyone_signed_in',
  changes: true,
  audited: true,
  input: () => ({
    name: z.optional(PersonName()),
    email: z.optional(
      z.union([
        z.literal(''),
        z
          .string()
          .check(
            z.trim(),
            z.toLowerCase(),
            z.maxLength(254, 'Alamat email terlalu panjang.'),
            z.regex(
              /^[^\s@<>"(),:;[\]\\]{1,64}@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/,
              'Tulis alamat email yang lengkap, misalnya nama@toko.id.',
            ),
          ),
      ]),
    ),
    avatar: z.optional(z.string().check(z.maxLength(40))),
    timezone: z.optional(Zone()),
    theme: z.optional(z.enum(['system', 'light', 'dark'])),
    sound_on: z.optional(Switch()),
    sound: z.optional(SoundName()),
    push_on: z.optional(Switch()),
    /** Whether push notices contain the message's text (docs/wire.md#push). */
    push_text: z.optional(Switch()),
    /** Single-letter shortcuts (WCAG 2.1.4). */
    keys_on: z.optional(Switch()),
  }),
  output: User,
  refuses: ['upload_gone'],
});

/**
 * Requests a change of the phone number: codes go to the old and the new one. For a number in use the response is the
 * same, but no code is valid.
 */
export const changePhone = act({
  name: 'user_change_phone',
  by: 'anyone_signed_in',
  changes: true,
  limit: 'otp',
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({ phone: IndonesianMobile() }),
  output: () => z.object({ old: Challenge(), new: Challenge() }),
  refuses: ['otp_too_soon', 'otp_limit', 'otp_unsendable', 'phone_same'],
});

/**
 * With both codes the number changes, and every other session ends. Each code is accepted only together with the other.
 */
export const confirmPhone = act({
  name: 'user_change_phone_confirm',
  by: 'anyone_signed_in',
  changes: true,
  limit: 'auth',
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({
    old_challenge: IdInput('challenge'),
    old_code: Code(),
    new_challenge: IdInput('challenge'),
    new_code: Code(),
  }),
  output: User,
  refuses: ['otp_wrong', 'otp_expired'],
});

/** Ends the other sessions; this one stays. */
export const changePassword = act({
  name: 'user_change_password',
  by: 'anyone_signed_in',
  changes: true,
  limit: 'auth',
  audited: true,
  input: () => ({ current: CurrentPassword(), password: NewPassword() }),
  output: () => z.object({ ended: z.int(), token: z.string() }),
  refuses: ['password_wrong', 'password_common'],
});

export const SessionRow = schema(() =>
  z.object({
    id: Id('session'),
    current: z.boolean(),
    device: z.string(),
    /** The address of the last use. */
    ip: z.string(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime(),
  }),
);
export type SessionRow = Output<typeof SessionRow>;

/** The active sessions, the current one first, then by last use; at most ten. */
export const listSessions = act({
  name: 'user_session_list',
  by: 'anyone_signed_in',
  list: 'default',
  output: SessionRow,
});

export const revokeSessions = act({
  name: 'user_session_revoke',
  by: 'anyone_signed_in',
  changes: true,
  audited: true,
  input: () => ({
    session_id: z.optional(IdInput('session')),
    others: z.optional(z.literal('1')),
  }),
  output: () => z.object({ ended: z.int() }),
});

export const ExportState = schema(() =>
  z.object({
    id: Id('export'),
    status: z.enum(['waiting', 'working', 'ready', 'failed', 'expired']),
    progress: z.int(),
    size_bytes: z.nullable(z.int()),
    /** A signed address, private and valid for 24 hours; null until it is ready. */
    url: z.nullable(z.string()),
    created_at: z.iso.datetime(),
    expires_at: z.nullable(z.iso.datetime()),
  }),
);
export type ExportState = Output<typeof ExportState>;

export const ARCHIVES_A_DAY = 3;

/** Requests an archive of all data of the account, at most `ARCHIVES_A_DAY`. */
export const exportData = act({
  name: 'user_export',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_make',
  output: ExportState,
  refuses: ['export_limit'],
});

export const getExport = act({
  name: 'user_export_get',
  by: 'customer',
  output: () => z.object({ export: z.nullable(ExportState()), left_today: z.int() }),
});

export const requestDeletion = act({
  name: 'user_delete_ask',
  by: 'customer',
  changes: true,
  limit: 'otp',
  audited: true,
  requiresRecentPassword: 'to_take',
  output: Challenge,
  refuses: ['otp_too_soon', 'otp_limit', 'otp_unsendable'],
});

/** With password and code: the account is erased in seven days, unless the deletion is cancelled. */
export const deleteAccount = act({
  name: 'user_delete',
  by: 'customer',
  changes: true,
  limit: 'auth',
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({ password: CurrentPassword(), challenge: IdInput('challenge'), code: Code() }),
  output: User,
  refuses: ['password_wrong', 'otp_wrong', 'otp_expired'],
});

export const cancelDeletion = act({
  name: 'user_delete_cancel',
  by: 'customer',
  changes: true,
  audited: true,
  output: User,
});
