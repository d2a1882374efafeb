import type { FactsOf, RefusalCode } from './refusals.ts';

type Sentences = { [C in RefusalCode]: string | ((facts: FactsOf<C>) => string) };

/** The refusals' sentences for programs whose makers asked for English (`Accept-Language: en`). */
const sentences: Sentences = {
  act_unknown: 'This request is not known here.',
  request_malformed: ({ why }) => `The request cannot be read: ${why}.`,
  origin_foreign: 'Requests from other sites are refused.',
  not_signed_in: 'The session has ended. Sign in again.',
  not_allowed: 'You may not do this.',
  not_found: 'Not found. Check the id; it may belong to another token or have been deleted.',
  input_invalid: 'Some fields need to be corrected; `fields` says which.',
  body_too_large: 'The request body is too large.',
  media_type_unsupported: 'This content type is not supported; send JSON.',
  too_many_requests: ({ seconds }) => `Too many requests. Try again in ${seconds} s.`,
  busy: ({ seconds }) => `The service is busy. Try again in ${seconds} s; nothing is lost.`,
  timed_out: 'The answer took too long. Repeat the request with the same idempotency key.',
  our_fault:
    'Something broke on our side. Repeat the request; quote `request_id` if you contact us.',
  captcha_failed: 'The captcha failed or expired.',
  credentials_wrong: 'Number and password do not match.',
  otp_wrong: ({ left }) => `The code does not match; ${left} tries left.`,
  otp_expired: 'The code is no longer valid.',
  otp_too_soon: ({ seconds }) => `Wait ${seconds} s before asking for another code.`,
  otp_limit: "Today's limit of codes is reached.",
  password_common: 'This password is too easy to guess.',
  account_suspended: 'This account is suspended. Contact customer service.',
  token_invalid: 'The API key is unknown or revoked. Check it on the Token page.',
  token_not_linked: 'The token is not linked to a phone. Scan its QR on the Token page first.',
  token_limit_reached: ({ limit }) => `This token's daily limit (${limit} messages) is reached.`,
  tokens_full: ({ limit }) => `This account already has ${limit} tokens.`,
  link_gone: 'This link was used or has expired.',
  qr_stale: 'This QR code has been replaced.',
  phone_taken: 'This number is linked to another token.',
  saldo_short: ({ required, available }) =>
    `The balance is too low: Rp ${required} needed, Rp ${available} available. Top up first.`,
  wallet_frozen: 'The balance is frozen. Contact customer service.',
  idempotency_conflict: 'This idempotency key was used for a different request. Use a new key.',
  request_in_flight: ({ seconds }) =>
    `A request with this key is still being processed. Try again in ${seconds} s.`,
  ref_conflict: ({ ref }) => `The ref "${ref}" was used for a different message. Use a new ref.`,
  recipient_opted_out: 'The recipient asked to receive no more messages from this number.',
  message_final: 'This message has left or ended and cannot be cancelled.',
  queue_full: ({ seconds }) =>
    `The queue is full. Try again in ${seconds} s; the message was not accepted.`,
  topup_too_many: ({ limit }) => `${limit} top-ups are already waiting to be paid.`,
  topup_amount_busy: 'This amount is in heavy use. Choose another.',
  topup_closed: 'This top-up is closed.',
  topup_already_paid: 'This top-up is already paid.',
  topup_amount_mismatch: 'The bank line and the top-up have different amounts.',
  bank_line_used: 'This bank line already paid another top-up.',
};

/** The sentence of a refusal, in English. */
export function englishFor(no: { code: RefusalCode; facts: unknown }): string {
  const sentence: string | ((facts: never) => string) = sentences[no.code];
  return typeof sentence === 'string' ? sentence : sentence(no.facts as never);
}
