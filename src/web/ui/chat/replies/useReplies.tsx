import { useId, useRef, useState, type KeyboardEvent } from 'react';
import type { QuickReply } from '#contract/messages/sending.ts';
import { ReplyList } from '#web/ui/chat/replies/ReplyList.tsx';
import {
  askedName,
  fittingReplies,
  withReply,
  type ReplyWords,
} from '#web/ui/chat/replies/replies.ts';
import type { ComposerOffer } from '#web/ui/chat/composer/Composer.tsx';
import { stepRound } from '#web/ui/menu/menus.ts';

type Options = {
  /** All there are; undefined while that is not known. */
  replies: readonly QuickReply[] | undefined;
  /** Stands for `{nama}`. */
  person: string;
  words: ReplyWords;
  /** Shows where replies are managed. */
  onManage: () => void;
};

type Offer = (text: string, write: (text: string) => void) => ComposerOffer | undefined;

/**
 * Replies over the box where an answer is written, while its text ends in a slash and the beginning of a
 * name. Arrows walk, Enter and Tab take, Escape closes until another slash asks.
 */
export function useReplies({ replies, person, words, onManage }: Options): Offer {
  const [marked, setMarked] = useState({ asked: '', index: 0 });
  const [, redraw] = useState(0);
  /** Where the slash stands whose list was closed. */
  const closed = useRef<number>(undefined);
  const id = useId();
  return (text, write) => {
    const asked = askedName(text);
    const slash = text.length - (asked?.length ?? 0) - 1;
    if (asked === undefined || closed.current !== slash) closed.current = undefined;
    if (asked === undefined || closed.current === slash || !replies) return undefined;
    const fitting = fittingReplies(replies, asked);
    // Without any, what is typed is text; only who has none at all is told how to have some.
    if (fitting.length === 0 && (asked !== '' || replies.length > 0)) return undefined;
    // Another beginning, another list.
    const at = marked.asked === asked ? Math.min(marked.index, fitting.length - 1) : 0;
    const mark = (index: number) => setMarked({ asked, index });
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

/** Does what a plain key does; the thread around does not hear of it. */
function pressed(event: KeyboardEvent, does: Partial<Record<string, () => void>>): boolean {
  const { key, altKey, ctrlKey, metaKey, shiftKey, nativeEvent } = event;
  const plain = !altKey && !ctrlKey && !metaKey && !shiftKey && !nativeEvent.isComposing;
  const work = plain && Object.hasOwn(does, key) ? does[key] : undefined;
  if (!work) return false;
  event.stopPropagation();
  work();
  return true;
}
