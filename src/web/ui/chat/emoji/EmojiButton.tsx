import { Smile } from 'lucide-react';
import { useRef, useState } from 'react';
import { EmojiPopover } from '#web/ui/chat/emoji/EmojiPopover.tsx';

type Props = {
  className?: string | undefined;
  onPick: (emoji: string) => void;
  onClose?: () => void;
};

/** Opens the emoji picker, which stays open until Escape or a press outside. */
export function EmojiButton({ className, onPick, onClose }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    onClose?.();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label="Emoji"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => (open ? close() : setOpen(true))}
      >
        <Smile size={20} />
      </button>
      {open && <EmojiPopover anchor={button} label="Pilih emoji" onPick={onPick} onClose={close} />}
    </>
  );
}
