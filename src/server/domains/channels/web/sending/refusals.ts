import type { Failure } from '#contract/messages.ts';

/** The network lets this number begin no new chats now; nothing is gained by trying again. */
const RESTRICTED = new Set([463, 479]);

/** Whether a code of the network means that the number is restricted. */
export const isRestriction = (code: number | undefined): boolean =>
  code !== undefined && RESTRICTED.has(code);

/** What a code of the network is called with us. */
export const failureOf = (code: number | undefined): Failure =>
  isRestriction(code) ? 'number_restricted' : 'rejected';
