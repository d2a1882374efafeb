import { useQuery } from '@tanstack/react-query';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { sentenceOf } from '#web/api/errors.ts';
import { topupQuery } from '#web/features/saldo/queries.ts';
import { TopupDetail } from '#web/features/saldo/topups/TopupDetail.tsx';
import { TopupForm } from '#web/features/saldo/topups/TopupForm.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

/** Over `/saldo`: making a top-up (`?new=1`), or one of them (`?open=TU-…`). */
export function TopupDialog() {
  const { new: making, open } = useSearch('/saldo');
  const show = (id: string | undefined) =>
    void navigate({
      to: '/saldo',
      change: { new: undefined, open: id },
      replace: true,
      resetScroll: false,
    });
  if (making) return <TopupForm onClose={() => show(undefined)} onMade={({ id }) => show(id)} />;
  if (open) return <Opened key={open} id={open} onClose={() => show(undefined)} />;
  return null;
}

function Opened({ id, onClose }: { id: string; onClose: () => void }) {
  const topup = useQuery(topupQuery(id));
  if (topup.data) return <TopupDetail topup={topup.data} onClose={onClose} />;
  return (
    <Modal addressed open onClose={onClose} title="Isi saldo">
      {topup.error ? (
        <WentWrong message={sentenceOf(topup.error)} onRetry={() => void topup.refetch()} />
      ) : (
        <div aria-busy="true">
          <Skeleton lines={6} height="1.4em" />
        </div>
      )}
    </Modal>
  );
}
