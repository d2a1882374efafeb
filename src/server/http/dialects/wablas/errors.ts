import { type FactsOf, type Refusal, type RefusalCode, refusals } from '#contract/base/refusals.ts';

/** Why a call is refused, in the dialect's own words; the true reason stands in `X-Kabari-Error`. */
const TOKEN = 'token invalid';
const QUOTA = 'insufficient quota';
const TOO_LARGE = 'file size is too large';
const FORMAT = 'file format is not supported';
const URL_INVALID = 'url file invalid';

const byCode: Partial<Record<RefusalCode, string>> = {
  token_missing: TOKEN,
  token_invalid: TOKEN,
  account_suspended: TOKEN,
  token_not_linked: 'device disconnected, need to scan qr code again',
  saldo_short: QUOTA,
  bonus_only: QUOTA,
  wallet_frozen: QUOTA,
  token_limit_reached: QUOTA,
  queue_full: QUOTA,
  recipient_opted_out: 'phone is on blacklist',
  recipient_without_number: 'format phone invalid',
  request_malformed: 'payload invalid',
  body_too_large: TOO_LARGE,
  upload_too_large: TOO_LARGE,
  upload_empty: 'file invalid',
  upload_kind_refused: FORMAT,
  upload_contradicts: FORMAT,
  upload_unsafe: FORMAT,
  upload_infected: FORMAT,
  media_unfit: FORMAT,
  storage_full: QUOTA,
  not_found: 'Id Invalid or message is not pending anymore',
  message_final: 'Id Invalid or message is not pending anymore',
  message_in_flight: 'Id Invalid or message is not pending anymore',
};

/** By the field that is wrong, where that has words of its own; the others are named. */
const byField: Readonly<Record<string, string>> = {
  to: 'format phone invalid',
  phone: 'phone is required',
  isGroup: 'group is not supported',
  scheduled_at: 'schedule time invalid',
};

/** The dialect's words for a refusal. */
export function messageOf(no: Refusal): string {
  if (no.code === 'input_invalid') {
    const [field = 'payload'] = Object.keys((no.facts as FactsOf<'input_invalid'>).fields);
    if (Object.hasOwn(byField, field)) return byField[field] ?? '';
    return field.endsWith('.link') ? URL_INVALID : `${wordOf(field)} invalid`;
  }
  const { status } = refusals[no.code];
  return byCode[no.code] ?? (status === 401 || status === 403 ? TOKEN : 'request invalid');
}

/** The name by which the dialect's clients know a field of ours; names of strangers are not repeated. */
function wordOf(field: string): string {
  if (field === 'text.body') return 'message';
  return /^[a-z_]{1,20}$/.test(field) ? field : 'payload';
}

/**
 * The HTTP status of a refusal: 200, as the dialect answers every "no"; our own trouble and a caller who is too fast
 * keep theirs.
 */
export function statusOf(no: Refusal): number {
  const { status } = refusals[no.code];
  return status >= 500 || no.code === 'too_many_requests' ? status : 200;
}
