export type Answer = { status: number; body: unknown; headers?: Record<string, string> };

type Known = {
  status: number;
  message: string;
  type?: string;
  subcode?: number;
  isTransient?: boolean;
};

const known: Record<number, Known> = {
  2: { status: 500, message: 'Service temporarily unavailable', isTransient: true },
  4: {
    status: 429,
    message: 'Application request limit reached',
    subcode: 2_446_079,
    isTransient: true,
  },
  10: { status: 403, message: 'Application does not have permission for this action' },
  100: { status: 400, message: 'Invalid parameter' },
  190: { status: 401, message: 'Invalid OAuth access token - Cannot parse access token' },
  200: { status: 403, message: 'Permissions error' },
  368: { status: 403, message: 'Temporarily blocked for policies violations' },
  80_007: { status: 429, message: 'Rate limit issues' },
  130_429: { status: 429, message: 'Rate limit hit' },
  130_472: { status: 400, message: "User's number is part of an experiment" },
  131_000: { status: 500, message: 'Something went wrong' },
  131_008: { status: 400, message: 'Required parameter is missing' },
  131_009: { status: 400, message: 'Parameter value is not valid' },
  131_016: { status: 503, message: 'Service unavailable' },
  131_021: { status: 400, message: 'Recipient cannot be sender' },
  131_026: { status: 400, message: 'Message undeliverable' },
  131_031: { status: 403, message: 'Business Account locked' },
  130_497: {
    status: 403,
    message: 'Business account is restricted from messaging users in this country',
  },
  131_037: { status: 400, message: 'Display name not approved' },
  131_042: { status: 400, message: 'Business eligibility payment issue' },
  131_047: { status: 400, message: 'Re-engagement message' },
  131_048: { status: 400, message: 'Spam rate limit hit' },
  131_049: {
    status: 400,
    message: 'This message was not delivered to maintain healthy ecosystem engagement.',
  },
  131_050: { status: 400, message: 'User has stopped marketing messages' },
  131_051: { status: 400, message: 'Message type unknown' },
  131_052: { status: 400, message: 'Media download error' },
  131_053: { status: 400, message: 'Media upload error' },
  131_056: { status: 400, message: 'Business Account, Consumer Account pair rate limit hit' },
  132_000: {
    status: 400,
    message: 'Number of parameters does not match the expected number of params',
  },
  132_001: { status: 404, message: 'Template name does not exist in the translation' },
  132_012: {
    status: 400,
    message: 'Parameter format does not match format in the created template',
  },
  132_018: { status: 400, message: "There's an issue with the parameters in your template" },
  132_015: { status: 400, message: 'Template is paused' },
  132_016: { status: 400, message: 'Template is disabled' },
  133_005: { status: 400, message: 'Two-step verification PIN mismatch' },
  133_010: { status: 400, message: 'Phone number not registered' },
};

type Facts = {
  details?: string;
  subcode?: number | undefined;
  type?: string;
  message?: string;
  status?: number | undefined;
  retryAfterSeconds?: number | undefined;
};

/** A refusal with a code of Meta's table. Endpoints throw it, the server answers it. */
export class GraphError extends Error {
  readonly code: number;
  readonly facts: Facts;

  constructor(code: number, facts: Facts = {}) {
    super(`(#${code})`);
    this.name = 'GraphError';
    this.code = code;
    this.facts = facts;
  }

  /** @param traceId identifies the answer at Meta, also in a header. */
  answer(traceId: string): Answer {
    const { code, facts } = this;
    const base: Known = known[code] ?? { status: 400, message: 'Unknown error' };
    const subcode = facts.subcode ?? base.subcode;
    const words = facts.message ?? base.message;
    const { retryAfterSeconds, details } = facts;
    return {
      status: facts.status ?? base.status,
      headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
      body: {
        error: {
          message: code === 190 || code === 2 || facts.type ? words : `(#${code}) ${words}`,
          type: facts.type ?? 'OAuthException',
          code,
          ...(subcode !== undefined && { error_subcode: subcode }),
          ...(details !== undefined && {
            error_data: { messaging_product: 'whatsapp', details },
          }),
          ...(base.isTransient && { is_transient: true }),
          fbtrace_id: traceId,
        },
      },
    };
  }
}

/** An error in a webhook: in `statuses[].errors`, or with an unsupported message. */
export function errorInWebhook(code: number, details?: string) {
  const title = known[code]?.message ?? 'Unknown error';
  return {
    code,
    title,
    message: title,
    error_data: { details: details ?? title },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  };
}

/** An id that does not exist or is not accessible with this token: Meta answers both alike. */
export const unknownObject = (id: string, method: string) =>
  new GraphError(100, {
    subcode: 33,
    type: 'GraphMethodException',
    message:
      `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be ` +
      'loaded due to missing permissions, or does not support this operation.',
  });
