import type { KeptAct } from '#server/platform/act.ts';
import type { PushDeps } from './deps.ts';
import { configuringPush, registeringPush, unregisteringPush } from './register.ts';
import { renewingPush } from './renew.ts';
import { tryingPush } from './try.ts';

export { pushHolding } from './holding.ts';
export { type Received, queueNotices, sweepPush } from './queue.ts';
export { type PushSender, startPushSender } from './sender.ts';
export type { PushDeps } from './deps.ts';

/** The acts of this domain: which browsers get notices. */
export const pushActs = (deps: PushDeps): readonly KeptAct[] => [
  configuringPush(deps),
  registeringPush(deps),
  renewingPush(deps),
  unregisteringPush(deps),
  tryingPush(deps),
];
