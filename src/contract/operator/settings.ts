import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Reason } from './operators.ts';
import { Failure, MessageStatus } from '#contract/messages.ts';
import { CloudAccess, CloudConnection, connectCloud, Parting } from '#contract/channels.ts';
import { ChannelName, TokenStatus } from '#contract/tokens.ts';

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

/** The installation's own token: what sends codes and notices. Never a text, a code or a whole number. */
export const SystemToken = schema(() =>
  z.object({
    status: TokenStatus(),
    channel: ChannelName(),
    /** Since when and why it is parted from its real network; null while it is connected, or never was. */
    parted: z.nullable(z.object({ at: z.coerce.date(), reason: Parting() })),
    /** Where it may be moved to. */
    others: z.array(ChannelName()),
    /** The linked number without its middle; null while it is linked to none. */
    phone: z.nullable(z.string()),
    /** Its number of the Cloud API; null while it has none. */
    cloud: z.nullable(CloudConnection()),
    /** The template that carries codes by the Cloud API; null by another channel, or while Meta has approved none. */
    code_template: z.nullable(z.object({ name: z.string(), language: z.string() })),
    /** Messages of the WIB day, by how far they have come. */
    today: z.object({
      waiting: z.int(),
      sent: z.int(),
      delivered: z.int(),
      failed: z.int(),
      expired: z.int(),
    }),
    /** Why messages of the last 24 hours failed, the commonest first. */
    failures: z.array(z.object({ failure: z.nullable(Failure()), count: z.int() })),
    /**
     * One-time codes of the WIB day: asked for and entered in all; asked for by the purpose with most of them, and how
     * many a purpose may have.
     */
    codes: z.object({ asked: z.int(), entered: z.int(), fullest: z.int(), cap: z.int() }),
    /** The address that asked for most of them for one purpose, and how many one may. */
    address: z.object({ asked: z.int(), cap: z.int() }),
    /** The newest messages. */
    last: z.array(
      z.object({
        to: z.string(),
        status: MessageStatus(),
        failure: z.nullable(Failure()),
        at: z.coerce.date(),
      }),
    ),
    /** Where a test message goes: the caller's own number without its middle. */
    own_phone: z.string(),
  }),
);
export type SystemToken = Output<typeof SystemToken>;

export const getSystemToken = act({
  name: 'operator_system_token_get',
  by: 'operator',
  output: SystemToken,
});

/** Makes the one-time public address where the phone that shall send scans the QR. */
export const linkSystemToken = act({
  name: 'operator_system_token_link',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  output: () => z.object({ path: z.string(), expires_at: z.coerce.date() }),
  refuses: ['account_suspended', 'channel_other'],
});

/** Until it is linked again nobody signs in from a new browser, and nobody registers. */
export const unlinkSystemToken = act({
  name: 'operator_system_token_unlink',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  output: SystemToken,
});

/** Connects it with its number of the Cloud API, or enters a new access token, as `connectCloud` does. */
export const connectSystemToken = act({
  name: 'operator_system_token_connect',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: () => CloudAccess().shape,
  output: SystemToken,
  refuses: connectCloud.refuses,
});

/** Moves it to another channel; its number is to be connected anew, and until then no code reaches anybody. */
export const moveSystemToken = act({
  name: 'operator_system_token_move',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: () => ({ channel: ChannelName() }),
  output: SystemToken,
  refuses: ['channel_off', 'channel_busy', 'channel_waiting', 'account_suspended'],
});

/** Sends a test message to the caller's own number. */
export const testSystemToken = act({
  name: 'operator_system_token_test',
  by: 'operator',
  changes: true,
  audited: true,
  limit: 'auth',
  output: () => z.object({ to: z.string() }),
  refuses: ['system_token_parted'],
});
