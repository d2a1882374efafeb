import { Mic, SendHorizontal } from 'lucide-react';
import {
  useId,
  useRef,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import styles from '#web/ui/chat/composer/Composer.module.css';
import { Tools, type Tool } from '#web/ui/chat/composer/Tools.tsx';
import { EmojiButton } from '#web/ui/chat/emoji/EmojiButton.tsx';
import { classes } from '#web/ui/classes.ts';
import { insertText } from '#web/ui/text/insertText.ts';
import { isNearlyFull, tooLong } from '#web/ui/text/textLength.ts';
import { TextCounter } from '#web/ui/text/TextCounter.tsx';
import { useFileDrop } from '#web/ui/upload/drop/useFileDrop.ts';

/** What is offered over the box while somebody types: a list that the box's keys walk. */
export type ComposerOffer = {
  list: ReactNode;
  listId: string;
  /** The option that is marked. */
  activeId: string | undefined;
  /** Hears keys before the box does. @returns whether the key was for the list */
  onKey: (event: KeyboardEvent<HTMLTextAreaElement>) => boolean;
};

type Props = {
  /** What the box is, for screen readers: 'Tulis pesan untuk Budi'. */
  label: string;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
  /** Enter, or the button. Never called with blanks only, unless something is `attached`. */
  onSend: (text: string) => void;
  /** Something goes along that needs no words. */
  attached?: boolean;
  /** Stands over the box. */
  offer?: ComposerOffer | undefined;
  /** Why nothing can be sent now; shown in place of the box. */
  blocked?: ReactNode;
  /** A longer text stays as it is, and cannot be sent: the box says so. */
  maxLength?: number;
  /** Files chosen by the tools, dropped or pasted; without it there are no tools. */
  onFiles?: ((files: readonly File[]) => void) | undefined;
  /** What the document tool takes, as `accept` has it; everything when left out. */
  documents?: string;
  /** What the tool for pictures takes; JPEG, PNG and WebP when left out. */
  pictures?: { name: string; accept: string } | undefined;
  /** What else can be sent from here, in place of choosing a contact card's file. */
  tools?: readonly Tool[] | undefined;
  /** Words on the button in place of the icon, for a box that does not send. */
  sendWord?: string | undefined;
  /** Begins to record a voice message; without it there is no microphone. */
  onRecord?: (() => void) | undefined;
  /** Where files may be dropped: the whole thread; the composer itself when left out. */
  dropZone?: RefObject<HTMLElement | null>;
  /** ArrowUp in an empty box brings this text back. */
  lastDraft?: string | undefined;
  /** The box itself, for who leads back to it. */
  box?: RefObject<HTMLTextAreaElement | null>;
};

/**
 * Where a message is written. Enter sends, Shift+Enter breaks the line; a word still being composed is
 * never sent, nor is a text beyond `maxLength`. With `onFiles`, tools beside it choose pictures, photos, documents and more.
 */
export function Composer(props: Props) {
  const { label, placeholder = 'Tulis pesan', value, onChange, onSend, blocked } = props;
  const { onFiles, dropZone, maxLength = Infinity, attached = false } = props;
  const { offer, onRecord } = props;
  const faultId = useId();
  const own = useRef<HTMLTextAreaElement>(null);
  const box = props.box ?? own;
  const form = useRef<HTMLFormElement>(null);
  const dragging = useFileDrop(dropZone ?? form, blocked ? undefined : onFiles);
  const text = value.trim();
  const fault = tooLong(text.length, maxLength);
  const unsendable = (text === '' && !attached) || fault !== undefined;
  const send = () => {
    if (unsendable) return;
    onSend(text);
    box.current?.focus();
  };
  const keys = pressing(props, send);
  const choose = (files: readonly File[]) => {
    onFiles?.(files);
    box.current?.focus();
  };
  if (blocked)
    return <div className={classes(styles['composer'], styles['blocked'])}>{blocked}</div>;
  return (
    <form
      ref={form}
      className={classes(styles['composer'], dragging && styles['dragging'])}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {offer && <div className={styles['offer']}>{offer.list}</div>}
      {onFiles && (
        <Tools
          documents={props.documents}
          pictures={props.pictures}
          more={props.tools}
          onChoose={choose}
        />
      )}
      <div className={styles['field']}>
        <textarea
          ref={box}
          rows={1}
          className={styles['box']}
          aria-label={label}
          placeholder={dragging ? 'Lepaskan untuk melampirkan' : placeholder}
          aria-invalid={fault !== undefined || undefined}
          aria-describedby={fault && faultId}
          {...linksOf(offer)}
          enterKeyHint="send"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={keys}
          onPaste={pasting(onFiles)}
        />
        <EmojiButton
          className={classes(styles['toggle'], styles['emoji'])}
          onPick={(emoji) => insertText(box.current, value, emoji, onChange)}
        />
      </div>
      {onRecord && text === '' && !attached && <Microphone onClick={onRecord} />}
      <Send off={unsendable} word={props.sendWord} />
      <LengthNote id={faultId} fault={fault} length={text.length} max={maxLength} />
    </form>
  );
}

/** Files that are pasted are attached; a text goes into the box as ever. */
const pasting = (onFiles: Props['onFiles']) => (event: ClipboardEvent) => {
  const files = [...event.clipboardData.files];
  if (!onFiles || files.length === 0) return;
  event.preventDefault();
  onFiles(files);
};

const Microphone = ({ onClick }: { onClick: () => void }) => (
  <button
    type="button"
    className={classes(styles['toggle'], styles['microphone'])}
    aria-label="Rekam pesan suara"
    onClick={onClick}
  >
    <Mic size={20} aria-hidden="true" />
  </button>
);

type Key = KeyboardEvent<HTMLTextAreaElement>;

/** What the keys of the box do: those of what stands over it come first. */
const pressing =
  ({ offer, value, lastDraft, onChange }: Props, send: () => void) =>
  (event: Key) => {
    if (offer?.onKey(event)) return event.preventDefault();
    const key = event.nativeEvent.isComposing || event.shiftKey || event.altKey ? '' : event.key;
    const does =
      key === 'Enter'
        ? send
        : key === 'ArrowUp' && value === '' && lastDraft && (() => onChange(lastDraft));
    if (!does) return;
    event.preventDefault();
    does();
  };

const linksOf = (offer: ComposerOffer | undefined) =>
  offer && {
    'aria-autocomplete': 'list' as const,
    'aria-controls': offer.listId,
    'aria-activedescendant': offer.activeId,
  };

const Send = ({ off, word }: { off: boolean; word: string | undefined }) => (
  <button
    type="submit"
    className={classes(styles['send'], word && styles['worded'])}
    aria-label={word ?? 'Kirim'}
    aria-disabled={off || undefined}
  >
    {word ?? <SendHorizontal size={20} aria-hidden="true" />}
  </button>
);

type LengthNoteProps = { id: string; fault: string | undefined; length: number; max: number };

/** Under the box: how full it is, once that matters, and that it is too full. */
const LengthNote = ({ id, fault, length, max }: LengthNoteProps) =>
  isNearlyFull(length, max) && (
    <p className={styles['room']}>
      <span id={id} className={styles['fault']}>
        {fault}
      </span>
      <TextCounter length={length} max={max} />
    </p>
  );
