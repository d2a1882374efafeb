import { keyStarts, type LivePatches } from '#web/live/patches.ts';

const user = keyStarts(['user']);

/**
 * The session response names the broadcasts to show. It is refetched when that has changed, but not with every new
 * stream, which would double the request on each page load.
 */
export const broadcastPatches: LivePatches = {
  follows: () => false,
  inBackground: user,
  on: { 'broadcast.changed': (_event, { refetch }) => refetch(user) },
};
