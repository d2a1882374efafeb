import type { LiveEvent, LiveKind } from '#contract/events.ts';
import type { EventOf } from '#web/live/patches.ts';

const listeners = new Set<(event: LiveEvent) => void>();

/** Calls back for each event of a kind that happens from now on, while it is fresh. @returns how to stop */
export function onLiveEvent<Kind extends LiveKind>(
  kind: Kind,
  listener: (event: EventOf<Kind>) => void,
): () => void {
  const listen = (event: LiveEvent) => {
    if (event.kind === kind) listener(event as EventOf<Kind>);
  };
  listeners.add(listen);
  return () => void listeners.delete(listen);
}

/** Tells who listens of an event. */
export function emitLive(event: LiveEvent): void {
  for (const listen of listeners) listen(event);
}
