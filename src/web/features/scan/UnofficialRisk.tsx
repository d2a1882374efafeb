import styles from '#web/features/scan/scan.module.css';
import { classes } from '#web/ui/classes.ts';

export const UnofficialRisk = () => (
  <p className={classes('py-12 px-14 rounded text-warning', styles['warning'])}>
    Sambungan ini memakai aplikasi tidak resmi yang meniru WhatsApp Web: WhatsApp dapat membatasi
    atau memblokir nomor Anda karenanya, dan kami tidak dapat mencegahnya.
  </p>
);
