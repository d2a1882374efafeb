import { isolated } from '#contract/base/names.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { BellOff, BellRing } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { listOptouts } from '#contract/messages/optouts.ts';
import { perform } from '#web/api/act.ts';
import type { Which } from '#web/features/messages/conversations/queries.ts';
import styles from '#web/features/messages/conversations/conversations.module.css';
import { StopForm } from '#web/features/messages/optouts/StopForm.tsx';
import { useRemoveOptout } from '#web/features/messages/optouts/useRemoveOptout.tsx';
import { optoutsKey } from '#web/features/messages/queryKeys.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';

/** The opt-out of the conversation's phone from its token; null when there is none. */
export const optoutQuery = ({ tokenId, peer }: Which) =>
  queryOptions({
    queryKey: [...optoutsKey, tokenId, peer],
    queryFn: async ({ signal }) => {
      const which = { token_id: tokenId, peer: writtenPeer(peer) };
      const { rows } = await perform(listOptouts, which, { signal });
      return rows[0] ?? null;
    },
  });

export type Optouts = {
  isOn: boolean;
  change: () => void;
  question: ReactNode;
};

/** Toggles the opt-out of a conversation's phone; undefined while its state is loading. */
export function useOptoutChange(which: Which, name: string): Optouts | undefined {
  const client = useQueryClient();
  const { data: optout } = useQuery(optoutQuery(which));
  const remove = useRemoveOptout();
  const [asking, setAsking] = useState(false);
  if (optout === undefined) return undefined;
  const isOn = optout !== null;
  const letGoOn = async () => {
    const gone = await remove({ ...which, name });
    if (gone) client.setQueryData(optoutQuery(which).queryKey, null);
  };
  const question = (
    <Modal
      open={asking}
      onClose={() => setAsking(false)}
      title={`Tandai ${isolated(name)} berhenti?`}
      size="sm"
      shape="sheet"
    >
      <StopForm
        tokenId={which.tokenId}
        peer={writtenPeer(which.peer)}
        onStopped={(stopped) => client.setQueryData(optoutQuery(which).queryKey, stopped)}
        onClose={() => setAsking(false)}
      >
        <p>
          Pesan baru ke nomor ini ditolak, juga yang dikirim lewat API, sampai Anda mengizinkannya.
        </p>
      </StopForm>
    </Modal>
  );
  return { isOn, change: () => (isOn ? void letGoOn() : setAsking(true)), question };
}

export const optoutWords = ({ isOn }: Pick<Optouts, 'isOn'>): string =>
  isOn ? 'Izinkan pesan lagi' : 'Tandai berhenti';

/** The effect, before it is chosen. */
export const optoutEffect = ({ isOn }: Pick<Optouts, 'isOn'>): string =>
  isOn ? 'Nomor ini dapat dikirimi pesan lagi.' : 'Pesan baru ke nomor ini tidak dikirim lagi.';

export const OptoutButton = ({ isOn, change }: Optouts) => (
  <Button
    aria-label={optoutWords({ isOn })}
    title={optoutEffect({ isOn })}
    variant="outline"
    size="sm"
    className={styles['button']}
    icon={isOn ? <BellRing size={18} /> : <BellOff size={18} />}
    onClick={change}
  >
    <span className="from-1024">{optoutWords({ isOn })}</span>
  </Button>
);
