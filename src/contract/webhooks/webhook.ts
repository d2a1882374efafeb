import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { EventType, eventTypes } from './events.ts';

/** In whose shape events are sent: Kabari's own (Standard Webhooks), or that of another service. */
export const webhookFormats = ['kabari', 'cloud', 'fonnte', 'wablas'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];
export const WebhookFormat = schema(() => z.enum(webhookFormats));

const ofMessages = [
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.received',
] as const satisfies readonly EventType[];
const ofDevices = [
  'token.connected',
  'token.disconnected',
  'token.linked',
] as const satisfies readonly EventType[];

/** The events that each format has words for; the others are passed over. */
export const formatEvents: Readonly<Record<WebhookFormat, readonly EventType[]>> = {
  kabari: eventTypes,
  cloud: [...ofMessages, 'message.edited', 'message.revoked'],
  fonnte: [...ofMessages, ...ofDevices],
  wablas: ['message.accepted', ...ofMessages, ...ofDevices],
};

export const WEBHOOK_LIMITS = {
  urlLength: 2_048,
  verifyTokenLength: 255,
  /** For so many hours after a rotation events are signed with the old secret too. */
  rotationHours: 24,
  /** After so many days of nothing but failures it is switched off. */
  failingDays: 3,
  /** Deliveries and their attempts are shown for so many days, then erased. */
  keptDays: 30,
  /** How long an endpoint may take to answer. */
  timeoutSeconds: 10,
  /** Tests of an account, of all its tokens together: ten tokens that are set, and then switched on. */
  testsPerMinute: 20,
} as const;

/**
 * Why a webhook is off: it never answered the test, its owner switched it off, it answered 410, or nothing
 * succeeded for three days.
 */
export const WebhookOffReason = schema(() => z.enum(['unconfirmed', 'owner', 'gone', 'failing']));
export type WebhookOffReason = Output<typeof WebhookOffReason>;

/** Where the events of a token go. A token has one webhook, or none. */
export const Webhook = schema(() =>
  z.object({
    token_id: Id('token'),
    url: z.string(),
    format: WebhookFormat(),
    /** Which events are sent; null: all, those of later versions too. */
    kinds: z.nullable(z.array(EventType())),
    state: z.enum(['on', 'off']),
    off_reason: z.nullable(WebhookOffReason()),
    /** The secret's last four characters; the secret itself is shown when it is made, and never again. */
    secret_hint: z.string(),
    /**
     * What the handshake of the format `cloud` names as `hub.verify_token`: chosen by its owner, or made by Kabari and
     * known before that format is chosen.
     */
    verify_token: z.string(),
    /** Until then events are signed with the secret from before, too. */
    previous_secret_until: z.nullable(z.coerce.date()),
    /** Nothing has succeeded since then; null while all is well. */
    failing_since: z.nullable(z.coerce.date()),
    /** Not tried before then, because it failed several times in a row; null while it is tried freely. */
    paused_until: z.nullable(z.coerce.date()),
    /** Deliveries that wait to be sent, also because of an earlier one of their conversation; at most 10,000 are counted. */
    pending: z.int(),
    created_at: z.coerce.date(),
    changed_at: z.coerce.date(),
  }),
);
export type Webhook = Output<typeof Webhook>;

const Url = schema(() =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Isi alamat webhook.'),
      z.maxLength(WEBHOOK_LIMITS.urlLength, 'Alamat paling panjang 2.048 karakter.'),
    ),
);

const Kinds = schema(() =>
  z
    .array(EventType())
    .check(
      z.minLength(1, 'Pilih paling sedikit satu peristiwa.'),
      z.maxLength(eventTypes.length, 'Terlalu banyak peristiwa.'),
    ),
);

/** The printable characters that a program may expect as `hub.verify_token`. */
export const isVerifyToken = (text: string): boolean =>
  text.length <= WEBHOOK_LIMITS.verifyTokenLength && /^[!-~]+$/.test(text);

const VerifyToken = schema(() =>
  z
    .string()
    .check(
      z.refine(isVerifyToken, 'Verify token 1 sampai 255 huruf, angka, atau tanda, tanpa spasi.'),
    ),
);

/** What is saved of a webhook; without `kinds` all events are sent, those of later versions too. */
export const webhookFields = () => ({
  url: Url(),
  format: z.optional(WebhookFormat()),
  kinds: z.optional(Kinds()),
  /** Left out: as it was; null: the one that Kabari makes. */
  verify_token: z.optional(z.nullable(VerifyToken())),
});

const ofToken = () => ({ token_id: IdInput('token') });

/** The webhook of a token; null where it has none. */
export const getWebhook = act({
  name: 'webhook_get',
  by: 'customer',
  input: ofToken,
  output: () => z.object({ webhook: z.nullable(Webhook()) }),
});

/** What an endpoint answered to the test. */
export const WebhookTest = schema(() =>
  z.object({
    /** True for 2xx. */
    ok: z.boolean(),
    /** Null without an answer. */
    status: z.nullable(z.int()),
    /** Why there was none: an address that may not be asked, too late, no connection. */
    error: z.nullable(z.enum(['refused', 'late', 'unreachable'])),
    ms: z.int(),
    /** The first 200 printable characters of the answer. */
    answer: z.string(),
  }),
);
export type WebhookTest = Output<typeof WebhookTest>;

/** What saving did. */
export const SavedWebhook = schema(() =>
  z.object({
    webhook: Webhook(),
    /** The secret of a new webhook, this once; null for one that has its secret. */
    secret: z.nullable(z.string()),
    /** What its address answered; null where it was not asked, for nothing about it changed. */
    test: z.nullable(WebhookTest()),
  }),
);
export type SavedWebhook = Output<typeof SavedWebhook>;

/**
 * Sets the webhook of a token. A new address is asked first: it must answer a signed `webhook.test` with
 * 2xx (or the handshake of its format), and is on then. A webhook that was not on is saved all the same, off
 * (`unconfirmed`): its owner stores the secret there and switches it on. One that is on stays as it is
 * when the new address does not answer (`webhook_unconfirmed`).
 */
export const saveWebhook = act({
  name: 'webhook_save',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: () => ({ ...ofToken(), ...webhookFields() }),
  output: SavedWebhook,
  refuses: ['webhook_unconfirmed'],
});

/** Switches a webhook off, or on again: then its address is asked first, and what waited goes on. */
export const switchWebhook = act({
  name: 'webhook_switch',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ ...ofToken(), state: z.enum(['on', 'off']) }),
  output: Webhook,
  refuses: ['webhook_unconfirmed'],
});

/** A new secret; events are signed with the old one too for another 24 hours. */
export const rotateWebhookSecret = act({
  name: 'webhook_secret_rotate',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: ofToken,
  output: () => z.object({ webhook: Webhook(), secret: z.string() }),
});

/** Forgets the webhook of a token, its deliveries and its secret. */
export const deleteWebhook = act({
  name: 'webhook_delete',
  by: 'customer',
  changes: true,
  audited: true,
  input: ofToken,
  output: () => z.object({}),
});

/** Sends `webhook.test` now, also while it is off; a success ends a pause. */
export const testWebhook = act({
  name: 'webhook_test',
  by: 'customer',
  changes: true,
  input: ofToken,
  output: WebhookTest,
});
