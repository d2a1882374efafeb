import type { ReactNode } from 'react';
import { Button } from '#web/ui/button/Button.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';

type Props = {
  list: { error: Error | null; refetch: () => unknown };
  /** Resets the filters; omitted if there are none. */
  onReset?: (() => void) | false | undefined;
  reset?: string;
  children?: ReactNode;
};

/** Explains why a table is empty: loading failed, nothing matches the filters, or there are no rows yet. */
export function NoRows({ list, onReset, reset = 'Hapus filter', children }: Props) {
  if (list.error) return <WentWrong query={list} />;
  if (!onReset) return children;
  return (
    <EmptyState
      title="Tidak ada yang cocok"
      action={
        <Button
          variant="subtle"
          size="sm"
          onClick={({ currentTarget }) => {
            // The button goes away: the next Tab leads into the table.
            const table = currentTarget.closest('table');
            table?.setAttribute('tabindex', '-1');
            table?.focus();
            onReset();
          }}
        >
          {reset}
        </Button>
      }
    />
  );
}
