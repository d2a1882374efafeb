import { Plus, SmilePlus } from 'lucide-react';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { EmojiPopover } from '#web/ui/chat/emoji/EmojiPopover.tsx';
import styles from '#web/ui/chat/reactions/ReactButton.module.css';
import { endPress } from '#web/ui/overlay/floating.ts';

/** What people react with most. */
const QUICK = [
  ['👍', 'jempol'],
  ['❤️', 'hati'],
  ['😂', 'tertawa'],
  ['😮', 'terkejut'],
  ['😢', 'sedih'],
  ['🙏', 'terima kasih'],
] as const;

const HOLD_MS = 500;

type Props = {
  className?: string | undefined;
  /** One's own reaction: pressing it again takes it away. */
  mine: string | undefined;
  /** An empty emoji takes the reaction away. */
  onReact: (emoji: string) => void;
};

/** Reacts to the message that it stands in: six emoji at once, all others behind them. A long press opens it, too. */
export function ReactButton({ className, mine, onReact }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<'quick' | 'all'>();
  useHold(button, () => setOpen('quick'));
  const close = () => setOpen(undefined);
  const react = (emoji: string) => {
    onReact(emoji === mine ? '' : emoji);
    close();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label="Beri reaksi"
        aria-haspopup="dialog"
        aria-expanded={open !== undefined}
        onClick={() => setOpen(open ? undefined : 'quick')}
      >
        <SmilePlus size={16} aria-hidden="true" />
      </button>
      {open && (
        <EmojiPopover
          key={open}
          anchor={button}
          label="Pilih reaksi"
          onPick={react}
          onClose={close}
        >
          {open === 'quick' ? (
            <Quick mine={mine} onReact={react} onMore={() => setOpen('all')} />
          ) : undefined}
        </EmojiPopover>
      )}
    </>
  );
}

type QuickProps = Pick<Props, 'mine' | 'onReact'> & { onMore: () => void };

const Quick = ({ mine, onReact, onMore }: QuickProps) => (
  <div className={styles['quick']}>
    {QUICK.map(([emoji, name]) => (
      <button
        key={emoji}
        type="button"
        className={styles['emoji']}
        aria-label={`Reaksi ${name}`}
        aria-pressed={emoji === mine}
        onClick={() => onReact(emoji)}
      >
        {emoji}
      </button>
    ))}
    <button type="button" className={styles['more']} aria-label="Emoji lain" onClick={onMore}>
      <Plus size={20} aria-hidden="true" />
    </button>
  </div>
);

/** Calls back when a finger rests on the bubble around the button; what it lifts from is not pressed. */
function useHold(button: RefObject<HTMLElement | null>, onHold: () => void): void {
  const held = useRef(onHold);
  useEffect(() => {
    held.current = onHold;
  });
  useEffect(() => {
    const bubble = button.current?.closest('article');
    if (!bubble) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => clearTimeout(timer);
    const begin = ({ pointerType }: PointerEvent) => {
      end();
      if (pointerType === 'mouse') return;
      timer = setTimeout(() => {
        endPress();
        held.current();
      }, HOLD_MS);
    };
    const over = new AbortController();
    const options = { signal: over.signal, passive: true };
    bubble.addEventListener('pointerdown', begin, options);
    for (const type of ['pointerup', 'pointercancel', 'pointermove'] as const)
      bubble.addEventListener(type, end, options);
    return () => {
      end();
      over.abort();
    };
  }, [button]);
}
