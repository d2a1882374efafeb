import { sentenceFor } from '#contract/language/indonesian.ts';
import { commonRefusals, type Act, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { type FactsOf, Refusal, type RefusalCode, refusals } from '#contract/base/refusals.ts';
import { isTransient } from '#server/infra/postgres/database.ts';
import { isDiskFull } from '#server/infra/observability/disk.ts';

/** An answer: a status, a JSON body ready to send, and the seconds to wait before a retry. */
export type Answer = {
  status: number;
  body: string;
  retryAfter?: number;
  /** The refusal's code; undefined for a yes. */
  refused?: RefusalCode;
};

/** One thing, as its act's schema reads it. @throws ZodError when it has another shape: our bug. */
export function okResponse(act: Act, result: unknown): Answer {
  if (act.list === undefined) {
    return yes({ data: act.output.parse(result) });
  }
  const { rows, total, searched } = result as PageOf<unknown>;
  const data = rows.map((row) => act.output.parse(row));
  switch (act.list) {
    case 'default':
      return yes({ result: { data, total_page: Math.ceil(total / PAGE_SIZE), searched } });
    case 'arrow':
      return yes({ result: { data, total } });
    case 'manual':
      return yes({ data, count: data.length });
  }
}

const yes = (content: object): Answer => ({
  status: 200,
  body: JSON.stringify({ code: 1, msg: 'Berhasil.', ...content }),
});

/**
 * A refusal in the portal's envelope. A promised one keeps its code and facts; anything else thrown
 * is our bug: reported, and answered with nothing but the request's id.
 */
export function refused(
  error: unknown,
  {
    requestId,
    promised,
    report,
  }: {
    requestId: string;
    promised: readonly RefusalCode[];
    report: (bug: unknown) => void;
  },
): Answer {
  if (
    error instanceof Refusal &&
    (promised.includes(error.code) || commonRefusals.includes(error.code))
  ) {
    return errorResponse(error);
  }
  report(error);
  return errorResponse(troubleBehind(error) ?? new Refusal('our_fault', { request: requestId }));
}

const BUSY_SECONDS = 2;

/**
 * What to say when the database cannot serve just now: it restarts, its disk is full, it takes too
 * long. Nothing was accepted that is not stored; trying again is right. `undefined` for other errors.
 */
export function troubleBehind(error: unknown): Refusal | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === '57014') return new Refusal('timed_out', {});
  const short = code.startsWith('53') || isDiskFull(error);
  return short || isTransient(error) ? new Refusal('busy', { seconds: BUSY_SECONDS }) : undefined;
}

/** A Fastify error in our own words; what is not the caller's doing is our fault. */
export function asRefusal(error: unknown, requestId: string): Refusal {
  if (error instanceof Refusal) return error;
  const status =
    error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
      ? error.statusCode
      : 500;
  if (status === 413) return new Refusal('body_too_large', {});
  if (status === 415) return new Refusal('media_type_unsupported', {});
  if (status >= 400 && status < 500) {
    return new Refusal('request_malformed', { why: 'bentuknya tidak dikenali' });
  }
  return troubleBehind(error) ?? new Refusal('our_fault', { request: requestId });
}

/** The response to a refused call. */
export function errorResponse(refusal: Refusal): Answer {
  const { code, facts } = refusal;
  const seconds = waitOf(facts);
  const fields = code === 'input_invalid' ? (facts as FactsOf<'input_invalid'>).fields : undefined;
  return {
    status: refusals[code].status,
    body: JSON.stringify({
      code: 0,
      msg: sentenceFor(refusal),
      error: {
        type: code,
        facts,
        ...(fields && { fields }),
        ...('retryable' in refusals[code] && { retryable: true }),
      },
    }),
    ...(seconds !== undefined && { retryAfter: seconds }),
    refused: code,
  };
}

const waitOf = (facts: object): number | undefined =>
  'seconds' in facts && typeof facts.seconds === 'number' ? Math.max(1, facts.seconds) : undefined;
