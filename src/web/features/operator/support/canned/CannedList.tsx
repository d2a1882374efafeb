import { useLayoutEffect } from 'react';
import type { CannedReply } from '#contract/operator/support.ts';
import { withReply } from '#web/features/operator/support/canned/canned.ts';
import styles from '#web/features/operator/support/canned/CannedList.module.css';

type Props = {
  id: string;
  replies: readonly CannedReply[];
  /** Which of them Enter takes. */
  marked: number;
  customer: string;
  onMark: (index: number) => void;
  onTake: (index: number) => void;
  onManage: () => void;
};

/** Canned replies to choose from; the keys are those of the box below, which keeps the focus. */
export function CannedList({ id, replies, marked, customer, onMark, onTake, onManage }: Props) {
  const activeId = `${id}-${marked}`;
  useLayoutEffect(() => {
    document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);
  if (replies.length === 0) {
    return (
      <div id={id} className={styles['none']} role="status">
        Belum ada jawaban siap pakai.{' '}
        <button type="button" className={styles['manage']} onClick={onManage}>
          Tambah jawaban
        </button>
      </div>
    );
  }
  return (
    <div id={id} role="listbox" aria-label="Jawaban siap pakai" className={styles['list']}>
      {replies.map((reply, index) => (
        // The box has the keys; a pointer chooses without taking its focus.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div
          key={reply.name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === marked}
          className={styles['option']}
          onPointerMove={() => index === marked || onMark(index)}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(index)}
        >
          <span className={styles['name']}>/{reply.name}</span>
          <span className={styles['text']}>{withReply('', reply.text, customer)}</span>
        </div>
      ))}
    </div>
  );
}
