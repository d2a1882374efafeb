import { isolated } from '#contract/base/names.ts';
import { useQueryClient } from '@tanstack/react-query';
import { listOptouts } from '#contract/messages/optouts.ts';
import type { Token } from '#contract/tokens.ts';
import { StopForm } from '#web/features/messages/optouts/StopForm.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { HomeTelephoneField } from '#web/ui/phone/TelephoneField.tsx';
import { realNumber } from '#web/ui/phone/telephoneReal.ts';
import { listKey } from '#web/ui/table/list/useList.ts';

type Props = { open: boolean; token: Token; onClose: () => void };

export function AddOptout({ open, token, onClose }: Props) {
  const client = useQueryClient();
  return (
    <Modal
      open={open}
      onClose={onClose}
      title={`Tandai berhenti dari ${isolated(token.name)}`}
      size="sm"
    >
      {open && (
        <StopForm
          tokenId={token.id}
          peer="+"
          onStopped={() => void client.invalidateQueries({ queryKey: listKey(listOptouts) })}
          onClose={onClose}
        >
          {(form) => (
            <HomeTelephoneField
              label="Nomor"
              required
              verify={realNumber}
              autoComplete="off"
              value={form.values.peer.slice(1)}
              error={form.errors.peer}
              onChange={(digits) => form.set('peer', `+${digits}`)}
              onBlur={() => form.leave('peer')}
            />
          )}
        </StopForm>
      )}
    </Modal>
  );
}
