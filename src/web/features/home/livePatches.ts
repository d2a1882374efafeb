import { keyIsAbout, type CacheChanges, type LivePatches } from '#web/live/patches.ts';

const home = keyIsAbout('home', 'home_');
const refetchHome = (_event: unknown, { refetch }: CacheChanges) => refetch(home);

/** Updates Beranda; its saldo is patched with the others (`saldoPatches`). */
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
    'campaign.changed': refetchHome,
    'subscription.changed': refetchHome,
    // A response under way may have been read before the event.
    'saldo.changed': (_event, { isFetching, refetch }) => {
      if (isFetching(['home'])) refetch(['home']);
    },
  },
};
