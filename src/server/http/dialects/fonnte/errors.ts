import { type FactsOf, type Refusal, type RefusalCode, refusals } from '#contract/base/refusals.ts';

/**
 * Why a call is refused, in the dialect's own words: its clients compare them. What the dialect has no word for gets
 * the nearest one; the true reason stands in `X-Kabari-Error`, and among the token's rejected calls.
 */
const reasons = {
  token: 'token invalid',
  input: 'input invalid',
  link: 'url invalid',
  unreachable: 'url unreachable',
  format: 'file format not supported',
  size: 'file size must under 4MB',
  target: 'target invalid',
  json: 'JSON format invalid',
  quota: 'insufficient quota',
  disconnected: 'request invalid on disconnected device',
  id: 'id required',
  connected: 'device already connect',
  parted: 'device already disconnected',
  code: 'type code is not supported, use qr',
} as const;

const byCode: Partial<Record<RefusalCode, string>> = {
  token_missing: reasons.token,
  token_invalid: reasons.token,
  account_suspended: reasons.token,
  token_not_linked: reasons.disconnected,
  token_linked: reasons.connected,
  saldo_short: reasons.quota,
  bonus_only: reasons.quota,
  wallet_frozen: reasons.quota,
  token_limit_reached: reasons.quota,
  queue_full: reasons.quota,
  recipient_opted_out: reasons.target,
  recipient_without_number: reasons.target,
  request_malformed: reasons.json,
  body_too_large: reasons.size,
  media_type_unsupported: reasons.format,
  upload_too_large: reasons.size,
  upload_kind_refused: reasons.format,
  upload_contradicts: reasons.format,
  upload_unsafe: reasons.format,
  upload_infected: reasons.format,
  media_unfit: reasons.format,
  storage_full: reasons.quota,
};

/**
 * The dialect's words for a refusal.
 *
 * @param path where it was asked: the same is called otherwise by `/disconnect`.
 */
export function reasonOf(no: Refusal, path = ''): string {
  if (isDisconnect(path) && no.code === 'token_not_linked') return reasons.parted;
  if (no.code === 'input_invalid') {
    const [field = ''] = Object.keys((no.facts as FactsOf<'input_invalid'>).fields);
    if (field === 'id') return reasons.id;
    if (field === 'type') return reasons.code;
    if (field === 'to' || field.startsWith('target')) return reasons.target;
    return field.endsWith('.link') || field === 'url' ? reasons.link : reasons.input;
  }
  const known = byCode[no.code];
  if (known !== undefined) return known;
  return refusals[no.code].status === 401 || refusals[no.code].status === 403
    ? reasons.token
    : reasons.input;
}

/** Whether a call was to part the phone: its answers say `detail`, not `reason`. */
export const isDisconnect = (path: string): boolean => /^\/disconnect\/?$/.test(path);

/**
 * The HTTP status of a refusal: 200, as the dialect answers every "no"; our own trouble and a caller who is too fast
 * keep theirs, so that whoever stands between sees it.
 */
export function statusOf(no: Refusal): number {
  const { status } = refusals[no.code];
  return status >= 500 || no.code === 'too_many_requests' ? status : 200;
}
