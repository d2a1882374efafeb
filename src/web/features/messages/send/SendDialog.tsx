import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { canSend } from '#web/features/messages/queries.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import type { SendFormProps } from '#web/features/messages/send/SendForm.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { later } from '#web/browser/lazyComponent.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { FormSkeleton } from '#web/ui/skeleton/Skeleton.tsx';

/** The form and its fields are loaded with the dialog: the list does not need them. */
const SendForm = later(() => import('#web/features/messages/send/SendForm.tsx'));

type Props = { open: boolean; onClose: () => void };

export function SendDialog({ open, onClose }: Props) {
  const [busy, setBusy] = useState(false);
  return (
    <Modal addressed open={open} onClose={() => busy || onClose()} title="Kirim pesan">
      {open && <Content onClose={onClose} onBusy={setBusy} />}
    </Modal>
  );
}

function Content({ onClose, onBusy }: Omit<SendFormProps, 'tokens'>) {
  const { data: tokens, error, refetch } = useQuery(allTokensQuery);
  useEffect(() => void SendForm.bring(), []);
  if (!tokens && error) return <WentWrong query={{ error, refetch }} />;
  if (!tokens) return <LoadingRows />;
  const able = tokens.filter(canSend);
  if (able.length === 0) return <NoToken has={tokens.length > 0} />;
  return (
    <Suspense fallback={<LoadingRows />}>
      <SendForm tokens={able} onClose={onClose} onBusy={onBusy} />
    </Suspense>
  );
}

const LoadingRows = () => <FormSkeleton fields={[44, 44, 104]} />;

const NoToken = ({ has }: { has: boolean }) => (
  <EmptyState
    icon={<KeyRound size={24} />}
    title={has ? 'Belum ada nomor yang tersambung' : 'Anda belum memiliki token'}
    action={
      has ? (
        <LinkButton to="/token">Sambungkan nomor</LinkButton>
      ) : (
        <LinkButton to="/token" search={{ view: 'new' }}>
          Tambah token
        </LinkButton>
      )
    }
  >
    Pesan dikirim dari nomor Anda yang tersambung.
  </EmptyState>
);
