import { type GraphCode, titleOf } from '#contract/dialects.ts';
import { developerSentenceFor } from '#contract/language/indonesian.ts';
import { englishFor } from '#contract/language/english.ts';
import type { Language } from '#contract/language/language.ts';
import { Refusal, refusals } from '#contract/base/refusals.ts';

type Shown = { code: GraphCode; status: number; subcode?: number; header?: string };

/** An input error with a Cloud API code; other dialects treat it as `input_invalid`. */
export class CloudRefusal extends Refusal<'input_invalid'> {
  readonly graphCode: GraphCode;

  constructor(graphCode: GraphCode, fields: Record<string, string>) {
    super('input_invalid', { fields });
    this.graphCode = graphCode;
  }
}

/** Refusals that need a code other than invalid parameter or internal error. */
const shown: Readonly<Record<string, Shown>> = {
  token_missing: { code: 190, status: 401 },
  token_invalid: { code: 190, status: 401 },
  token_expired: { code: 190, status: 401, subcode: 463 },
  scope_missing: { code: 10, status: 403 },
  address_not_allowed: { code: 200, status: 403 },
  key_in_address: { code: 200, status: 403 },
  account_suspended: { code: 131031, status: 403 },
  wallet_frozen: { code: 131031, status: 403 },
  path_unknown: { code: 803, status: 404 },
  not_found: { code: 803, status: 404 },
  method_not_allowed: { code: 803, status: 404 },
  too_many_requests: { code: 130429, status: 429 },
  token_limit_reached: { code: 80007, status: 429 },
  queue_full: { code: 80007, status: 429 },
  saldo_short: { code: 131042, status: 400, header: 'insufficient_balance' },
  bonus_only: { code: 131042, status: 400 },
  recipient_opted_out: { code: 131050, status: 400 },
  recipient_without_number: { code: 131026, status: 400 },
  token_not_linked: { code: 133010, status: 400 },
  quoted_not_found: { code: 131009, status: 400 },
  reaction_refused: { code: 131009, status: 400 },
  input_invalid: { code: 131009, status: 400 },
  media_not_found: { code: 131009, status: 400 },
  media_unfit: { code: 131053, status: 400 },
  media_unreachable: { code: 131052, status: 400 },
  media_refused: { code: 131053, status: 400 },
  upload_kind_refused: { code: 131053, status: 400 },
  upload_contradicts: { code: 131053, status: 400 },
  upload_unsafe: { code: 131053, status: 400 },
  upload_infected: { code: 131053, status: 400 },
  upload_too_large: { code: 131053, status: 400 },
  upload_empty: { code: 131053, status: 400 },
  upload_quota_full: { code: 131053, status: 400 },
  storage_full: { code: 131053, status: 400 },
  template_not_found: { code: 132001, status: 404 },
  template_language_needed: { code: 132001, status: 404 },
  template_not_approved: { code: 132015, status: 400 },
  window_closed: { code: 131047, status: 400 },
  template_variables_unfit: { code: 132000, status: 400 },
  template_value_unfit: { code: 132018, status: 400 },
  template_parts_unfit: { code: 132012, status: 400 },
  request_in_flight: { code: 2, status: 409 },
  our_fault: { code: 131000, status: 500 },
  busy: { code: 131016, status: 503 },
  timed_out: { code: 131016, status: 503 },
  upload_unscanned: { code: 131016, status: 503 },
};

export type GraphError = {
  status: number;
  headers: Record<string, string | number>;
  body: { error: Record<string, unknown> };
};

type Context = { requestId: string; language: Language; now: Date };

/** A refusal in Meta's shape, with our own code in `X-Error-Code` (docs/dialects/cloud-api.md#errors). */
export function graphErrorOf(no: Refusal, { requestId, language, now }: Context): GraphError {
  const { code, status, subcode, header } = shownAs(no);
  const seconds = waitOf(no, now);
  const details = detailsOf(no, language);
  const entry: { status: number; retryable?: true } = refusals[no.code];
  return {
    status,
    headers: {
      'x-error-code': header ?? no.code,
      'x-fb-trace-id': requestId,
      ...(seconds !== undefined && { 'retry-after': seconds }),
      ...(status === 401 && { 'www-authenticate': `OAuth "Facebook Platform" "invalid_token"` }),
    },
    body: {
      error: {
        message: `(#${code}) ${titleOf(code)}`,
        type: code === 803 ? 'GraphMethodException' : 'OAuthException',
        code,
        ...(subcode !== undefined && { error_subcode: subcode }),
        error_data: { messaging_product: 'whatsapp', details },
        is_transient: entry.retryable === true,
        error_user_title: titleOf(code),
        error_user_msg: details,
        fbtrace_id: requestId,
      },
    },
  };
}

function shownAs(no: Refusal): Shown {
  if (no instanceof CloudRefusal) return { code: no.graphCode, status: 400 };
  const { status } = refusals[no.code];
  return shown[no.code] ?? (status >= 500 ? faulty : { code: 100, status: Math.min(status, 499) });
}

const faulty: Shown = { code: 131000, status: 500 };

function detailsOf(no: Refusal, language: Language): string {
  if (no.code === 'input_invalid') {
    const { fields } = (no as Refusal<'input_invalid'>).facts;
    return Object.entries(fields)
      .map(([field, sentence]) => `${field}: ${sentence}`)
      .join(' ');
  }
  return language === 'en' ? englishFor(no) : developerSentenceFor(no);
}

const DAY_S = 86_400;
const WIB_S = 7 * 3600;

/** The seconds to wait: those of the refusal, or until a daily limit resets in WIB. */
function waitOf({ code, facts }: Refusal, now: Date): number | undefined {
  if ('seconds' in facts) return Math.max(1, facts.seconds);
  if (code !== 'token_limit_reached') return undefined;
  return DAY_S - ((Math.floor(now.getTime() / 1000) + WIB_S) % DAY_S);
}
