import type { ActHandler } from '#server/infra/acts.ts';
import type { WebhookCalls } from './api.ts';
import { type WebhookWorker, startWebhookWorker } from './delivery.ts';
import type { WebhookDeps } from './deps.ts';
import { readFeed, getDelivery, listDeliveries, replayDelivery, replayPeriod } from './history.ts';
import {
  webhookActs,
  readWebhook,
  removeWebhook,
  rotateSecret,
  saveWebhook,
  setWebhookOn,
  testWebhook,
} from './manage.ts';

export { webhooksAccountData } from './account-data.ts';
export type { TokenRef, WebhookCalls } from './api.ts';
export type { WebhookWorker } from './delivery.ts';
export type { WebhookDeps } from './deps.ts';
export { countWebhooks, webhookLagSeconds } from './figures.ts';
export { forgetWebhook, unconfirmed, webhookTroubles } from './manage.ts';
export { sealedWebhooks } from './signature.ts';
export { pruneDeliveries } from './upkeep.ts';

/** Customers' webhooks, and the feed of the same events. */
export type Webhooks = {
  acts: readonly ActHandler[];
  calls: WebhookCalls;
  /** Starts to take events and to send them. */
  start: () => WebhookWorker;
  /** Calls a listener when something was changed that may have to be sent now. */
  onWork: (listener: () => void) => void;
};

export function openWebhooks(deps: WebhookDeps): Webhooks {
  const listeners: (() => void)[] = [];
  /** Wakes who sends, once it is done. */
  const waking = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    for (const listener of listeners) listener();
    return done;
  };
  const calls: WebhookCalls = {
    read: (token) => readWebhook(deps, token),
    save: (token, fields) => waking(saveWebhook(deps, token, fields)),
    setOn: (token, on) => waking(setWebhookOn(deps, token, on)),
    rotateSecret: (token) => rotateSecret(deps, token),
    remove: (token) => waking(removeWebhook(deps, token)),
    test: (token) => waking(testWebhook(deps, token)),
    list: (token, query) => listDeliveries(deps, token, query),
    get: (token, deliveryId) => getDelivery(deps, token, deliveryId),
    replay: (token, deliveryId) => waking(replayDelivery(deps, token, deliveryId)),
    replayPeriod: (token, period) => waking(replayPeriod(deps, token, period)),
    readFeed: (token, query) => readFeed(deps, token, query),
  };
  return {
    acts: webhookActs(calls),
    calls,
    start: () => startWebhookWorker(deps),
    onWork: (listener) => void listeners.push(listener),
  };
}
