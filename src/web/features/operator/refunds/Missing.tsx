import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

/** Shown instead of a drawer's content while it loads, or when its list no longer contains it. */
export const Missing = ({ loading, children }: { loading: boolean; children: string }) =>
  loading ? (
    <div aria-busy="true">
      <Skeleton lines={6} height="1.4em" />
    </div>
  ) : (
    <EmptyState title={children} />
  );
