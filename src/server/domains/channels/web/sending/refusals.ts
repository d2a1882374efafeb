import type { Failure } from '#contract/messages.ts';

/** The network lets this number begin no new chats now; a retry gains nothing. */
const RESTRICTED = new Set([463, 479]);

export const isRestriction = (code: number | undefined): boolean =>
  code !== undefined && RESTRICTED.has(code);

/** Our failure for a code of the network. */
export const failureOf = (code: number | undefined): Failure =>
  isRestriction(code) ? 'number_restricted' : 'rejected';
