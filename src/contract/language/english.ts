import { isolated } from '#contract/base/names.ts';
import type { FactsOf, RefusalCode } from '#contract/base/refusals.ts';
import { unreadableLists, inMegabytes } from './language.ts';

type Sentences = { [C in RefusalCode]: string | ((facts: FactsOf<C>) => string) };

/** Names of missing records, by the `what` of facts. */
const recordNames: Readonly<Record<string, string>> = {
  Akun: 'The account',
  Media: 'The file',
  'Nomor telepon': 'The phone number',
  Pesan: 'The message',
  Token: 'The token',
};

const unconfirmed: Readonly<Record<FactsOf<'webhook_unconfirmed'>['why'], string>> = {
  refused: 'only public https addresses on port 443 or 8443 are asked.',
  late: 'no answer came within 10 seconds. Answer first, then do the work.',
  unreachable: 'no connection was possible. Check the address, its certificate and the firewall.',
  redirect: 'redirects are not followed. Give the final address.',
  status: 'it must answer `webhook.test` with 2xx.',
  challenge: 'it must answer the handshake with the value of `hub.challenge`.',
};

const headers = {
  image: 'an image in its header (`link` or `id`)',
  video: 'a video in its header (`link` or `id`)',
  document: 'a document in its header (`link` or `id`)',
  text: 'a text in its header',
  nothing: 'nothing in its header',
} as const;

const unfitValues = {
  breaks: 'holds a line break or a tab, which Meta refuses. Write it in one line',
  blanks: 'holds more than four consecutive blanks, which Meta refuses. Use fewer',
  empty: 'holds nothing but blanks, which Meta refuses. Give it a value',
} as const;

/** English sentences of refusals for API callers (`Accept-Language: en`). */
const sentences: Sentences = {
  act_unknown: 'This request is not known here.',
  request_malformed: ({ why }) => `The request cannot be read: ${why}.`,
  origin_foreign: 'Requests from other sites are refused.',
  not_signed_in: 'The session has ended. Sign in again.',
  not_allowed: 'You may not do this.',
  not_found: ({ what }) =>
    `${recordNames[what] ?? 'This'} was not found. Check the id; it may belong to another token or have been deleted.`,
  path_unknown: 'This address is not part of the API. All of its addresses are described at /docs.',
  method_not_allowed: ({ allow }) => `This address does not take this method. Use ${allow}.`,
  input_invalid: 'Some fields need to be corrected; `fields` says which, and what they take.',
  body_too_large: 'The request body may have 1,048,576 bytes. Send fewer messages in one request.',
  media_type_unsupported:
    'Send the request body as JSON, not compressed, with `Content-Type: application/json`; a file to `POST /v1/media` as `multipart/form-data`.',
  too_many_requests: ({ seconds }) => `Too many requests. Try again in ${seconds} s.`,
  busy: ({ seconds }) => `The service is busy. Try again in ${seconds} s; nothing is lost.`,
  timed_out: 'The answer took too long. Repeat the request with the same idempotency key.',
  our_fault:
    'Something broke on our side. Repeat the request; quote `request_id` if you contact us.',
  registration_closed: 'Nobody may register for now.',
  captcha_failed: 'The captcha failed or expired.',
  captcha_unreachable: 'The provider of the captcha cannot be reached.',
  credentials_wrong: 'Number and password do not match.',
  otp_wrong: ({ left }) => `The code does not match; ${left} tries left.`,
  otp_expired: 'The code is no longer valid.',
  otp_too_soon: ({ seconds }) => `Wait ${seconds} s before asking for another code.`,
  otp_limit: "Today's limit of codes is reached.",
  otp_unsendable: 'No code can be sent: the installation’s token cannot send them now.',
  password_common: 'This password is too easy to guess.',
  password_wrong: 'The password does not match.',
  reauth_needed: 'Give the password once more to go on.',
  sign_in_needed: 'This session began in another browser. Sign out, then sign in here to do this.',
  second_factor_needed:
    'A second factor is required of this account. Set one up on the page Keamanan first.',
  second_factor_again: 'Give the second factor once more to go on.',
  second_factor_wrong: ({ left }) => `The second factor does not match; ${left} tries left.`,
  second_factor_expired: 'The time for the second factor is over. Begin again.',
  second_factor_last: 'This is the last second factor, and one is required. Add another one first.',
  second_factor_exists: 'This is set up already.',
  grant_gone: 'The time to change the password is over. Ask for a new code.',
  phone_same: 'This is the present number.',
  export_limit: ({ limit }) => `An export may be asked for ${limit} times a day.`,
  phone_in_use: 'This number belongs to somebody here. Choose another one.',
  last_admin: 'This is the last admin. Make somebody else an admin first.',
  account_suspended:
    'This account is suspended. Sign in to the portal to read why, and to reach customer service.',
  token_missing:
    'There is no API key. Send the header `Authorization: Bearer <key>`; keys are made on the page Nomor.',
  token_invalid:
    'The API key is unknown, not copied whole, or revoked. Check it on the page Nomor.',
  token_expired: ({ day }) =>
    `The token expired: ${day} was its last day (WIB). Give it a later day, or none, on the page Nomor.`,
  address_not_allowed: ({ address }) =>
    `This token may not be used from ${address}. Add the address on the page Nomor, or call from one that is listed there.`,
  key_in_address:
    'This token does not take its key in the address. Send the header `Authorization: Bearer <key>`, or allow it on the page Nomor. Rotate the key: addresses stay in logs.',
  scope_missing: ({ scope }) =>
    `This token is not allowed to do this: it has no scope "${scope}". Tick it on the page Nomor, or use another token.`,
  token_not_linked: 'The token is not connected. Connect its number on the page Nomor first.',
  token_linked: 'The token is linked to a phone already. Unlink that one first.',
  token_limit_reached: ({ limit }) => `This token's daily limit (${limit} messages) is reached.`,
  tokens_full: ({ limit }) => `The plan of this account has ${limit} tokens.`,
  cooling_down: ({ hours }) =>
    `The password or number was just changed: no new API key for ${hours} h. Not you? Contact support.`,
  link_gone: 'This link was used or has expired.',
  qr_stale: 'This QR code has been replaced.',
  phone_taken: 'This number is linked to another token.',
  channel_off: 'This channel is not offered here. Choose another one.',
  channel_other: 'This token uses another channel. Move it first, on the page Nomor.',
  channel_busy: 'Messages of this token are being sent. Wait a minute, then try again.',
  channel_waiting: ({ templates }) =>
    `${templates} template messages of this token wait at the price of its present channel. Let them leave, or cancel them, then try again.`,
  cloud_refused: ({ code }) =>
    `Meta refused these values (code ${code}). Check the phone number ID, the WhatsApp Business Account ID and the access token with its permissions (whatsapp_business_messaging, whatsapp_business_management).`,
  cloud_unreachable: 'Meta cannot be reached. Try again in a moment.',
  window_closed:
    'The recipient has not written to you in the last 24 hours. Send an approved template; once they answer, ordinary messages can be sent.',
  saldo_short: ({ required, available }) =>
    `The balance is too low: Rp ${required} needed, Rp ${available} available. Top up first.`,
  wallet_frozen: 'The balance is frozen. Contact customer service.',
  idempotency_conflict: 'This idempotency key was used for a different request. Use a new key.',
  request_in_flight: ({ seconds }) =>
    `A request with this key is still being processed. Try again in ${seconds} s.`,
  ref_conflict: ({ ref }) => `The ref "${ref}" was used for a different message. Use a new ref.`,
  recipient_opted_out:
    'The recipient asked to receive no more messages from this number. Do not write to them, unless they send MULAI (or START).',
  recipient_without_number:
    'WhatsApp does not show the number of this recipient. Write to them by a token of the channel that their messages came by.',
  message_final: 'This message has left or ended and cannot be cancelled.',
  message_in_flight:
    'This message is being sent and may have left, so it cannot be cancelled. Wait for the network to answer.',
  bonus_only:
    'The bonus pays for the simulator and your own number only. Top up once to send to other numbers.',
  quoted_not_found:
    'The message that `reply_to` or `reaction.message_id` names is not part of this conversation. Check the id (`msg_…`) and `to`.',
  reaction_refused:
    'This message cannot get a reaction: it has not left, or never arrived. React to one that was sent or received.',
  media_unfit: ({ type, allowed, bytesMax }) =>
    `This file cannot be sent as ${type}. What can: ${allowed}, of ${inMegabytes(bytesMax)} at most.`,
  media_not_found:
    'The file that `id` names was not found. Upload it again, or send its `link` instead.',
  template_not_found: ({ name }) =>
    `There is no template "${name}" in this language. \`GET /v1/templates\` lists those of this account.`,
  template_language_needed: ({ name, languages }) =>
    `The template "${name}" has several languages (${languages}). Name one in \`template.language\`.`,
  template_exists: ({ name, language }) =>
    `The template "${name}" already exists in the language ${language}. Delete it first, or use another name.`,
  templates_full: ({ limit }) =>
    `The account has ${limit} templates, which is the most. Delete one that is not needed.`,
  template_not_approved: ({ name }) =>
    `The template "${name}" is not approved, so it cannot be sent yet.`,
  template_variables_unfit: ({ name, expected, given }) =>
    `The template "${name}" takes ${expected} variables; \`template.variables\` has ${given}.`,
  template_value_unfit: ({ name, variable, why }) =>
    `The value of variable ${variable} of the template "${name}" ${unfitValues[why]}.`,
  template_parts_unfit: ({ name, header, buttons }) =>
    `The template "${name}" takes ${headers[header ?? 'nothing']}, and ${buttons.length === 0 ? 'no values for its buttons' : `values for its buttons ${buttons.join(', ')}`}. Give these, and nothing else.`,
  resend_unfit:
    'Only messages of yours that failed, were cancelled or expired can be sent again; reactions cannot.',
  views_full: ({ limit }) => `There are ${limit} views already. Delete one that is not used.`,
  quick_replies_full: ({ limit }) =>
    `There are ${limit} quick replies already. Delete one that is not used.`,
  view_name_taken: ({ name }) =>
    `There is a view "${isolated(name)}" already. Choose another name.`,
  webhook_unconfirmed: ({ status, why }) =>
    `The webhook address did not confirm the test${status === null ? '' : ` (it answered ${status})`}: ${unconfirmed[why]}`,
  webhook_off: 'The webhook is switched off. Switch it on first; its address is then tested.',
  queue_full: ({ seconds }) =>
    `The queue is full. Try again in ${seconds} s; the message was not accepted.`,
  topup_too_often: ({ limit }) =>
    `${limit} top-ups of the last 24 hours came to nothing. Pay one that waits, or try tomorrow.`,
  topup_too_many: ({ limit }) => `${limit} top-ups are already waiting to be paid.`,
  topup_amount_busy: 'This amount is in heavy use. Choose another.',
  topup_amount_unfit: ({ minimum, maximum }) =>
    `This way to pay takes IDR ${minimum} to ${maximum}. Change the amount or choose another way.`,
  gateway_down:
    'The payment gateway does not answer. Try again in a moment, or pay by bank transfer.',
  topup_closed: 'This top-up is closed.',
  topup_already_paid: 'This top-up is already paid.',
  topup_amount_mismatch: 'The bank line and the top-up have different amounts.',
  bank_line_used: 'This bank line already paid another top-up.',
  bank_line_twin: 'Another line has the same day and amount: confirm first that the bank has both.',
  topup_decided: 'Another operator has decided about this top-up.',
  topup_at_gateway:
    'A gateway takes this payment, and it alone knows whether it is paid: ask it again.',
  topup_needs_another: 'Another operator has to complete what this one proposed.',
  topup_proof_unneeded: 'This way to pay needs no proof of transfer.',
  topup_proof_limit: ({ limit }) => `A proof of this top-up was sent ${limit} times already.`,
  statement_unknown: 'The file is no bank statement that is known here.',
  bank_statement_too_long: ({ limit }) => `The statement has more than ${limit} lines.`,
  statement_other_account: 'The statement is of another bank account.',
  statement_unbalanced: ({ line }) => `The balance on line ${line} does not add up.`,
  statement_changed: 'The file is not the one that was looked at.',
  statement_imported: 'You have imported this file already. Its lines are stored.',
  plan_same: 'You have this plan already.',
  quote_stale: 'The calculation has changed. Look at the new one, then agree again.',
  subscription_not_running: 'Nothing can be changed about this plan. Choose a plan first.',
  invoice_unpaid: 'The document is made once the invoice is paid.',
  invoice_closed: 'This invoice does not wait for a payment.',
  statement_too_long: ({ limit }) =>
    `A statement of more than ${limit} lines is given as CSV only. Choose CSV or fewer days.`,
  adjustment_saldo_short: ({ available }) =>
    `Only IDR ${available} of this saldo is left; it never falls below zero.`,
  adjustment_closed: 'This proposal is decided or has expired.',
  second_operator_needed:
    'Another operator decides on this proposal; its proposer can only withdraw it.',
  operator_not_independent:
    'This operator was invited or given a role by the proposer, or within seven days.',
  operator_limit_reached: 'This operator has decided alone about as much as a day allows.',
  account_ended: 'This account has ended; its saldo cannot be changed.',
  wallet_frozen_payout: 'This saldo is frozen. Let it go on before paying out.',
  refund_too_large: ({ captured }) => `At most IDR ${captured} was charged for this message.`,
  refund_done: 'This message was refunded before.',
  suspense_resolved: 'This payment has left suspense.',
  topup_unpaid: 'This top-up is not paid, so there is nothing to give back.',
  payment_refund_done: 'This payment was given back before.',
  payment_partly_returned: ({ left }) =>
    left === null
      ? 'The gateway gave a part of this payment back by itself: not all of it is left.'
      : `Of this payment Rp ${left} is left: the gateway gave the rest back by itself.`,
  payment_flag_changed: 'This was settled, or has changed, meanwhile.',
  payment_refund_waits: 'Giving this payment back waits for a second operator.',
  payment_saldo_short: ({ lacking }) =>
    `The saldo lacks IDR ${lacking} of this payment; nothing was booked.`,
  refund_finished: 'This refund is done already.',
  refund_at_gateway: 'The gateway is being asked to give this money back; wait for its answer.',
  transfer_reference_used: 'This reference already belongs to another payout.',
  books_red: 'The books are broken, so no money leaves until they are right.',
  check_running: ({ seconds }) => `A check is running. Try again in ${seconds} s.`,
  nothing_sealed: 'No day is sealed yet.',
  setting_changed: 'Another operator has just changed this setting. Read it again first.',
  setting_not_waiting: 'This change does not wait any more.',
  broadcast_over: 'This notice is shown already, over, or was stopped. Make another.',
  system_token_parted: 'The installation’s token is linked to no phone. Link it first.',
  valid_from_past: 'This begins in the past. Choose now or a time to come.',
  valid_from_taken: 'Something else already begins at that time.',
  push_service_unknown: 'This push service is not known here.',
  push_key_old: 'This subscription uses an old key.',
  push_gone: 'This browser no longer takes notices.',
  push_service_down: 'The push service does not answer.',
  recipients_unreadable: ({ why }) => unreadableLists[why].en,
  campaign_incomplete: ({ missing }) =>
    missing === 'content'
      ? 'There is nothing to send yet. Write the message first.'
      : 'Nobody on the list can be sent to. Check its numbers.',
  campaign_state: 'This has changed meanwhile. Look how it stands now.',
  campaigns_full: ({ limit }) =>
    `The account has ${limit} campaigns that are not over, which is the most. Delete drafts that are not needed.`,
  upload_gone: 'This upload is not there any more.',
  support_empty: 'Write something, or attach a file.',
  support_too_many: 'Too many messages within a short time.',
  support_not_closed: 'This conversation has not been closed.',
  pins_full: ({ limit }) => `At most ${limit} conversations can be pinned.`,
  canned_too_many: 'There are 100 canned replies already.',
  upload_kind_refused: ({ allowed }) => `Files of this kind are not taken here: ${allowed} only.`,
  upload_contradicts: 'The bytes of the file contradict its name or its declared type.',
  upload_unsafe: 'The file is not safe to keep.',
  upload_infected: 'The file is known as malware.',
  upload_too_large: ({ bytesMax }) => `The file is larger than ${inMegabytes(bytesMax)}.`,
  upload_empty: 'The file is empty, or the form has no part `file`.',
  upload_offset_wrong: ({ offset }) => `The upload goes on at byte ${offset}.`,
  upload_length_wrong: ({ length }) => `The upload was begun with a length of ${length} bytes.`,
  upload_used: 'The upload is used already and can no longer be changed.',
  upload_quota_full: ({ bytesMax }) => `Open uploads may hold ${inMegabytes(bytesMax)} together.`,
  storage_full: ({ bytesMax }) =>
    `The files of this account may hold ${inMegabytes(bytesMax)} together.`,
  upload_too_slow: 'The file came too slowly. Check the connection and upload it again.',
  upload_unscanned: ({ seconds }) => `The file cannot be scanned now. Try again in ${seconds} s.`,
};

export function englishFor(no: { code: RefusalCode; facts: unknown }): string {
  const sentence: string | ((facts: never) => string) = sentences[no.code];
  return typeof sentence === 'string' ? sentence : sentence(no.facts as never);
}
