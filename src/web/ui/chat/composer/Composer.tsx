import { Mic, SendHorizontal } from 'lucide-react';
import {
  useId,
  useRef,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import styles from '#web/ui/chat/composer/composer.module.css';
import { Tools, type Tool } from '#web/ui/chat/composer/Tools.tsx';
import { EmojiButton } from '#web/ui/chat/emoji/EmojiButton.tsx';
import { classes } from '#web/ui/classes.ts';
import { insertText } from '#web/ui/text/insertText.ts';
import { isNearlyFull, tooLong } from '#web/ui/text/textLength.ts';
import { TextCounter } from '#web/ui/text/TextCounter.tsx';
import { useFileDrop } from '#web/ui/upload/drop/useFileDrop.ts';

export type ComposerOffer = {
  list: ReactNode;
  listId: string;
  activeId: string | undefined;
  /** Handles keys before the box. @returns whether the key was handled */
  onKey: (event: KeyboardEvent<HTMLTextAreaElement>) => boolean;
};

const textBox = classes('block w-full min-h-44 border-control surface leading-14', styles['box']);
const emoji = classes('place-center flex-none rounded-full muted hover', styles['emoji']);

type Props = {
  /** The accessible name of the box: 'Tulis pesan untuk Budi'. */
  label: string;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
  /** On Enter or the button. Called with a blank text only if something is `attached`. */
  onSend: (text: string) => void;
  /** Something is attached, so the text may be empty. */
  attached?: boolean;
  offer?: ComposerOffer | undefined;
  /** Why sending is impossible; replaces the box. */
  blocked?: ReactNode;
  /** A longer text stays in the box but cannot be sent; the box shows the fault. */
  maxLength?: number;
  /** Receives files that are selected, dropped or pasted; omitted: no tools. */
  onFiles?: ((files: readonly File[]) => void) | undefined;
  /** The `accept` of the document tool; omitted: everything. */
  documents?: string;
  /** The name and `accept` of the picture tool; omitted: JPEG, PNG and WebP. */
  pictures?: { name: string; accept: string } | undefined;
  tools?: readonly Tool[] | undefined;
  sendWord?: string | undefined;
  /** Starts a voice recording; omitted: no microphone. */
  onRecord?: (() => void) | undefined;
  /** The drop area: the whole thread; omitted: the composer itself. */
  dropZone?: RefObject<HTMLElement | null>;
  /** ArrowUp in an empty box restores this text. */
  lastDraft?: string | undefined;
  box?: RefObject<HTMLTextAreaElement | null>;
};

const frame = classes('flex wrap gap-8 border-t surface relative', styles['composer']);

/**
 * The message box. Enter sends, Shift+Enter breaks the line; text in composition or beyond `maxLength` is never sent.
 * With `onFiles`, tools select pictures, photos, documents and more.
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
    return <div className={classes(frame, 'muted text-center', 'block px-16')}>{blocked}</div>;
  return (
    <form
      ref={form}
      className={classes(frame, dragging && styles['dragging'])}
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
      <div className={classes('min-w-0 relative', styles['field'])}>
        <textarea
          ref={box}
          rows={1}
          className={textBox}
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
          className={emoji}
          onPick={(emoji) => insertText(box.current, value, emoji, onChange)}
        />
      </div>
      {onRecord && text === '' && !attached && <Microphone onClick={onRecord} />}
      <Send off={unsendable} word={props.sendWord} />
      <LengthNote id={faultId} fault={fault} length={text.length} max={maxLength} />
    </form>
  );
}

const pasting = (onFiles: Props['onFiles']) => (event: ClipboardEvent) => {
  const files = [...event.clipboardData.files];
  if (!onFiles || files.length === 0) return;
  event.preventDefault();
  onFiles(files);
};

const Microphone = ({ onClick }: { onClick: () => void }) => (
  <button
    type="button"
    className={classes(
      'place-center flex-none size-44 rounded-full muted hover',
      styles['microphone'],
    )}
    aria-label="Rekam pesan suara"
    onClick={onClick}
  >
    <Mic size={20} />
  </button>
);

type Key = KeyboardEvent<HTMLTextAreaElement>;

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
    className={classes(
      'place-center flex-none size-44 rounded-full solid-primary hover-primary',
      styles['send'],
      word && classes('px-16 strong rounded-full', styles['worded']),
    )}
    aria-label={word ?? 'Kirim'}
    aria-disabled={off || undefined}
  >
    {word ?? <SendHorizontal size={20} />}
  </button>
);

type LengthNoteProps = { id: string; fault: string | undefined; length: number; max: number };

const LengthNote = ({ id, fault, length, max }: LengthNoteProps) =>
  isNearlyFull(length, max) && (
    <p className={classes('flex justify-between gap-12', styles['room'])}>
      <span id={id} className="small text-danger">
        {fault}
      </span>
      <TextCounter length={length} max={max} />
    </p>
  );
