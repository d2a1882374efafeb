import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Reason } from './operators.ts';
import { Failure, MessageStatus } from '#contract/messages.ts';
import { CloudAccess, CloudConnection, connectCloud, Parting } from '#contract/channels.ts';
import { ChannelName, TokenStatus } from '#contract/tokens.ts';

export const SettingKind = schema(() =>
  z.enum(['rupiah', 'whole', 'decimal', 'switch', 'text', 'email', 'sentence', 'hours']),
);
export type SettingKind = Output<typeof SettingKind>;

export const SettingGroup = schema(() =>
  z.enum(['support', 'registration', 'money', 'sending', 'seller', 'maintenance']),
);
export type SettingGroup = Output<typeof SettingGroup>;

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

export const SupportHours = schema(() =>
  z.object({
    /** Monday first; null on closed days. */
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
    /** Closed dates: `2026-12-25`. */
    days_off: z
      .array(z.iso.date('Tanggal libur ditulis 2026-12-25.'))
      .check(z.maxLength(60, 'Paling banyak 60 tanggal libur.')),
    note: z.string().check(z.trim(), z.maxLength(200, 'Catatan paling panjang 200 karakter.')),
  }),
);
export type SupportHours = Output<typeof SupportHours>;

const VALUE_MAX = 4_000;

/** A setting that can be changed at runtime. Values are in written form: '' is none. */
export const LiveSetting = schema(() =>
  z.object({
    name: z.string(),
    group: SettingGroup(),
    label: z.string(),
    help: z.string(),
    kind: SettingKind(),
    min: z.nullable(z.number()),
    max: z.nullable(z.number()),
    guarded: z.boolean(),
    /** True if raising it waits for a second admin, or for a day. */
    guards_money: z.boolean(),
    waiting: z.nullable(
      z.object({
        value: z.string(),
        by: z.string(),
        at: z.coerce.date(),
        reason: z.string(),
        effective_at: z.coerce.date(),
        can_approve: z.boolean(),
      }),
    ),
    optional: z.boolean(),
    value: z.string(),
    /** The value after a reset: from the environment, or built in. */
    fallback: z.string(),
    /** The number of changes so far, resets and waiting ones included; a caller sends the one they saw. */
    version: z.int(),
    changed: z.nullable(
      z.object({
        by: z.string(),
        at: z.coerce.date(),
        reason: z.string(),
        /** True if that change set it, and did not reset it. */
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

const VERSION_MAX = 1_000_000;

const named = () => ({
  setting_id: z.string().check(z.minLength(1, 'Pilih pengaturannya.'), z.maxLength(60)),
  version: WholeNumber({ minimum: 0, maximum: VERSION_MAX }),
  reason: Reason(),
});

export const saveSetting = act({
  name: 'operator_setting_save',
  by: 'operator',
  changes: true,
  audited: true,
  input: () => ({ ...named(), value: z.string().check(z.trim(), z.maxLength(VALUE_MAX)) }),
  output: LiveSetting,
  refuses: ['setting_changed'],
});

/** Puts a waiting change in force as a second admin, or cancels it. */
export const decideSetting = act({
  name: 'operator_setting_decide',
  by: 'operator',
  changes: true,
  audited: true,
  input: () => ({ ...named(), decision: z.enum(['approve', 'refuse']) }),
  output: LiveSetting,
  refuses: ['setting_changed', 'setting_not_waiting', 'operator_not_independent'],
});

export const resetSetting = act({
  name: 'operator_setting_reset',
  by: 'operator',
  changes: true,
  audited: true,
  input: named,
  output: LiveSetting,
  refuses: ['setting_changed'],
});

/** The installation's own token, which sends codes and notices. Never contains a text, a code or a whole number. */
export const SystemToken = schema(() =>
  z.object({
    status: TokenStatus(),
    channel: ChannelName(),
    /** Since when and why it is disconnected from its real network; null while it is connected, or never was. */
    parted: z.nullable(z.object({ at: z.coerce.date(), reason: Parting() })),
    others: z.array(ChannelName()),
    /** The linked number, masked; null if there is none. */
    phone: z.nullable(z.string()),
    cloud: z.nullable(CloudConnection()),
    /** The template that carries codes on the Cloud API; null on another channel, or while Meta has approved none. */
    code_template: z.nullable(z.object({ name: z.string(), language: z.string() })),
    /** Cumulative, as all figures of messages (`messages/counts.ts`). */
    today: z.object({
      waiting: z.int(),
      sent: z.int(),
      delivered: z.int(),
      read: z.int(),
      failed: z.int(),
      expired: z.int(),
    }),
    failures: z.array(z.object({ failure: z.nullable(Failure()), count: z.int() })),
    /**
     * One-time codes of the WIB day: requested and entered in all; requested for the purpose with the most, and the
     * limit of a purpose.
     */
    codes: z.object({ asked: z.int(), entered: z.int(), fullest: z.int(), cap: z.int() }),
    /** The address with the most requests for one purpose, and the limit of an address. */
    address: z.object({ asked: z.int(), cap: z.int() }),
    last: z.array(
      z.object({
        to: z.string(),
        status: MessageStatus(),
        failure: z.nullable(Failure()),
        at: z.coerce.date(),
      }),
    ),
    /** The recipient of a test message: the caller's own number, masked. */
    own_phone: z.string(),
  }),
);
export type SystemToken = Output<typeof SystemToken>;

export const getSystemToken = act({
  name: 'operator_system_token_get',
  by: 'operator',
  output: SystemToken,
});

export const linkSystemToken = act({
  name: 'operator_system_token_link',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  output: () => z.object({ path: z.string(), expires_at: z.coerce.date() }),
  refuses: ['account_suspended', 'channel_other'],
});

/** Until it is linked again, signing in from a new browser and registration are impossible. */
export const unlinkSystemToken = act({
  name: 'operator_system_token_unlink',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  output: SystemToken,
});

/** Connects it with its Cloud API number, or replaces the access token, as `connectCloud` does. */
export const connectSystemToken = act({
  name: 'operator_system_token_connect',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => CloudAccess().shape,
  output: SystemToken,
  refuses: connectCloud.refuses,
});

/** Moves it to another channel; its number must be connected anew, and until then no code is sent. */
export const moveSystemToken = act({
  name: 'operator_system_token_move',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({ channel: ChannelName() }),
  output: SystemToken,
  refuses: ['channel_off', 'channel_busy', 'channel_waiting', 'account_suspended'],
});

export const testSystemToken = act({
  name: 'operator_system_token_test',
  by: 'operator',
  changes: true,
  audited: true,
  limit: 'auth',
  output: () => z.object({ to: z.string() }),
  refuses: ['system_token_parted'],
});
