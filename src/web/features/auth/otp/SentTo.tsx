import styles from '#web/features/auth/otp/SentTo.module.css';

export const SentTo = ({ sentTo }: { sentTo: string }) => (
  <span className={styles['sentTo']}>{sentTo}</span>
);
