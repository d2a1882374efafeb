import type { ActHandler } from '#server/infra/acts.ts';
import type { PushDeps } from './deps.ts';
import {
  pushConfigHandler,
  registerPushHandler,
  unregisterPushHandler,
  renewPushHandler,
} from './subscriptions.ts';
import { testPushHandler } from './delivery.ts';

export { pushAccountData } from './account-data.ts';
export {
  type Received,
  forgetNotices,
  queueNotice,
  queueNotices,
  sweepPush,
  type PushSender,
  startPushSender,
} from './delivery.ts';
export type { PushDeps } from './deps.ts';
export { readVapid } from './vapid.ts';
export { sealedSubscriptions } from './subscriptions.ts';

/** The acts of this domain: which browsers get notices. */
export const pushActs = (deps: PushDeps): readonly ActHandler[] => [
  pushConfigHandler(deps),
  registerPushHandler(deps),
  renewPushHandler(deps),
  unregisterPushHandler(deps),
  testPushHandler(deps),
];
