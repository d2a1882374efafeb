import type { ReactNode } from 'react';
import { sentenceOf } from '#web/api/errors.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';

type Props = {
  list: { error: Error | null; refetch: () => unknown };
  /** Takes the filters away; given only where there are any. */
  onReset?: (() => void) | false | undefined;
  /** What that is called. */
  reset?: string;
  /** What there would be, and how to start it. */
  children?: ReactNode;
};

/** Why a table has no rows: they could not be loaded, none is what the filters ask for, or there are none yet. */
export function NoRows({ list, onReset, reset = 'Hapus filter', children }: Props) {
  if (list.error)
    return <WentWrong message={sentenceOf(list.error)} onRetry={() => void list.refetch()} />;
  if (!onReset) return children;
  return (
    <Button variant="subtle" size="sm" onClick={onReset}>
      {reset}
    </Button>
  );
}
