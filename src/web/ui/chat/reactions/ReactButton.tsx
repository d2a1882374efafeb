import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { EmojiPopover } from '#web/ui/chat/emoji/EmojiPopover.tsx';
import { SmilePlus } from '#web/ui/chat/icons.tsx';
import styles from '#web/ui/chat/emoji/emoji.module.css';
import { classes } from '#web/ui/classes.ts';

const QUICK = [
  ['👍', 'jempol'],
  ['❤️', 'hati'],
  ['😂', 'tertawa'],
  ['😮', 'terkejut'],
  ['😢', 'sedih'],
  ['🙏', 'terima kasih'],
] as const;

type Props = {
  className?: string | undefined;
  /** The user's reaction; pressing it again removes it. */
  mine: string | undefined;
  /** An empty emoji removes the reaction. */
  onReact: (emoji: string) => void;
};

/**
 * Reacts to the surrounding message: six quick emoji, and all others behind a button. A long press on the bubble opens
 * it.
 */
export function ReactButton({ className, mine, onReact }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<'quick' | 'all'>();
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
        data-hold=""
        aria-haspopup="dialog"
        aria-expanded={open !== undefined}
        onClick={() => setOpen(open ? undefined : 'quick')}
      >
        <SmilePlus size={16} />
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
  <div className="flex gap-2 p-6">
    {QUICK.map(([emoji, name]) => (
      <button
        key={emoji}
        type="button"
        className={classes(
          'place-center size-44 rounded-full leading-none hover ring-inset',
          styles['reactButtonEmoji'],
        )}
        aria-label={`Reaksi ${name}`}
        aria-pressed={emoji === mine}
        onClick={() => onReact(emoji)}
      >
        {emoji}
      </button>
    ))}
    <button
      type="button"
      className={classes(
        'place-center muted size-44 rounded-full leading-none hover ring-inset',
        styles['more'],
      )}
      aria-label="Emoji lain"
      onClick={onMore}
    >
      <Plus size={20} />
    </button>
  </div>
);
