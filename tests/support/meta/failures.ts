import { GraphError } from './errors.ts';

export type Failure =
  /** Refused, with a code of Meta's table; nothing is accepted. */
  | {
      kind: 'error';
      code: number;
      status?: number;
      subcode?: number;
      retryAfterSeconds?: number;
    }
  /** Accepted; a webhook later reports the failure. */
  | { kind: 'status'; code: number }
  | { kind: 'hang'; isAccepted: boolean }
  | { kind: 'reset'; isAccepted: boolean }
  | { kind: 'slow'; delayMs: number }
  /** 200 and accepted, but the answer is truncated: not JSON. */
  | { kind: 'cut' }
  /** 200 from a proxy in between, without a message; nothing is accepted. */
  | { kind: 'blank' }
  /** 502 and a page of HTML from a proxy in between; nothing is accepted. */
  | { kind: 'html' };

/**
 * The numbers that always fail: what they end with, and how. Where a code has six digits, it is the code.
 *
 * | number ends with | what happens |
 * |---|---|
 * | 900002 | 500, code 2, transient |
 * | 900004 | 429, code 4, without `Retry-After` |
 * | 901004 | 429, code 4, `Retry-After: 1` |
 * | 080007 | 429, code 80007, without `Retry-After` |
 * | 130429 | 429, code 130429, without `Retry-After` |
 * | 901429 | 429, code 130429, `Retry-After: 1` |
 * | 131056 | 400, code 131056: too fast for this pair |
 * | 131048 | 400, code 131048: spam limit |
 * | 131042 | 400, code 131042: payment problem |
 * | 131031 | 403, code 131031: account locked |
 * | 130497 | 403, code 130497: the receiver's country is closed |
 * | 900368 | 403, code 368: blocked for policy |
 * | 900190 | 401, code 190, subcode 463: token expired |
 * | 900010 | 403, code 10: no permission |
 * | 900200 | 403, code 200: no permission |
 * | 131016 | 503, code 131016: unavailable |
 * | 133010 | 400, code 133010: number not registered |
 * | 131026 | accepted, then `failed` 131026: undeliverable |
 * | 130472 | accepted, then `failed` 130472: experiment |
 * | 131049 | accepted, then `failed` 131049: Meta chose not to deliver |
 * | 131050 | accepted, then `failed` 131050: stopped marketing |
 * | 131053 | accepted, then `failed` 131053: media upload error |
 * | 131000 | accepted, then `failed` 131000: something went wrong |
 * | 990001 | no answer; nothing accepted |
 * | 990002 | connection reset; nothing accepted |
 * | 990003 | accepted, then connection reset: outcome unknown to the sender |
 * | 990004 | accepted; the answer comes after `slowMs` (option, 1 s) |
 * | 990005 | accepted; 200 with an answer that is not JSON |
 * | 990006 | 502 with a page of HTML; nothing accepted |
 * | 990007 | accepted, then no answer |
 */
const bySuffix: Readonly<Record<string, Failure>> = {
  '900002': { kind: 'error', code: 2 },
  '900004': { kind: 'error', code: 4 },
  '901004': { kind: 'error', code: 4, retryAfterSeconds: 1 },
  '080007': { kind: 'error', code: 80_007 },
  '130429': { kind: 'error', code: 130_429 },
  '901429': { kind: 'error', code: 130_429, retryAfterSeconds: 1 },
  '131056': { kind: 'error', code: 131_056 },
  '131048': { kind: 'error', code: 131_048 },
  '131042': { kind: 'error', code: 131_042 },
  '131031': { kind: 'error', code: 131_031 },
  '130497': { kind: 'error', code: 130_497 },
  '900368': { kind: 'error', code: 368 },
  '900190': { kind: 'error', code: 190, subcode: 463 },
  '900010': { kind: 'error', code: 10 },
  '900200': { kind: 'error', code: 200 },
  '131016': { kind: 'error', code: 131_016 },
  '133010': { kind: 'error', code: 133_010 },
  '131026': { kind: 'status', code: 131_026 },
  '130472': { kind: 'status', code: 130_472 },
  '131049': { kind: 'status', code: 131_049 },
  '131050': { kind: 'status', code: 131_050 },
  '131053': { kind: 'status', code: 131_053 },
  '131000': { kind: 'status', code: 131_000 },
  '990001': { kind: 'hang', isAccepted: false },
  '990002': { kind: 'reset', isAccepted: false },
  '990003': { kind: 'reset', isAccepted: true },
  '990005': { kind: 'cut' },
  '990006': { kind: 'html' },
  '990007': { kind: 'hang', isAccepted: true },
};

export const failingSuffixes: readonly string[] = [...Object.keys(bySuffix), '990004'];

/** Codes that Meta mostly reports in a status instead of the answer. */
const statusCodes = new Set([130_472, 131_000, 131_026, 131_047, 131_049, 131_050, 131_053]);

/** A failure, or a code, reported as Meta mostly does: in the answer or in a status. */
export type FailureSpec = Failure | number;

export type FailureBook = {
  /** The next `times` requests whose path matches; messages by default. */
  failNext(spec: FailureSpec, times?: number, path?: RegExp): void;
  /** Every request whose path matches, all by default; `undefined` ends it. */
  failAlways(spec: FailureSpec | undefined, path?: RegExp): void;
  /** Every message to a number; `undefined` ends it, also for a fixed number. */
  failFor(phone: string, spec: FailureSpec | undefined): void;
  /** The failure of a request. It uses up one of `failNext`. */
  take(path: string, to: string | undefined): Failure | undefined;
};

const failureOf = (spec: FailureSpec): Failure => {
  if (typeof spec !== 'number') return spec;
  if (statusCodes.has(spec)) return { kind: 'status', code: spec };
  return { kind: 'error', code: spec, ...(spec === 190 && { subcode: 463 }) };
};

const MESSAGES = /\/messages$/;

/** Decides which requests fail: by control first, then by recipient. */
export function openFailures(slowMs: number): FailureBook {
  const next: { failure: Failure; path: RegExp }[] = [];
  const phones = new Map<string, Failure | undefined>();
  let always: { failure: Failure; path: RegExp } | undefined;
  const ofNumber = (to: string): Failure | undefined => {
    if (phones.has(to)) return phones.get(to);
    const suffix = to.slice(-6);
    return suffix === '990004' ? { kind: 'slow', delayMs: slowMs } : bySuffix[suffix];
  };
  return {
    failNext: (spec, times = 1, path = MESSAGES) => {
      for (let time = 0; time < times; time++) next.push({ failure: failureOf(spec), path });
    },
    failAlways: (spec, path = /./) => {
      always = spec === undefined ? undefined : { failure: failureOf(spec), path };
    },
    failFor: (phone, spec) => {
      const digits = phone.replaceAll(/\D/g, '');
      phones.set(digits, spec === undefined ? undefined : failureOf(spec));
    },
    take: (path, to) => {
      const at = next.findIndex((one) => one.path.test(path));
      if (at >= 0) return next.splice(at, 1)[0]?.failure;
      if (always?.path.test(path)) return always.failure;
      return to === undefined ? undefined : ofNumber(to);
    },
  };
}

export const refusalOf = (failure: Failure & { kind: 'error' }): GraphError =>
  new GraphError(failure.code, {
    ...(failure.subcode === 463 && {
      message: 'Error validating access token: Session has expired.',
    }),
    subcode: failure.subcode,
    status: failure.status,
    retryAfterSeconds: failure.retryAfterSeconds,
  });
