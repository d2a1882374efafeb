import styles from '#web/ui/chat/thread/thread.module.css';

/**
 * An icon of a thread's messages, as a single path: hundreds of icons with several elements and components each make
 * scrolling slow. The shapes are Lucide's, joined.
 */
const pathIcon =
  (path: string) =>
  ({ size }: { size: number }) => (
    <svg className={styles['icon']} width={size} height={size} viewBox="0 0 24 24" aria-hidden>
      <path d={path} />
    </svg>
  );

export const Check = pathIcon('M20 6 9 17l-5-5');
export const CheckCheck = pathIcon('M18 6 7 17l-5-5M22 10l-7.5 7.5L13 16');
export const Reply = pathIcon('M20 18v-2a4 4 0 0 0-4-4H4M9 17l-5-5 5-5');
export const SmilePlus = pathIcon(
  'M22 11v1a10 10 0 1 1-9-10M8 14s1.5 2 4 2 4-2 4-2M9 9h.01M15 9h.01M16 5h6M19 2v6',
);
