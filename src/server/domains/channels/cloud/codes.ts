import { backoff } from '#server/infra/backoff.ts';
import type { Failure } from '#contract/messages.ts';
import type { Parting, Pause, Restriction } from '#contract/channels.ts';

/**
 * Meaning of a Cloud API error for a message and for its number.
 *
 * `fail`: a definite refusal; its price is released, unless the network had accepted the message. `later`: nothing was
 * sent, and it is tried again after `afterMs`. `part`: the number cannot send until its owner acts at Meta; `verify`:
 * the check of the number tells whether its access token is at fault; `pause`: the number pauses. In these three cases
 * nothing was sent, and the message waits. `rest`: the same for all messages with its template, or to its country.
 * `restrict`: a restriction of the number in addition.
 */
export type CodeMeaning = { failure: Failure; restrict?: Restriction } & (
  | { does: 'fail' }
  | { does: 'later'; afterMs: number }
  | { does: 'part'; parting: Parting }
  | { does: 'verify' }
  | { does: 'pause'; pause: Pause }
  | { does: 'rest' }
);

const fail = (failure: Failure, restrict?: Restriction): CodeMeaning => ({
  does: 'fail',
  failure,
  ...(restrict && { restrict }),
});
const later = (afterMs: number, failure: Failure, restrict?: Restriction): CodeMeaning => ({
  does: 'later',
  afterMs,
  failure,
  ...(restrict && { restrict }),
});
const verify: CodeMeaning = { does: 'verify', failure: 'network_access' };
const part = (parting: Parting): CodeMeaning => ({
  does: 'part',
  failure: 'network_access',
  parting,
});
const unregistered = part('unregistered');
const pause = (reason: Pause, failure: Failure, restrict?: Restriction): CodeMeaning => ({
  does: 'pause',
  failure,
  pause: reason,
  ...(restrict && { restrict }),
});
const rest: CodeMeaning = { does: 'rest', failure: 'template_refused' };

/** Meta reports that it is busy or broken: nothing was sent, so a retry is safe. */
const broken = later(10_000, 'no_answer');
const tooFast = later(2_000, 'rate_limited');
/** Too many messages from one number to another: one in 6 seconds, beyond a short burst. */
const pairTooFast = later(6_000, 'rate_limited');
/** Too many were marked as spam: hours, not seconds. */
const spam = pause('restricted', 'number_restricted', 'quality');
const blocked = pause('restricted', 'number_restricted', 'blocked');

/** Meta's codes (docs/channels.md#cloud-codes); `meaningOf` judges all others. */
export const meanings: Readonly<Record<number, CodeMeaning>> = {
  0: verify,
  1: broken,
  2: broken,
  3: verify,
  4: tooFast,
  10: verify,
  33: fail('rejected'),
  100: fail('rejected'),
  190: verify,
  368: blocked,
  80007: tooFast,
  130429: tooFast,
  130472: fail('network_declined'),
  130497: { does: 'rest', failure: 'number_restricted' },
  131000: broken,
  131005: verify,
  131008: fail('rejected'),
  131009: fail('rejected'),
  131016: broken,
  131021: fail('rejected'),
  131026: fail('not_on_whatsapp'),
  131030: fail('rejected'),
  131031: blocked,
  131042: pause('billing', 'network_billing'),
  131037: part('display_name'),
  131045: unregistered,
  131047: fail('window_closed'),
  131048: spam,
  131049: fail('network_declined'),
  131050: fail('opted_out'),
  131051: fail('rejected'),
  131052: fail('media_unreachable'),
  131053: fail('media_refused'),
  131056: pairTooFast,
  131057: later(60_000, 'no_answer'),
  132000: fail('template_refused'),
  132001: fail('template_refused'),
  132005: fail('template_refused'),
  132007: fail('template_refused'),
  132012: fail('template_refused'),
  132015: rest,
  132016: rest,
  132068: fail('template_refused'),
  132069: fail('template_refused'),
  133000: unregistered,
  133004: later(60_000, 'no_answer'),
  133005: unregistered,
  133006: unregistered,
  133008: unregistered,
  133009: unregistered,
  133010: unregistered,
  133015: unregistered,
  133016: unregistered,
  135000: fail('unexplained'),
};

export type GraphError = {
  code: number;
  subcode?: number | undefined;
  isTransient?: boolean | undefined;
};

/** Subcode of 100: the number does not exist, or the token may not see it. */
const NUMBER_GONE = 33;

/** Meaning of an error by its code alone; undefined for an unknown code. */
export function knownMeaning({
  code,
  subcode,
}: Pick<GraphError, 'code' | 'subcode'>): CodeMeaning | undefined {
  if (code === 100 && subcode === NUMBER_GONE) return verify;
  const known = meanings[code];
  if (known) return known;
  if (code >= 200 && code <= 299) return verify;
  return code >= 132000 && code < 133000 ? fail('template_refused') : undefined;
}

/** Meaning of an error. @param status HTTP status of the answer; 0 for an error in a callback */
export function meaningOf({ code, subcode, isTransient }: GraphError, status: number): CodeMeaning {
  const known = knownMeaning({ code, subcode });
  if (known) return known;
  if (status === 429) return tooFast;
  if (isTransient === true || status >= 500) return broken;
  return fail('unexplained');
}

/** Whether a code that refuses the check of a number means that its access is at fault. */
export const isAccess = (code: number): boolean =>
  ['verify', 'part'].includes(meaningOf({ code }, 400).does);

const LATER_MS_MAX = 30 * 60_000;

/** Delay before a message's next try: doubled each time, or longer if Meta asks for that. */
export function laterMs(afterMs: number, attempt: number, retryAfterMs = 0): number {
  const doubled = backoff(attempt, { first: afterMs, max: LATER_MS_MAX });
  return Math.min(LATER_MS_MAX, Math.max(doubled, retryAfterMs));
}
