import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Reason } from '#contract/operator/reason.ts';

/** How a setting is written: `sentence` is a longer text, `hours` is JSON of `SupportHours`. */
export const SettingKind = schema(() =>
  z.enum(['rupiah', 'whole', 'decimal', 'switch', 'text', 'email', 'sentence', 'hours']),
);
export type SettingKind = Output<typeof SettingKind>;

/** What a setting is about. */
export const SettingGroup = schema(() =>
  z.enum(['support', 'registration', 'money', 'sending', 'seller', 'maintenance']),
);
export type SettingGroup = Output<typeof SettingGroup>;

/** Groups in the interface's words, in their order. */
export const settingGroupLabel: Record<SettingGroup, string> = {
  support: 'Layanan pelanggan',
  registration: 'Pendaftaran & kode',
  money: 'Uang',
  sending: 'Pengiriman',
  seller: 'Penjual di faktur',
  maintenance: 'Pemeliharaan',
};

const Clock = (sentence: string) =>
  z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, sentence));

/** When customer service is open, in WIB. */
export const SupportHours = schema(() =>
  z.object({
    /** Monday first; null on days when it is closed. */
    days: z
      .array(
        z.nullable(
          z
            .object({
              open: Clock('Jam buka ditulis 08:00.'),
              close: Clock('Jam tutup ditulis 17:00.'),
            })
            .check(
              z.refine(({ open, close }) => open < close, 'Jam tutup harus sesudah jam buka.'),
            ),
        ),
      )
      .check(z.length(7, 'Jam buka perlu tujuh hari.')),
    /** Dates on which it is closed all day: `2026-12-25`. */
    days_off: z
      .array(z.iso.date('Tanggal libur ditulis 2026-12-25.'))
      .check(z.maxLength(60, 'Paling banyak 60 tanggal libur.')),
    /** What customers read of it: holidays, for one. */
    note: z.string().check(z.trim(), z.maxLength(200, 'Catatan paling panjang 200 karakter.')),
  }),
);
export type SupportHours = Output<typeof SupportHours>;

/** The longest value that a setting may have, as it is written. */
const VALUE_MAX = 4_000;

/** A setting that may be changed while it runs. Values are as they are written: '' is none. */
export const LiveSetting = schema(() =>
  z.object({
    name: z.string(),
    group: SettingGroup(),
    label: z.string(),
    help: z.string(),
    kind: SettingKind(),
    min: z.nullable(z.number()),
    max: z.nullable(z.number()),
    /** True when raising it asks for the password. */
    guarded: z.boolean(),
    /** True when raising it waits for a second admin, or for a day. */
    guards_money: z.boolean(),
    /** A change that does not count yet. */
    waiting: z.nullable(
      z.object({
        value: z.string(),
        by: z.string(),
        at: z.coerce.date(),
        reason: z.string(),
        effective_at: z.coerce.date(),
        /** Whether the caller is a second admin for it. */
        can_approve: z.boolean(),
      }),
    ),
    /** True when it may be empty. */
    optional: z.boolean(),
    value: z.string(),
    /** What counts when it is reset: the environment's, or the built-in value. */
    fallback: z.string(),
    /** Changes so far, resets and waiting ones included; who saves says which one they saw. */
    version: z.int(),
    /** The last change; null when there was none. */
    changed: z.nullable(
      z.object({
        by: z.string(),
        at: z.coerce.date(),
        reason: z.string(),
        /** True when it was set, and not reset, by that. */
        is_set: z.boolean(),
      }),
    ),
  }),
);
export type LiveSetting = Output<typeof LiveSetting>;

export const listSettings = act({
  name: 'operator_setting_list',
  by: 'operator',
  output: () => z.object({ settings: z.array(LiveSetting()) }),
});

/** Nothing is changed so often. */
const VERSION_MAX = 1_000_000;

const named = () => ({
  setting_id: z.string().check(z.minLength(1, 'Pilih pengaturannya.'), z.maxLength(60)),
  /** The version that the operator saw. */
  version: WholeNumber({ minimum: 0, maximum: VERSION_MAX }),
  reason: Reason(),
});

/** Sets a setting; it wins over the environment until it is reset. */
export const saveSetting = act({
  name: 'operator_setting_save',
  by: 'operator',
  changes: true,
  audited: true,
  input: () => ({ ...named(), value: z.string().check(z.trim(), z.maxLength(VALUE_MAX)) }),
  output: LiveSetting,
  refuses: ['setting_changed'],
});

/** Lets a waiting change count now, as a second admin, or ends it. */
export const decideSetting = act({
  name: 'operator_setting_decide',
  by: 'operator',
  changes: true,
  audited: true,
  input: () => ({ ...named(), decision: z.enum(['approve', 'refuse']) }),
  output: LiveSetting,
  refuses: ['setting_changed', 'setting_not_waiting', 'operator_not_independent'],
});

/** Back to what the environment says. */
export const resetSetting = act({
  name: 'operator_setting_reset',
  by: 'operator',
  changes: true,
  audited: true,
  input: named,
  output: LiveSetting,
  refuses: ['setting_changed'],
});
