import { useId, useRef, useState, type KeyboardEvent, useLayoutEffect } from 'react';
import type { QuickReply } from '#contract/messages/sending.ts';
import {
  typedName,
  fittingReplies,
  withReply,
  type ReplyWords,
} from '#web/ui/chat/replies/replies.ts';
import type { ComposerOffer } from '#web/ui/chat/composer/Composer.tsx';
import { stepRound } from '#web/ui/menu/menus.ts';

type Options = {
  /** Undefined while loading. */
  replies: readonly QuickReply[] | undefined;
  person: string;
  words: ReplyWords;
  onManage: () => void;
};

type Offer = (text: string, write: (text: string) => void) => ComposerOffer | undefined;

/**
 * Offers replies above the box while its text ends in a slash and the beginning of a name. Arrows move, Enter and Tab
 * insert, Escape closes until the next slash.
 */
export function useReplies({ replies, person, words, onManage }: Options): Offer {
  const [marked, setMarked] = useState({ typed: '', index: 0 });
  const [, redraw] = useState(0);
  /** The position of the slash whose list was closed. */
  const closed = useRef<number>(undefined);
  const id = useId();
  return (text, write) => {
    const typed = typedName(text);
    const slash = text.length - (typed?.length ?? 0) - 1;
    if (typed === undefined || closed.current !== slash) closed.current = undefined;
    if (typed === undefined || closed.current === slash || !replies) return undefined;
    const fitting = fittingReplies(replies, typed);
    // Without matches the text is just text; the hint for creating replies appears only if there are none at all.
    if (fitting.length === 0 && (typed !== '' || replies.length > 0)) return undefined;
    const at = marked.typed === typed ? Math.min(marked.index, fitting.length - 1) : 0;
    const mark = (index: number) => setMarked({ typed, index });
    const take = (index: number) => write(withReply(text, fitting[index]?.text ?? '', person));
    const does: Partial<Record<string, () => void>> = {
      Escape: () => {
        closed.current = slash;
        redraw((turn) => turn + 1);
      },
      ...(fitting.length > 0 && {
        ArrowDown: () => mark(stepRound(at, 1, fitting.length)),
        ArrowUp: () => mark(stepRound(at, -1, fitting.length)),
        Enter: () => take(at),
        Tab: () => take(at),
      }),
    };
    return {
      listId: id,
      activeId: fitting.length > 0 ? `${id}-${at}` : undefined,
      onKey: (event) => pressed(event, does),
      list: (
        <ReplyList
          id={id}
          replies={fitting}
          marked={at}
          person={person}
          words={words}
          onMark={mark}
          onTake={take}
          onManage={onManage}
        />
      ),
    };
  };
}

/** Handles a plain key and stops its propagation. */
function pressed(event: KeyboardEvent, does: Partial<Record<string, () => void>>): boolean {
  const { key, altKey, ctrlKey, metaKey, shiftKey, nativeEvent } = event;
  const plain = !altKey && !ctrlKey && !metaKey && !shiftKey && !nativeEvent.isComposing;
  const work = plain && Object.hasOwn(does, key) ? does[key] : undefined;
  if (!work) return false;
  event.stopPropagation();
  work();
  return true;
}

type ListProps = {
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
function ReplyList({ id, replies, ...rest }: ListProps) {
  const { marked, person, words, onMark, onTake, onManage } = rest;
  const activeId = `${id}-${marked}`;
  useLayoutEffect(() => {
    document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);
  if (replies.length === 0) {
    return (
      <div
        id={id}
        className="p-6 py-12 px-12 border rounded-lg muted overflow-y raised shadow max-h-list"
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
      className="p-6 border rounded-lg overflow-y raised shadow max-h-list"
    >
      {replies.map((reply, index) => (
        // The box handles the keys; a pointer selects without taking its focus.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div
          key={reply.name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === marked}
          className="grid pointer gap-2 min-h-44 py-6 px-10 rounded selectable"
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
