import type { KeptAct } from '#server/infra/acts/act.ts';
import type { PushDeps } from './deps.ts';
import { configuringPush, registeringPush, unregisteringPush } from './subscriptions/register.ts';
import { renewingPush } from './subscriptions/renew.ts';
import { tryingPush } from './delivery/try.ts';

export { pushHolding } from './account-data.ts';
export { type Received, queueNotices, sweepPush } from './delivery/queue.ts';
export { type PushSender, startPushSender } from './delivery/sender.ts';
export type { PushDeps } from './deps.ts';

/** The acts of this domain: which browsers get notices. */
export const pushActs = (deps: PushDeps): readonly KeptAct[] => [
  configuringPush(deps),
  registeringPush(deps),
  renewingPush(deps),
  unregisteringPush(deps),
  tryingPush(deps),
];
