import type { ActHandler } from '#server/infra/acts/act.ts';
import type { PushDeps } from './deps.ts';
import {
  pushConfigHandler,
  registerPushHandler,
  unregisterPushHandler,
} from './subscriptions/register.ts';
import { renewPushHandler } from './subscriptions/renew.ts';
import { testPushHandler } from './delivery/try.ts';

export { pushAccountData } from './account-data.ts';
export {
  type Received,
  forgetNotices,
  queueNotice,
  queueNotices,
  sweepPush,
} from './delivery/queue.ts';
export { type PushSender, startPushSender } from './delivery/sender.ts';
export type { PushDeps } from './deps.ts';
export { readVapid } from './vapid.ts';
export { sealedSubscriptions } from './subscriptions/subscriptions.ts';

/** The acts of this domain: which browsers get notices. */
export const pushActs = (deps: PushDeps): readonly ActHandler[] => [
  pushConfigHandler(deps),
  registerPushHandler(deps),
  renewPushHandler(deps),
  unregisterPushHandler(deps),
  testPushHandler(deps),
];
