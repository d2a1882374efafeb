import { useLayoutEffect } from 'react';
import type { QuickReply } from '#contract/messages/sending.ts';
import { withReply, type ReplyWords } from '#web/ui/chat/replies/replies.ts';
import styles from '#web/ui/chat/composer/composer.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  id: string;
  replies: readonly QuickReply[];
  marked: number;
  /** Replaces `{nama}`. */
  person: string;
  words: ReplyWords;
  onMark: (index: number) => void;
  onTake: (index: number) => void;
  onManage: () => void;
};

/** The offered replies; the box below keeps the focus and handles the keys. */
export function ReplyList({ id, replies, ...rest }: Props) {
  const { marked, person, words, onMark, onTake, onManage } = rest;
  const activeId = `${id}-${marked}`;
  useLayoutEffect(() => {
    document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);
  if (replies.length === 0) {
    return (
      <div
        id={id}
        className={classes(
          'p-6 py-12 px-14 border rounded-lg muted overflow-y raised shadow',
          styles['none'],
        )}
        role="status"
      >
        Belum ada {words.title.toLowerCase()}.{' '}
        <button type="button" className="link strong underline" onClick={onManage}>
          Tambah {words.one}
        </button>
      </div>
    );
  }
  return (
    <div
      id={id}
      role="listbox"
      aria-label={words.title}
      className={classes('p-6 border rounded-lg overflow-y raised shadow', styles['list'])}
    >
      {replies.map((reply, index) => (
        // The box handles the keys; a pointer selects without taking its focus.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div
          key={reply.name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === marked}
          className={classes('grid pointer gap-1 min-h-44 py-6 px-10 rounded', styles['option'])}
          onPointerMove={() => index === marked || onMark(index)}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(index)}
        >
          <span className="small text-accent strong">/{reply.name}</span>
          <span className="small muted clamp-2">{withReply('', reply.text, person)}</span>
        </div>
      ))}
    </div>
  );
}
