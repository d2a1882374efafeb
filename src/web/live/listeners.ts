import type { LiveEvent, LiveKind } from '#contract/events.ts';
import type { EventOf } from '#web/live/patches.ts';

const listeners = new Set<(event: LiveEvent) => void>();

/** Listens for new events of one kind. @returns the stop function */
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

export function emitLive(event: LiveEvent): void {
  for (const listen of listeners) listen(event);
}
