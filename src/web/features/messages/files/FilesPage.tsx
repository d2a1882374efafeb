import { Download, FileSpreadsheet } from 'lucide-react';
import { Suspense, useState } from 'react';
import { ExportDialog, ExportList } from '#web/features/exports/exports.ts';
import { MessagesHead, useHeadLabel } from '#web/features/messages/MessagesHead.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';

const allMessages = { kind: 'messages', input: {} } as const;

/** Route `/message-history/ekspor`: the export files of the last day. */
export function FilesPage() {
  const label = useHeadLabel('Ekspor pesan');
  // Here, because the empty list and its button go with the first file.
  const [open, setOpen] = useState(false);
  const start = () => setOpen(true);
  return (
    <>
      <MessagesHead
        current="exports"
        action={
          <Button {...label} icon={<Download size={18} />} aria-keyshortcuts="e" onClick={start} />
        }
      />
      <ExportList
        level={2}
        empty={
          <EmptyState
            icon={<FileSpreadsheet size={24} />}
            title="Belum ada berkas"
            action={
              <Button variant="subtle" onClick={start}>
                Ekspor pesan
              </Button>
            }
          >
            Berkas pesan untuk Excel disimpan di sini selama 24 jam.
          </EmptyState>
        }
      />
      {open && (
        <Suspense>
          <ExportDialog what={allMessages} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
