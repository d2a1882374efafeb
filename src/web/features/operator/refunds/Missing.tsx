import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

/** In place of what a drawer shows: while it loads, and when its list no longer has it. */
export const Missing = ({ loading, children }: { loading: boolean; children: string }) =>
  loading ? (
    <div aria-busy="true">
      <Skeleton lines={6} height="1.4em" />
    </div>
  ) : (
    <EmptyState title={children} />
  );
