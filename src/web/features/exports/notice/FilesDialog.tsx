import { useQuery } from '@tanstack/react-query';
import { ExportList } from '#web/features/exports/ExportList.tsx';
import { exportsQuery } from '#web/features/exports/queries.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Stack } from '#web/ui/panel/Panel.tsx';

export function FilesDialog({ onClose }: { onClose: () => void }) {
  const { data } = useQuery(exportsQuery);
  return (
    <Modal
      open
      onClose={onClose}
      title="Berkas ekspor"
      footer={
        <Button variant="outline" onClick={onClose}>
          Tutup
        </Button>
      }
    >
      <Stack gap={16}>
        <ExportList />
        {data?.exports.length === 0 && (
          <p>Belum ada berkas dalam 24 jam terakhir. Buat dari tombol Ekspor di riwayat pesan.</p>
        )}
      </Stack>
    </Modal>
  );
}
