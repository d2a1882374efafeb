import * as z from 'zod/mini';
import type { Output } from './schema.ts';

type Entry = { status: number; facts: () => z.ZodMiniType; retryable?: true };

const none = () => z.object({});
const wait = () => z.object({ seconds: z.int() });

export const unreadable = ['empty', 'no_numbers', 'too_many', 'broken'] as const;
export type UnreadableList = (typeof unreadable)[number];

export const refusals = {
  act_unknown: { status: 400, facts: none },
  request_malformed: { status: 400, facts: () => z.object({ why: z.string() }) },
  origin_foreign: { status: 403, facts: none },
  not_signed_in: { status: 401, facts: none },
  not_allowed: { status: 403, facts: none },
  not_found: { status: 404, facts: () => z.object({ what: z.string() }) },
  path_unknown: { status: 404, facts: none },
  method_not_allowed: { status: 405, facts: () => z.object({ allow: z.string() }) },
  input_invalid: {
    status: 422,
    facts: () => z.object({ fields: z.record(z.string(), z.string()) }),
  },
  body_too_large: { status: 413, facts: none },
  media_type_unsupported: { status: 415, facts: none },
  too_many_requests: { status: 429, facts: wait, retryable: true },
  busy: { status: 503, facts: wait, retryable: true },
  timed_out: { status: 504, facts: none, retryable: true },
  our_fault: {
    status: 500,
    facts: () => z.object({ request: z.string() }),
    retryable: true,
  },

  registration_closed: { status: 423, facts: () => z.object({ text: z.string() }) },
  captcha_failed: { status: 422, facts: none },
  captcha_unreachable: { status: 503, facts: none, retryable: true },
  credentials_wrong: { status: 401, facts: none },
  otp_wrong: { status: 422, facts: () => z.object({ left: z.int() }) },
  otp_expired: { status: 410, facts: none },
  otp_too_soon: { status: 429, facts: wait },
  otp_limit: { status: 429, facts: none },
  otp_unsendable: { status: 503, facts: none },
  password_common: { status: 422, facts: none },
  password_wrong: { status: 422, facts: none },
  reauth_needed: { status: 403, facts: none },
  sign_in_needed: { status: 403, facts: none },
  second_factor_needed: { status: 403, facts: none },
  second_factor_again: { status: 403, facts: none },
  second_factor_wrong: { status: 422, facts: () => z.object({ left: z.int() }) },
  second_factor_expired: { status: 410, facts: none },
  second_factor_last: { status: 409, facts: none },
  second_factor_exists: { status: 409, facts: none },
  grant_gone: { status: 410, facts: none },
  phone_same: { status: 422, facts: none },
  export_limit: { status: 429, facts: () => z.object({ limit: z.int() }) },
  account_suspended: { status: 423, facts: none },
  phone_in_use: { status: 409, facts: none },
  last_admin: { status: 409, facts: none },

  token_missing: { status: 401, facts: none },
  token_invalid: { status: 401, facts: none },
  token_expired: { status: 401, facts: () => z.object({ day: z.string() }) },
  address_not_allowed: { status: 403, facts: () => z.object({ address: z.string() }) },
  key_in_address: { status: 403, facts: none },
  scope_missing: { status: 403, facts: () => z.object({ scope: z.string() }) },
  token_not_linked: { status: 409, facts: none },
  token_linked: { status: 409, facts: none },
  token_limit_reached: { status: 429, facts: () => z.object({ limit: z.int() }) },
  tokens_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
  cooling_down: { status: 423, facts: () => z.object({ hours: z.int() }) },
  link_gone: { status: 410, facts: none },
  qr_stale: { status: 410, facts: none },
  phone_taken: { status: 409, facts: none },
  channel_off: { status: 409, facts: none },
  channel_other: { status: 409, facts: none },
  /** Messages of the token are under way: wait for their outcome first. */
  channel_busy: { status: 409, facts: none },
  /** Queued templates were priced for this channel: they must be sent or cancelled first. */
  channel_waiting: { status: 409, facts: () => z.object({ templates: z.int() }) },
  /** Meta rejected the entered data; `code` is Meta's. */
  cloud_refused: { status: 422, facts: () => z.object({ code: z.int() }) },
  cloud_unreachable: { status: 503, facts: none, retryable: true },
  /** The recipient has not written in the last 24 hours, or never: only templates may be sent. */
  window_closed: { status: 409, facts: none },

  saldo_short: {
    status: 402,
    facts: () => z.object({ required: z.int(), available: z.int() }),
  },
  wallet_frozen: { status: 423, facts: none },
  idempotency_conflict: { status: 409, facts: none },
  request_in_flight: { status: 409, facts: wait, retryable: true },
  ref_conflict: { status: 409, facts: () => z.object({ ref: z.string() }) },
  recipient_opted_out: { status: 409, facts: none },
  /** The recipient is known by a Meta user id only, so that only the Cloud API reaches them. */
  recipient_without_number: { status: 409, facts: none },
  message_final: { status: 409, facts: () => z.object({ status: z.string() }) },
  message_in_flight: { status: 409, facts: none },
  queue_full: { status: 429, facts: wait, retryable: true },
  bonus_only: { status: 402, facts: none },
  pins_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
  quoted_not_found: { status: 422, facts: none },
  reaction_refused: { status: 409, facts: none },
  media_not_found: { status: 422, facts: none },
  media_unfit: {
    status: 422,
    facts: () => z.object({ type: z.string(), allowed: z.string(), bytesMax: z.int() }),
  },
  template_not_found: { status: 404, facts: () => z.object({ name: z.string() }) },
  template_language_needed: {
    status: 422,
    facts: () => z.object({ name: z.string(), languages: z.string() }),
  },
  template_exists: {
    status: 409,
    facts: () => z.object({ name: z.string(), language: z.string() }),
  },
  templates_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
  template_not_approved: { status: 409, facts: () => z.object({ name: z.string() }) },
  template_variables_unfit: {
    status: 422,
    facts: () => z.object({ name: z.string(), expected: z.int(), given: z.int() }),
  },
  template_value_unfit: {
    status: 422,
    facts: () =>
      z.object({
        name: z.string(),
        variable: z.string(),
        why: z.enum(['breaks', 'blanks', 'empty']),
      }),
  },
  template_parts_unfit: {
    status: 422,
    facts: () =>
      z.object({
        name: z.string(),
        header: z.nullable(z.enum(['image', 'video', 'document', 'text'])),
        buttons: z.array(z.int()),
      }),
  },
  /** Inbound messages, reactions, and messages under way or delivered cannot be sent anew. */
  resend_unfit: { status: 409, facts: none },
  views_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
  quick_replies_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
  view_name_taken: { status: 409, facts: () => z.object({ name: z.string() }) },
  /** The address did not answer the signed test with 2xx (or a Cloud API handshake). */
  webhook_unconfirmed: {
    status: 422,
    facts: () =>
      z.object({
        status: z.nullable(z.int()),
        why: z.enum(['refused', 'late', 'unreachable', 'redirect', 'status', 'challenge']),
      }),
  },
  /** It is switched off: nothing is sent until it is switched on again. */
  webhook_off: { status: 409, facts: none },

  topup_too_many: { status: 409, facts: () => z.object({ limit: z.int() }) },
  topup_too_often: { status: 409, facts: () => z.object({ limit: z.int() }) },
  topup_amount_busy: { status: 409, facts: none },
  topup_amount_unfit: {
    status: 422,
    facts: () => z.object({ minimum: z.int(), maximum: z.int() }),
  },
  gateway_down: { status: 503, facts: none, retryable: true },
  topup_closed: { status: 410, facts: none },
  topup_already_paid: { status: 409, facts: none },
  topup_amount_mismatch: {
    status: 409,
    facts: () => z.object({ total: z.int(), received: z.int() }),
  },
  bank_line_used: { status: 409, facts: none },
  bank_line_twin: { status: 409, facts: none },
  topup_decided: { status: 409, facts: () => z.object({ by: z.string() }) },
  topup_needs_another: { status: 409, facts: none },
  topup_at_gateway: { status: 409, facts: none },
  topup_proof_unneeded: { status: 409, facts: none },
  topup_proof_limit: { status: 409, facts: () => z.object({ limit: z.int() }) },
  statement_unknown: { status: 422, facts: none },
  bank_statement_too_long: { status: 422, facts: () => z.object({ limit: z.int() }) },
  statement_other_account: {
    status: 409,
    facts: () => z.object({ account: z.string(), ours: z.string() }),
  },
  statement_changed: { status: 409, facts: none },
  statement_imported: { status: 409, facts: none },
  statement_unbalanced: { status: 422, facts: () => z.object({ line: z.int() }) },

  plan_same: { status: 409, facts: none },
  quote_stale: { status: 409, facts: none },
  subscription_not_running: { status: 409, facts: none },
  invoice_unpaid: { status: 409, facts: none },
  invoice_closed: { status: 409, facts: none },
  statement_too_long: { status: 422, facts: () => z.object({ limit: z.int() }) },

  adjustment_saldo_short: { status: 409, facts: () => z.object({ available: z.int() }) },
  adjustment_closed: { status: 409, facts: none },
  second_operator_needed: { status: 403, facts: none },
  operator_not_independent: { status: 403, facts: none },
  operator_limit_reached: { status: 403, facts: none },
  account_ended: { status: 409, facts: none },
  wallet_frozen_payout: { status: 423, facts: none },
  refund_too_large: { status: 409, facts: () => z.object({ captured: z.int() }) },
  refund_done: { status: 409, facts: none },
  suspense_resolved: { status: 409, facts: none },
  topup_unpaid: { status: 409, facts: none },
  payment_refund_done: { status: 409, facts: none },
  payment_partly_returned: {
    status: 409,
    facts: () => z.object({ left: z.nullable(z.int()) }),
  },
  payment_flag_changed: { status: 409, facts: none },
  payment_refund_waits: { status: 409, facts: none },
  payment_saldo_short: { status: 409, facts: () => z.object({ lacking: z.int() }) },
  refund_finished: { status: 409, facts: none },
  refund_at_gateway: { status: 409, facts: none },
  transfer_reference_used: { status: 409, facts: none },
  books_red: { status: 423, facts: none },
  check_running: { status: 409, facts: wait, retryable: true },
  nothing_sealed: { status: 409, facts: none },
  setting_changed: { status: 409, facts: none },
  setting_not_waiting: { status: 409, facts: none },
  broadcast_over: { status: 409, facts: none },
  system_token_parted: { status: 409, facts: none },
  valid_from_past: { status: 422, facts: none },
  valid_from_taken: { status: 409, facts: none },

  push_service_unknown: { status: 422, facts: none },
  push_key_old: { status: 409, facts: none },
  push_gone: { status: 410, facts: none },
  push_service_down: { status: 502, facts: none, retryable: true },

  upload_gone: { status: 410, facts: none },
  recipients_unreadable: {
    status: 422,
    facts: () => z.object({ why: z.enum(unreadable) }),
  },
  campaign_incomplete: {
    status: 409,
    facts: () => z.object({ missing: z.enum(['content', 'recipients']) }),
  },
  campaign_state: { status: 409, facts: () => z.object({}) },
  campaigns_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
  support_empty: { status: 422, facts: none },
  support_too_many: { status: 429, facts: wait },
  support_not_closed: { status: 409, facts: none },
  canned_too_many: { status: 409, facts: none },
  upload_kind_refused: { status: 415, facts: () => z.object({ allowed: z.string() }) },
  upload_contradicts: { status: 422, facts: none },
  upload_unsafe: { status: 422, facts: () => z.object({ why: z.string() }) },
  upload_infected: { status: 422, facts: none },
  upload_too_large: { status: 413, facts: () => z.object({ bytesMax: z.int() }) },
  upload_empty: { status: 422, facts: none },
  upload_offset_wrong: { status: 409, facts: () => z.object({ offset: z.int() }) },
  upload_length_wrong: { status: 409, facts: () => z.object({ length: z.int() }) },
  upload_used: { status: 409, facts: none },
  upload_quota_full: { status: 409, facts: () => z.object({ bytesMax: z.int() }) },
  storage_full: { status: 409, facts: () => z.object({ bytesMax: z.int() }) },
  upload_too_slow: { status: 408, facts: none, retryable: true },
  upload_unscanned: { status: 503, facts: wait, retryable: true },
} satisfies Record<string, Entry>;

export type RefusalCode = keyof typeof refusals;
export type FactsOf<C extends RefusalCode> = Output<(typeof refusals)[C]['facts']>;

/** An expected error of a domain, shown to the user; any other error is a bug. */
export class Refusal<C extends RefusalCode = RefusalCode> extends Error {
  readonly code: C;
  readonly facts: FactsOf<C>;

  constructor(code: C, facts: FactsOf<C>) {
    super(`refused: ${code}`);
    this.name = 'Refusal';
    this.code = code;
    this.facts = facts;
  }
}

/** Rebuilds a refusal from its serialized form; `undefined` if the catalogue does not contain it. */
export function refusalFrom(error: unknown): Refusal | undefined {
  if (typeof error !== 'object' || error === null || !('type' in error)) return undefined;
  const code = error.type;
  if (typeof code !== 'string' || !Object.hasOwn(refusals, code)) return undefined;
  const known = code as RefusalCode;
  const facts = refusals[known].facts().safeParse('facts' in error ? error.facts : {});
  return facts.success ? new Refusal(known, facts.data) : undefined;
}
