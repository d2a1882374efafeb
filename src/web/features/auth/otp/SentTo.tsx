import styles from '#web/features/auth/otp/SentTo.module.css';

/** The masked destination of a code, for use inside a sentence. */
export const SentTo = ({ sentTo }: { sentTo: string }) => (
  <span className={styles['sentTo']}>{sentTo}</span>
);
