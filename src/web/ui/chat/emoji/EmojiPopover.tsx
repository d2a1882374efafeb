import { Suspense, type ReactNode, type RefObject } from 'react';
import { later } from '#web/browser/lazyComponent.ts';
import styles from '#web/ui/chat/emoji/emoji.module.css';
import { classes } from '#web/ui/classes.ts';
import { Popover } from '#web/ui/overlay/Popover.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

const EmojiPicker = later(() => import('#web/ui/chat/emoji/EmojiPicker.tsx'));

type Props = {
  anchor: RefObject<HTMLElement | null>;
  label: string;
  onPick: (emoji: string) => void;
  onClose: () => void;
  /** A few quick emoji in place of all, with a button for the others. */
  children?: ReactNode;
};

/** The emoji popover at its anchor; it takes the focus. */
export const EmojiPopover = ({ anchor, label, onPick, onClose, children }: Props) => (
  <Popover
    anchor={anchor}
    gap={6}
    edge={8}
    role="dialog"
    aria-label={label}
    onLeave={onClose}
    onEscape={onClose}
    onShown={(popover) => popover.querySelector<HTMLElement>('button, input')?.focus()}
  >
    {children ?? (
      <Suspense fallback={<Waiting />}>
        <Focused>
          <EmojiPicker onPick={onPick} />
        </Focused>
      </Suspense>
    )}
  </Popover>
);

/** The picker is loaded after the popover, and takes the focus when it is there. */
const Focused = ({ children }: { children: ReactNode }) => (
  <div ref={takeFocus} className="grid">
    {children}
  </div>
);

function takeFocus(place: HTMLDivElement | null): void {
  place?.querySelector('input')?.focus({ preventScroll: true });
}

const Waiting = () => (
  <div className={classes('grid gap-8', styles['waiting'])} aria-busy="true">
    <Skeleton height={44} />
    <Skeleton height={240} />
  </div>
);
