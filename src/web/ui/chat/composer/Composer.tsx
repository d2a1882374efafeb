import { Camera, ContactRound, FileText, Image, Mic, Plus, SendHorizontal } from 'lucide-react';
import {
  useId,
  useRef,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import styles from '#web/ui/chat/composer/Composer.module.css';
import { Disclosure } from '#web/ui/disclosure/Disclosure.tsx';
import { classes } from '#web/ui/classes.ts';
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
  /** Opens a form for a contact, in place of choosing a card's file; null where none can be sent. */
  onContact?: (() => void) | null | undefined;
  /** Begins to record a voice message; without it there is no microphone. */
  onRecord?: (() => void) | undefined;
  /** Where files may be dropped: the whole thread; the composer itself when left out. */
  dropZone?: RefObject<HTMLElement | null>;
  /** ArrowUp in an empty box brings this text back. */
  lastDraft?: string | undefined;
};

/**
 * Where a message is written. Enter sends, Shift+Enter breaks the line; a word still being composed is
 * never sent, nor is a text beyond `maxLength`. With `onFiles`, tools beside it choose pictures, photos, documents and contacts.
 */
export function Composer(props: Props) {
  const { label, placeholder = 'Tulis pesan', value, onChange, onSend, blocked } = props;
  const { onFiles, dropZone, maxLength = Infinity, attached = false } = props;
  const { offer, onRecord } = props;
  const faultId = useId();
  const box = useRef<HTMLTextAreaElement>(null);
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
  const paste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (!onFiles || files.length === 0) return;
    event.preventDefault();
    onFiles(files);
  };
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
        <Tools documents={props.documents} onChoose={choose} onContact={props.onContact} />
      )}
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
        onPaste={paste}
      />
      {onRecord && text === '' && !attached && <Microphone onClick={onRecord} />}
      <Send off={unsendable} />
      <LengthNote id={faultId} fault={fault} length={text.length} max={maxLength} />
    </form>
  );
}

const Microphone = ({ onClick }: { onClick: () => void }) => (
  <button
    type="button"
    className={styles['toggle']}
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

const Send = ({ off }: { off: boolean }) => (
  <button
    type="submit"
    className={styles['send']}
    aria-label="Kirim"
    aria-disabled={off || undefined}
  >
    <SendHorizontal size={20} aria-hidden="true" />
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

const PICTURES = 'image/jpeg,image/png,image/webp';

type ToolsProps = {
  documents: string | undefined;
  onChoose: (files: readonly File[]) => void;
  onContact: (() => void) | null | undefined;
};

/** The tools behind the + button: real file inputs, each as large as its tool. */
const Tools = ({ documents, onChoose, onContact }: ToolsProps) => (
  <Disclosure
    label="Lampiran"
    icon={<Plus size={20} aria-hidden="true" />}
    className={styles['tools']}
    toggleClass={styles['toggle']}
    contentClass={styles['options']}
  >
    {(close) => {
      const chosen = (files: readonly File[]) => {
        close();
        onChoose(files);
      };
      return (
        <>
          <Tool icon={Image} name="Gambar" accept={PICTURES} multiple onChoose={chosen} />
          <Tool icon={Camera} name="Kamera" accept="image/*" capture onChoose={chosen} />
          <Tool icon={FileText} name="Dokumen" accept={documents} multiple onChoose={chosen} />
          {onContact ? (
            <button
              type="button"
              className={styles['tool']}
              onClick={() => {
                close();
                onContact();
              }}
            >
              <ContactRound size={20} aria-hidden="true" />
              Kontak
            </button>
          ) : (
            onContact === undefined && (
              <Tool icon={ContactRound} name="Kontak" accept=".vcf,text/vcard" onChoose={chosen} />
            )
          )}
        </>
      );
    }}
  </Disclosure>
);

type ToolProps = {
  icon: typeof Plus;
  name: string;
  accept: string | undefined;
  multiple?: boolean;
  /** Phones open the camera on the back. */
  capture?: boolean;
  onChoose: (files: readonly File[]) => void;
};

const Tool = ({ icon: Icon, name, accept, multiple, capture, onChoose }: ToolProps) => (
  <label className={styles['tool']}>
    <Icon size={20} aria-hidden="true" />
    {name}
    <input
      type="file"
      className={styles['file']}
      accept={accept}
      multiple={multiple}
      capture={capture ? 'environment' : undefined}
      onChange={({ target }) => {
        const files = [...(target.files ?? [])];
        // The same file can be chosen again.
        target.value = '';
        if (files.length > 0) onChoose(files);
      }}
    />
  </label>
);
