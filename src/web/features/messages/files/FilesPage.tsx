import { FileSpreadsheet } from 'lucide-react';
import { ExportButton, ExportList } from '#web/features/exports/exports.ts';
import { MessageTabs } from '#web/features/messages/MessageTabs.tsx';
import type { ButtonLook } from '#web/ui/button/Button.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';

/** Route `/message-history/ekspor`: the export files of the last day. */
export const FilesPage = () => (
  <>
    <PageHead title="Pesan" action={<ExportMessages variant="solid" tone="primary" hasKey />} />
    <MessageTabs current="exports" />
    <ExportList
      level={2}
      empty={
        <EmptyState
          icon={<FileSpreadsheet size={24} />}
          title="Belum ada berkas"
          action={<ExportMessages />}
        >
          Berkas pesan untuk Excel disimpan di sini selama 24 jam.
        </EmptyState>
      }
    />
  </>
);

const ExportMessages = (look: ButtonLook & { hasKey?: boolean }) => (
  <ExportButton what={{ kind: 'messages', input: {} }} words="Ekspor pesan" {...look} />
);
