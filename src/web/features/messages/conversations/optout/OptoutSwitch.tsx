import { writtenPeer } from '#contract/messages/peer.ts';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { BellOff, BellRing } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { OPTOUT_REASON_MAX, addOptout, listOptouts } from '#contract/messages/optouts.ts';
import { perform } from '#web/api/act.ts';
import type { Which } from '#web/features/messages/conversations/queries.ts';
import styles from '#web/features/messages/conversations/optout/OptoutSwitch.module.css';
import { useRemoveOptout } from '#web/features/messages/optouts/useRemoveOptout.tsx';
import { optoutsKey } from '#web/features/messages/queryKeys.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

/** Whether the phone of a conversation receives nothing more from its token; null when it does. */
export const optoutQuery = ({ tokenId, peer }: Which) =>
  queryOptions({
    queryKey: [...optoutsKey, tokenId, peer],
    queryFn: async ({ signal }) => {
      const which = { token_id: tokenId, peer: writtenPeer(peer) };
      const { rows } = await perform(listOptouts, which, { signal });
      return rows[0] ?? null;
    },
  });

/** Whether messages to the phone of a conversation are stopped, and how that is changed. */
export type Optouts = {
  isOn: boolean;
  /** Asks for a reason to stop them, or lets them go on. */
  change: () => void;
  /** Stands wherever there is room for a dialog. */
  question: ReactNode;
};

/** Stops messages to the phone of a conversation, with a reason, or lets them go on; undefined while that is not known. */
export function useOptoutSwitch(which: Which, name: string): Optouts | undefined {
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
      title={`Hentikan pesan ke ${name}?`}
      size="sm"
      shape="sheet"
    >
      <StopForm which={which} onDone={() => setAsking(false)} />
    </Modal>
  );
  return { isOn, change: () => (isOn ? void letGoOn() : setAsking(true)), question };
}

/** The switch for it, beside a name. */
export const OptoutSwitch = ({ isOn, change }: Optouts) => (
  <Button
    role="switch"
    aria-checked={isOn}
    aria-label="Berhenti berlangganan"
    variant="outline"
    tone="neutral"
    size="sm"
    className={styles['switch']}
    icon={isOn ? <BellOff size={18} /> : <BellRing size={18} />}
    onClick={change}
  >
    <span className={styles['words']}>Berhenti berlangganan</span>
  </Button>
);

function StopForm({ which, onDone }: { which: Which; onDone: () => void }) {
  const client = useQueryClient();
  const { form, onSubmit, busy, error } = useActForm(addOptout, {
    initial: { reason: '' },
    inputOf: (values) => ({ token_id: which.tokenId, peer: writtenPeer(which.peer), ...values }),
    onDone: (optout) => {
      client.setQueryData(optoutQuery(which).queryKey, optout);
      toast('Nomor ini tidak akan menerima pesan lagi.', { tone: 'success' });
      onDone();
    },
  });
  return (
    <form ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
      <p>
        Pesan baru ke nomor ini ditolak, juga yang dikirim lewat API, sampai Anda mengizinkannya.
      </p>
      <RefusalAlert error={error} fields={['reason']} />
      <TextField
        label="Alasan"
        required
        name="reason"
        autoComplete="off"
        maxLength={OPTOUT_REASON_MAX}
        value={form.values.reason}
        error={form.errors.reason}
        onChange={(event) => form.set('reason', event.target.value)}
        onBlur={() => form.leave('reason')}
      />
      <div className={styles['actions']}>
        <Button variant="outline" tone="neutral" onClick={onDone}>
          Batal
        </Button>
        <Button type="submit" tone="danger" busy={busy}>
          Hentikan
        </Button>
      </div>
    </form>
  );
}
