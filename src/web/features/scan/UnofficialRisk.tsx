import styles from '#web/features/scan/scan.module.css';

/** The risk of WhatsApp Web, shown before linking a number by it. */
export const UnofficialRisk = () => (
  <p className={styles['warning']}>
    Sambungan ini memakai aplikasi tidak resmi yang meniru WhatsApp Web: WhatsApp dapat membatasi
    atau memblokir nomor Anda karenanya, dan kami tidak dapat mencegahnya.
  </p>
);
