import { followStream } from '#web/live/stream.ts';

/** An open tab: positions of the events it was shown, in order. */
export type Tab = {
  positions: readonly number[];
  opened: () => number;
  close: () => Promise<void>;
};

/**
 * Follows an account's events as the portal does: a new stream continues from the last position.
 */
export function openTab(address: string, session: string): Tab {
  const stop = new AbortController();
  const positions: number[] = [];
  let opened = 0;
  const done = followStream({
    since: () => positions.at(-1) ?? 0,
    open: async (since, signal) => {
      const body = new URLSearchParams({
        act: 'events',
        fcm: '',
        token: session,
        since: `${since}`,
      });
      const response = await fetch(`${address}/api`, { method: 'POST', body, signal });
      if (!response.ok) throw new Error(`the stream was answered ${response.status}`);
      opened += 1;
      return response;
    },
    onFrame: ({ position }) => {
      if (position !== undefined) positions.push(position);
    },
    retryAfterMs: () => 0,
    onWake: () => () => undefined,
    signal: stop.signal,
  });
  return {
    positions,
    opened: () => opened,
    close: async () => {
      stop.abort();
      await done;
    },
  };
}
