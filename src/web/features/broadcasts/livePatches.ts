import { keyStarts, type LivePatches } from '#web/live/patches.ts';

const user = keyStarts(['user']);

/**
 * Who is signed in is told with them what operators want to be shown. Asked for again when that has changed,
 * and not with every new stream: that would be twice for each page that is loaded.
 */
export const broadcastPatches: LivePatches = {
  follows: () => false,
  inBackground: user,
  on: { 'broadcast.changed': (_event, { refetch }) => refetch(user) },
};
