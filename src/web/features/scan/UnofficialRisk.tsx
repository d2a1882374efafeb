import styles from '#web/features/scan/scan.module.css';

export const UnofficialRisk = () => (
  <p className={styles['warning']}>
    Sambungan ini memakai aplikasi tidak resmi yang meniru WhatsApp Web: WhatsApp dapat membatasi
    atau memblokir nomor Anda karenanya, dan kami tidak dapat mencegahnya.
  </p>
);
