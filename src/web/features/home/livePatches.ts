import { keyIsAbout, type CacheChanges, type LivePatches } from '#web/live/patches.ts';

const home = keyIsAbout('home', 'home_');
const refetchHome = (_event: unknown, { refetch }: CacheChanges) => refetch(home);

/** Updates Beranda; the saldo is patched elsewhere. */
export const homePatches: LivePatches = {
  follows: home,
  on: {
    'message.changed': refetchHome,
    'message.accepted': refetchHome,
    'message.received': refetchHome,
    'conversation.read': refetchHome,
    'token.changed': refetchHome,
    'topup.changed': refetchHome,
    'webhook.changed': refetchHome,
  },
};
