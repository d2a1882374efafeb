import type { ReactNode } from 'react';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';

type Props = {
  title: string;
  secret: string;
  onClose: () => void;
  children?: ReactNode;
};

/** Shows a webhook's secret once; closing it asks for confirmation. */
export function SecretDialog({ title, secret, onClose, children }: Props) {
  const leave = async () => {
    const sure = await confirm({
      title: 'Sudah menyimpan kuncinya?',
      children: <p>Setelah ditutup, kunci ini tidak dapat ditampilkan lagi.</p>,
      cancelText: 'Kembali',
      confirmText: 'Sudah, tutup',
      tone: 'primary',
    });
    if (sure) onClose();
  };
  return (
    <Modal
      open
      onClose={() => void leave()}
      title={title}
      footer={<Button onClick={onClose}>Sudah saya simpan</Button>}
    >
      <div className="stack gap-12">
        <Alert
          visible
          state="warning"
          label="Kunci ini hanya ditampilkan sekali. Salin dan simpan sekarang di tempat yang aman."
        />
        <CopyField
          label="Kunci webhook"
          value={secret}
          look="code"
          help="Server Anda memeriksa tanda tangan setiap peristiwa dengan kunci ini."
        />
        {children}
      </div>
    </Modal>
  );
}
