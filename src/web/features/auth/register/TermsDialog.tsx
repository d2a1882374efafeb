import styles from '#web/features/auth/auth.module.css';
import { classes } from '#web/ui/classes.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';

export const TermsDialog = ({ onClose }: { onClose: () => void }) => (
  <Modal
    open
    onClose={onClose}
    title="Syarat layanan"
    footer={<Button onClick={onClose}>Tutup</Button>}
  >
    <ol className={classes('grid gap-12 muted', styles['terms'])}>
      <li>
        <strong>Penerima yang setuju.</strong> Kirim hanya kepada orang yang sudah setuju menerima
        pesan Anda. Siapa pun yang membalas STOP atau BERHENTI tidak dikirimi lagi.
      </li>
      <li>
        <strong>Isi pesan.</strong> Tidak untuk penipuan, spam, atau isi yang melanggar hukum
        Indonesia. Anda bertanggung jawab atas pesan yang dikirim dengan token Anda.
      </li>
      <li>
        <strong>Saldo.</strong> Pesan dibayar dari saldo. Biayanya ditahan ketika pesan diterima
        sistem, dipotong setelah terkirim ke WhatsApp, dan dikembalikan bila gagal sebelum itu.
      </li>
      <li>
        <strong>Kunci API.</strong> Simpan kunci Anda seperti kata sandi. Pesan yang dikirim dengan
        kunci itu dianggap dari Anda.
      </li>
      <li>
        <strong>Data.</strong> Nomor, pesan dan mutasi Anda disimpan di server pengelola layanan
        ini, untuk menjalankan layanan dan tidak untuk iklan.
      </li>
      <li>
        <strong>Penangguhan.</strong> Pengelola layanan dapat menangguhkan akun yang melanggar
        syarat ini; sisa saldo tetap tercatat milik Anda.
      </li>
    </ol>
  </Modal>
);
