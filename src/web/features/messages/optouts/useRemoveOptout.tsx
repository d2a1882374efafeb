import { isolated } from '#contract/base/names.ts';
import { removeOptout } from '#contract/messages/optouts.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { useAct } from '#web/api/query.ts';
import { confirm } from '#web/ui/overlay/confirm.ts';

type Which = { tokenId: string; peer: string; name: string };

/** Asks for confirmation, then removes the opt-out. @returns whether it was removed */
export function useRemoveOptout(): (which: Which) => Promise<boolean> {
  const remove = useAct(removeOptout);
  return ({ tokenId, peer, name }) =>
    confirm({
      title: `Izinkan lagi pesan ke ${isolated(name)}?`,
      children: <p>Lakukan ini hanya bila penerima memintanya sendiri.</p>,
      confirmText: 'Izinkan',
      tone: 'primary',
      onConfirm: () => remove.perform({ token_id: tokenId, peer: writtenPeer(peer) }),
    });
}
