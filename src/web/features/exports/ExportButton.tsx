import { Download } from 'lucide-react';
import { Suspense, useState } from 'react';
import { ExportDialog } from '#web/features/exports/dialog.ts';
import type { ToExport } from '#web/features/exports/toExport.ts';
import { Button, type ButtonLook } from '#web/ui/button/Button.tsx';

type Props = ButtonLook & {
  what: ToExport;
  /** The button's label, hidden if it is `square`. */
  words: string;
  /** The main list of the page, which the key `e` exports. */
  hasKey?: boolean;
};

export function ExportButton({ what, words, hasKey = false, ...look }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="outline"
        icon={<Download size={18} />}
        {...look}
        {...(look.square && { 'aria-label': words })}
        {...(hasKey && { 'aria-keyshortcuts': 'e' })}
        onClick={() => setOpen(true)}
      >
        {!look.square && words}
      </Button>
      {open && (
        <Suspense>
          <ExportDialog what={what} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
