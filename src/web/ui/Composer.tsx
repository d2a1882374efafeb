import { Plus, SendHorizontal, X } from 'lucide-react';
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import styles from '#web/ui/Composer.module.css';
import { classes } from '#web/ui/rules/classes.ts';

type Props = {
  /** What the box is, for screen readers: 'Tulis pesan untuk Budi'. */
  label: string;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
  /** Enter, or the button. Never called with blanks only. */
  onSend: (text: string) => void;
  /** Why nothing can be sent now; shown in place of the box. */
  blocked?: ReactNode;
  maxLength?: number;
  /** The tools behind the + button: images, files, contacts. */
  tools?: ReactNode;
};

/** Enter sends, Shift+Enter breaks the line; a word still being composed is never sent. */
export function Composer(props: Props) {
  const { label, placeholder = 'Tulis pesan', value, onChange, onSend, blocked, tools } = props;
  const box = useRef<HTMLTextAreaElement>(null);
  const send = () => {
    const text = value.trim();
    if (text === '') return;
    onSend(text);
    box.current?.focus();
  };
  const keys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const plain = event.key === 'Enter' && !event.shiftKey && !event.altKey;
    if (!plain || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  if (blocked)
    return <div className={classes(styles['composer'], styles['blocked'])}>{blocked}</div>;
  return (
    <form
      className={styles['composer']}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {tools && <Tools>{tools}</Tools>}
      <textarea
        ref={box}
        rows={1}
        className={styles['box']}
        aria-label={label}
        placeholder={placeholder}
        maxLength={props.maxLength}
        enterKeyHint="send"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={keys}
      />
      <button
        type="submit"
        className={styles['send']}
        aria-label="Kirim"
        aria-disabled={value.trim() === '' || undefined}
      >
        <SendHorizontal size={20} aria-hidden="true" />
      </button>
    </form>
  );
}

function Tools({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const toggle = useRef<HTMLButtonElement>(null);
  const keys = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open) return;
    setOpen(false);
    toggle.current?.focus();
  };
  return (
    // Escape anywhere inside; the toggle does the same for pointers.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className={styles['tools']} onKeyDown={keys}>
      <button
        ref={toggle}
        type="button"
        className={styles['toggle']}
        aria-label="Lampiran"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {open ? <X size={20} /> : <Plus size={20} />}
      </button>
      <div id={id} className={styles['options']} hidden={!open}>
        {children}
      </div>
    </div>
  );
}
