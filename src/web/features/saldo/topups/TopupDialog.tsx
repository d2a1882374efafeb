import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import { later } from '#web/browser/lazyComponent.ts';
import { whenIdle } from '#web/browser/scheduling/whenIdle.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { isNotFound } from '#web/api/errors.ts';
import { SearchX } from 'lucide-react';
import { topupQuery } from '#web/features/saldo/queries.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

// Not needed to see the saldo: loaded after the page, or when their address is opened.
const TopupForm = later(() => import('#web/features/saldo/topups/TopupForm.tsx'));
const TopupDetail = later(() => import('#web/features/saldo/topups/TopupDetail.tsx'));

/** Over `/saldo`: making a top-up (`?new=1`), or one of them (`?open=TU-…`). */
export function TopupDialog() {
  const { new: making, open, amount } = useSearch('/saldo');
  useEffect(() => whenIdle(() => void Promise.all([TopupForm.bring(), TopupDetail.bring()])), []);
  const show = (id: string | undefined) =>
    void navigate({
      to: '/saldo',
      change: {
        new: undefined,
        amount: undefined,
        open: id,
        ...(id === undefined && { campaign: undefined, plan: undefined }),
      },
      replace: true,
      resetScroll: false,
    });
  if (making) {
    return (
      <Suspense>
        <TopupForm
          proposed={amount}
          onClose={() => show(undefined)}
          onMade={({ id }) => show(id)}
        />
      </Suspense>
    );
  }
  if (open) return <Opened key={open} id={open} onClose={() => show(undefined)} />;
  return null;
}

function Opened({ id, onClose }: { id: string; onClose: () => void }) {
  const topup = useQuery(topupQuery(id));
  if (topup.data)
    return (
      <Suspense>
        <TopupDetail topup={topup.data} onClose={onClose} />
      </Suspense>
    );
  return (
    <Modal addressed open onClose={onClose} title="Isi saldo">
      {isNotFound(topup.error) ? (
        <EmptyState
          icon={<SearchX size={24} />}
          title="Isi saldo ini tidak ditemukan."
          action={<Button onClick={onClose}>Lihat saldo</Button>}
        >
          Alamatnya mungkin salah tulis, atau isi saldo ini milik akun lain.
        </EmptyState>
      ) : topup.error ? (
        <WentWrong query={topup} />
      ) : (
        <div aria-busy="true">
          <Skeleton lines={6} height="1.4em" />
        </div>
      )}
    </Modal>
  );
}
