import type { FactsOf, RefusalCode } from '#contract/base/refusals.ts';

type Sentences = { [C in RefusalCode]: string | ((facts: FactsOf<C>) => string) };

/** What may be missing, as facts name it. */
const things: Readonly<Record<string, string>> = { Pesan: 'The message', Token: 'The token' };

/** The refusals' sentences for programs whose makers asked for English (`Accept-Language: en`). */
const sentences: Sentences = {
  act_unknown: 'This request is not known here.',
  request_malformed: ({ why }) => `The request cannot be read: ${why}.`,
  origin_foreign: 'Requests from other sites are refused.',
  not_signed_in: 'The session has ended. Sign in again.',
  not_allowed: 'You may not do this.',
  not_found: ({ what }) =>
    `${things[what] ?? 'This'} was not found. Check the id; it may belong to another token or have been deleted.`,
  path_unknown: 'This address is not part of the API. All of its addresses are described at /docs.',
  method_not_allowed: ({ allow }) => `This address does not take this method. Use ${allow}.`,
  input_invalid: 'Some fields need to be corrected; `fields` says which, and what they take.',
  body_too_large: 'The request body may have 1,048,576 bytes. Send fewer messages in one request.',
  media_type_unsupported:
    'Send the request body as JSON, not compressed, with `Content-Type: application/json`.',
  too_many_requests: ({ seconds }) => `Too many requests. Try again in ${seconds} s.`,
  busy: ({ seconds }) => `The service is busy. Try again in ${seconds} s; nothing is lost.`,
  timed_out: 'The answer took too long. Repeat the request with the same idempotency key.',
  our_fault:
    'Something broke on our side. Repeat the request; quote `request_id` if you contact us.',
  captcha_failed: 'The captcha failed or expired.',
  captcha_unreachable: 'The provider of the captcha cannot be reached.',
  credentials_wrong: 'Number and password do not match.',
  otp_wrong: ({ left }) => `The code does not match; ${left} tries left.`,
  otp_expired: 'The code is no longer valid.',
  otp_too_soon: ({ seconds }) => `Wait ${seconds} s before asking for another code.`,
  otp_limit: "Today's limit of codes is reached.",
  password_common: 'This password is too easy to guess.',
  password_wrong: 'The password does not match.',
  reauth_needed: 'Give the password once more to go on.',
  sign_in_needed: 'This session began in another browser. Sign out, then sign in here to do this.',
  grant_gone: 'The time to change the password is over. Ask for a new code.',
  phone_same: 'This is the present number.',
  export_limit: ({ limit }) => `An export may be asked for ${limit} times a day.`,
  account_suspended: 'This account is suspended. Contact customer service.',
  token_missing:
    'There is no API key. Send the header `Authorization: Bearer <key>`; keys are made on the Token page.',
  token_invalid:
    'The API key is unknown, not copied whole, or revoked. Check it on the Token page.',
  token_not_linked: 'The token is not linked to a phone. Scan its QR on the Token page first.',
  token_limit_reached: ({ limit }) => `This token's daily limit (${limit} messages) is reached.`,
  tokens_full: ({ limit }) => `This account already has ${limit} tokens.`,
  cooling_down: ({ hours }) =>
    `The password or number was just changed: no new API key for ${hours} h. Not you? Contact support.`,
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
  message_in_flight:
    'This message is being sent and may have left, so it cannot be cancelled. Wait for the network to answer.',
  queue_full: ({ seconds }) =>
    `The queue is full. Try again in ${seconds} s; the message was not accepted.`,
  topup_too_many: ({ limit }) => `${limit} top-ups are already waiting to be paid.`,
  topup_amount_busy: 'This amount is in heavy use. Choose another.',
  topup_closed: 'This top-up is closed.',
  topup_already_paid: 'This top-up is already paid.',
  topup_amount_mismatch: 'The bank line and the top-up have different amounts.',
  bank_line_used: 'This bank line already paid another top-up.',
  push_service_unknown: 'This push service is not known here.',
  push_key_old: 'This subscription uses an old key.',
  push_gone: 'This browser no longer takes notices.',
  push_service_down: 'The push service does not answer.',
  upload_gone: 'This upload is not there any more.',
  upload_kind_refused: ({ allowed }) => `Files of this kind are not taken here: ${allowed} only.`,
  upload_contradicts: 'The bytes of the file contradict its name or its declared type.',
  upload_unsafe: 'The file is not safe to keep.',
  upload_infected: 'The file is known as malware.',
  upload_too_large: ({ bytesMax }) => `The file is larger than ${bytesMax} bytes.`,
  upload_empty: 'The file is empty.',
  upload_offset_wrong: ({ offset }) => `The upload goes on at byte ${offset}.`,
  upload_length_wrong: ({ length }) => `The upload was begun with a length of ${length} bytes.`,
  upload_used: 'The upload is used already and can no longer be changed.',
  upload_quota_full: ({ bytesMax }) => `Open uploads may hold ${bytesMax} bytes together.`,
  storage_full: ({ bytesMax }) => `The files of this account may hold ${bytesMax} bytes together.`,
  upload_too_slow: 'The upload was too slow. Go on from where it is.',
  upload_unscanned: ({ seconds }) => `The file cannot be scanned now. Try again in ${seconds} s.`,
};

/** The sentence of a refusal, in English. */
export function englishFor(no: { code: RefusalCode; facts: unknown }): string {
  const sentence: string | ((facts: never) => string) = sentences[no.code];
  return typeof sentence === 'string' ? sentence : sentence(no.facts as never);
}
