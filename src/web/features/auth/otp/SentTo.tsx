import styles from '#web/features/auth/otp/SentTo.module.css';

/** Where a code went, inside a sentence: a number with its middle hidden. */
export const SentTo = ({ sentTo }: { sentTo: string }) => (
  <span className={styles['sentTo']}>{sentTo}</span>
);
