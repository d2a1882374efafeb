import { events } from '#contract/events.ts';
import { type ActHandler, handleStream } from '#server/infra/acts.ts';
import type { LiveHub } from './live.ts';

export {
  eraseEventsAbout,
  eraseEventsOf,
  eventsAccountData,
  hasUnpublished,
  newestPositions,
  positionOf,
  pruneEvents,
  skipPositions,
} from './erase.ts';
export { type LiveHub, openLive } from './live.ts';
export { appendEvent, checkOutbox, countSetAside, outboxLagSeconds } from './outbox.ts';
export { type Relay, startRelay } from './relay.ts';

/** The act of this domain: an account's events, as they come. */
export const eventsActs = (hub: LiveHub): readonly ActHandler[] => [
  handleStream(
    events,
    ({ caller: { accountId } }, { since }) =>
      (sink) =>
        hub.follow({ accountId, since, sink }),
  ),
];
