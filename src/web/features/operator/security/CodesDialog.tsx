import { Download, Printer } from 'lucide-react';
import { formatPhone } from '#contract/base/phone.ts';
import { useUser } from '#web/api/user.ts';
import styles from '#web/features/operator/security/security.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import { CopyButton } from '#web/ui/copy/CopyField.tsx';
import { saveFile } from '#web/ui/copy/saveFile.ts';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';

type Props = { codes: readonly string[]; onClose: () => void };

// Prevents an Enter repeated after the code from closing the dialog: `<dialog>` focuses the element with the attribute.
const startHere = (codes: HTMLElement | null) => codes?.setAttribute('autofocus', '');

/**
 * Shown once, to copy, save or print. Leaving without confirming that they are saved asks first.
 */
export function CodesDialog({ codes, onClose }: Props) {
  const phone = formatPhone(useUser().phone);
  const save = () => {
    const text = `Kode cadangan Kabari untuk ${phone}\nSetiap kode berlaku satu kali.\n\n${codes.join('\n')}\n`;
    saveFile('kode-cadangan-kabari.txt', new Blob([text], { type: 'text/plain' }));
  };
  const ask = async () => {
    const leaves = await confirm({
      title: 'Kode sudah Anda simpan?',
      children: 'Kode ini tidak dapat ditunjukkan lagi.',
      cancelText: 'Lihat lagi',
      confirmText: 'Sudah, tutup',
      tone: 'primary',
    });
    if (leaves) onClose();
  };
  return (
    <Modal
      open
      onClose={() => void ask()}
      title="Simpan kode cadangan Anda"
      footer={<Button onClick={onClose}>Sudah saya simpan</Button>}
    >
      <div className={styles['setup']}>
        <p>
          Dengan salah satu kode ini Anda dapat masuk bila ponsel atau perangkat Anda hilang. Setiap
          kode berlaku satu kali. <strong>Kode ini hanya ditunjukkan sekarang.</strong>
        </p>
        <div ref={startHere} tabIndex={-1} className={styles['sheet']}>
          <p className={styles['paper']}>Kode cadangan Kabari untuk {phone}</p>
          <ul className={styles['codes']} aria-label="Kode cadangan">
            {codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
        </div>
        <div className={styles['tools']}>
          <CopyButton value={codes.join('\n')} />
          <Button
            size="sm"
            variant="outline"
            tone="neutral"
            icon={<Download size={16} />}
            onClick={save}
          >
            Unduh
          </Button>
          <Button
            size="sm"
            variant="outline"
            tone="neutral"
            icon={<Printer size={16} />}
            onClick={() => window.print()}
          >
            Cetak
          </Button>
        </div>
      </div>
    </Modal>
  );
}
