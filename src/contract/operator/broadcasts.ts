import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { TypedName } from '#contract/base/names.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { PlanCode } from '#contract/billing.ts';

export const BroadcastTone = schema(() => z.enum(['info', 'warning']));
export type BroadcastTone = Output<typeof BroadcastTone>;

export const ShownBroadcast = schema(() =>
  z.object({
    /** Null if it cannot be closed: the installation is under maintenance. */
    id: z.nullable(Id('broadcast')),
    title: z.string(),
    text: z.string(),
    tone: BroadcastTone(),
    until: z.nullable(z.coerce.date()),
  }),
);
export type ShownBroadcast = Output<typeof ShownBroadcast>;

export const listBroadcasts = act({
  name: 'broadcast_list',
  by: 'customer',
  output: () => z.object({ broadcasts: z.array(ShownBroadcast()) }),
});

/** It stays closed for the caller in every browser. */
export const closeBroadcast = act({
  name: 'broadcast_close',
  by: 'customer',
  changes: true,
  outlivesSession: false,
  input: () => ({ broadcast_id: IdInput('broadcast') }),
  output: () => z.object({}),
});

export const BroadcastAudience = schema(() =>
  z.enum(['all', 'linked', 'plan'], 'Pilih siapa yang membacanya.'),
);
export type BroadcastAudience = Output<typeof BroadcastAudience>;

export const broadcastAudienceLabel: Record<BroadcastAudience, string> = {
  all: 'Semua pelanggan',
  linked: 'Pelanggan dengan token tersambung',
  plan: 'Pelanggan satu paket',
};

export const BroadcastState = schema(() => z.enum(['scheduled', 'shown', 'over', 'stopped']));
export type BroadcastState = Output<typeof BroadcastState>;

export const broadcastStateLabel: Record<BroadcastState, string> = {
  scheduled: 'Terjadwal',
  shown: 'Tayang',
  over: 'Selesai',
  stopped: 'Dihentikan',
};

export const Broadcast = schema(() =>
  z.object({
    id: Id('broadcast'),
    title: z.string(),
    text: z.string(),
    tone: BroadcastTone(),
    audience: BroadcastAudience(),
    plan: z.nullable(PlanCode()),
    from: z.coerce.date(),
    until: z.coerce.date(),
    by_push: z.boolean(),
    by_message: z.boolean(),
    state: BroadcastState(),
    created_by: z.string(),
    created_at: z.coerce.date(),
    stopped_by: z.nullable(z.string()),
    stopped_at: z.nullable(z.coerce.date()),
    closed: z.int(),
    /** Users who are notified by push or message, and the progress. */
    told: z.object({
      people: z.int(),
      pushed: z.int(),
      sent: z.int(),
      opted_out: z.int(),
      failed: z.int(),
      waiting: z.int(),
    }),
  }),
);
export type Broadcast = Output<typeof Broadcast>;

export const operatorBroadcasts = act({
  name: 'operator_broadcast_list',
  by: 'operator',
  roles: ['support'],
  list: 'default',
  input: () => ({ ...paging(['created_at']), state: z.optional(BroadcastState()) }),
  output: Broadcast,
});

export const broadcastAudiences = act({
  name: 'operator_broadcast_audiences',
  by: 'operator',
  roles: ['support'],
  output: () =>
    z.object({
      all: z.int(),
      linked: z.int(),
      plans: z.array(z.object({ code: PlanCode(), name: z.string(), people: z.int() })),
    }),
});

const When = (missing: string) => z.iso.datetime({ offset: true, error: missing });
const Choice = () => z.enum(['yes', 'no']);

const words = () => ({
  title: TypedName({
    min: 3,
    max: 80,
    missing: 'Tulis judulnya.',
    tooLong: 'Judul paling panjang 80 karakter.',
    unusable: 'Judul berisi karakter yang tidak dapat dipakai.',
  }),
  text: z
    .string()
    .check(
      z.trim(),
      z.minLength(3, 'Tulis isinya.'),
      z.maxLength(600, 'Isi paling panjang 600 karakter.'),
    ),
  tone: BroadcastTone(),
  audience: BroadcastAudience(),
  plan: z.optional(PlanCode()),
  /** Left out: now. */
  from: z.optional(When('Waktu mulai tidak terbaca.')),
  until: When('Pilih sampai kapan.'),
  by_push: Choice(),
  by_message: Choice(),
});

export const createBroadcast = act({
  name: 'operator_broadcast_create',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  input: words,
  output: Broadcast,
});

/** Changes a broadcast that has not begun. */
export const changeBroadcast = act({
  name: 'operator_broadcast_change',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  input: () => ({ broadcast_id: IdInput('broadcast'), ...words() }),
  output: Broadcast,
  refuses: ['broadcast_over'],
});

/** Hides it for everyone and cancels the remaining notices. */
export const stopBroadcast = act({
  name: 'operator_broadcast_stop',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  input: () => ({ broadcast_id: IdInput('broadcast') }),
  output: Broadcast,
  refuses: ['broadcast_over'],
});
