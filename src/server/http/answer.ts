import { sentenceFor } from '#contract/language/indonesian.ts';
import { commonRefusals, type Act, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { type FactsOf, Refusal, type RefusalCode, refusals } from '#contract/base/refusals.ts';
import { isTransient } from '#server/infra/postgres/database.ts';
import { isDiskFull } from '#server/infra/observability/disk.ts';

/** A response: a status, a serialised JSON body, and the seconds to wait before a retry. */
export type Answer = {
  status: number;
  body: string;
  retryAfter?: number;
  /** The refusal's code; undefined for a success. */
  refusalCode?: RefusalCode;
};

/** @throws ZodError when the result violates its act's schema, which is a bug. */
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
 * A refusal in the portal's envelope. A declared one keeps its code and facts; any other error is a bug: reported,
 * and answered with only the request's id.
 */
export function refusalResponse(
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
  return errorResponse(databaseRefusal(error) ?? new Refusal('our_fault', { request: requestId }));
}

const BUSY_SECONDS = 2;

/**
 * The refusal for a database that cannot serve now, because it restarts, its disk is full, or it is too slow.
 * Nothing unstored was accepted, so a retry is safe. `undefined` for other errors.
 */
export function databaseRefusal(error: unknown): Refusal | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === '57014') return new Refusal('timed_out', {});
  const short = code.startsWith('53') || isDiskFull(error);
  return short || isTransient(error) ? new Refusal('busy', { seconds: BUSY_SECONDS }) : undefined;
}

/** A Fastify error as a refusal; what the caller did not cause is an internal error. */
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
  return databaseRefusal(error) ?? new Refusal('our_fault', { request: requestId });
}

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
    refusalCode: code,
  };
}

const waitOf = (facts: object): number | undefined =>
  'seconds' in facts && typeof facts.seconds === 'number' ? Math.max(1, facts.seconds) : undefined;
