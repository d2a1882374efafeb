import { isolated } from '#contract/base/names.ts';
import { ContactRound, X } from 'lucide-react';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { TEXT_MAX } from '#contract/messages.ts';
import { later } from '#web/browser/lazyComponent.ts';
import { Attachments } from '#web/ui/chat/attachments/Attachments.tsx';
import { CardShown } from '#web/features/support/chat/CardLink.tsx';
import { documentEndings } from '#web/ui/chat/attachments/fileFault.ts';
import styles from '#web/features/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
import type { ComposerOptions, SupportChatProps } from '#web/features/support/chat/chatProps.ts';
import { useTellTyping } from '#web/features/support/chat/TypingNow.tsx';
import { addOutgoing, type NewLine } from '#web/features/support/outbox/outbox.ts';
import { waitingBytes } from '#web/features/support/outbox/outgoingLine.ts';
import type { SupportPort } from '#web/features/support/port.ts';
import { useAttached } from '#web/ui/chat/attachments/useAttached.ts';
import { Composer } from '#web/ui/chat/composer/Composer.tsx';

const ContactForm = later(
  async () => (await import('#web/features/support/chat/ContactForm.tsx')).ContactForm,
);
const Recorder = later(async () => (await import('#web/ui/chat/recorder/Recorder.tsx')).Recorder);

type Props = Pick<SupportChatProps, 'port' | 'name' | 'blocked' | 'about'> & {
  options: ComposerOptions | undefined;
  dropZone: RefObject<HTMLElement | null>;
};

const DOCUMENTS = documentEndings('chat');

export function SupportComposer(props: Props) {
  const { port, blocked, about, options } = props;
  const [mode, setMode] = useState<Mode>('text');
  const place = useFocusBack(mode);
  const internal = options?.internal || undefined;
  const send: Send = async (first, files) => {
    if (options?.maySend && !(await options.maySend())) return false;
    sendAll(port, { ...first, card: about?.card, internal }, files);
    about?.onSent();
    setMode('text');
    return true;
  };
  return (
    <div
      ref={place}
      className={classes('flex-none surface', styles['place'])}
      data-internal={internal}
    >
      {about && !blocked && <About {...about} />}
      {mode === 'text' && <TextBox {...props} onMode={setMode} onSend={send} />}
      {mode === 'contact' && (
        <ContactForm
          onClose={() => setMode('text')}
          onSend={(contact) => void send({ contact }, [])}
        />
      )}
      {mode === 'audio' && (
        <Recorder onClose={() => setMode('text')} onSend={(file) => void send({}, [{ file }])} />
      )}
    </div>
  );
}

type Mode = 'text' | 'contact' | 'audio';

/** Returns focus to the box when the form that had it is gone. @returns the box's container */
function useFocusBack(mode: Mode): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(mode);
  useEffect(() => {
    if (mode === 'text' && before.current !== 'text') {
      // A phone's keyboard would cover the sent message.
      const next = matchMedia('(pointer: fine)').matches ? 'textarea' : 'button';
      place.current?.querySelector<HTMLElement>(next)?.focus();
    }
    before.current = mode;
  }, [mode]);
  return place;
}

type FileToSend = { file: File; caption?: string };

/** @returns whether it was queued */
type Send = (
  first: Pick<NewLine, 'text' | 'contact'>,
  files: readonly FileToSend[],
) => Promise<boolean>;
type BoxProps = Props & { onMode: (mode: Mode) => void; onSend: Send };

function TextBox({ port, name, blocked, options, dropZone, onMode, onSend }: BoxProps) {
  const {
    internal = false,
    offer,
    onWrite,
    placeholder = 'Tulis pesan',
    text = '',
  } = options ?? {};
  const attached = useAttached({
    thread: `support ${port.key}`,
    purpose: 'chat',
    captionMax: () => TEXT_MAX,
    elsewhere: waitingBytes,
  });
  const { files, selected } = attached;
  const tellTyping = useTellTyping(port);
  const write = (text: string) => {
    attached.write(text);
    onWrite?.(text);
    if (text !== '') tellTyping();
  };
  const send = async (text: string) => {
    if (!attached.check() || !(await onSend({ text: text || undefined }, files))) return;
    attached.forget();
    onWrite?.('');
  };
  const [put, setPut] = useState(text);
  if (put !== text) {
    setPut(text);
    if (attached.text === '') attached.write(text);
  }
  return (
    <>
      <Attachments attached={attached} />
      <Composer
        label={
          selected
            ? `Tulis keterangan untuk ${selected.file.name}`
            : `Tulis pesan untuk ${isolated(name)}`
        }
        placeholder={selected ? 'Tulis keterangan' : placeholder}
        box={attached.box}
        value={attached.text}
        onChange={write}
        attached={files.length > 0}
        maxLength={attached.maxLength}
        blocked={blocked}
        documents={DOCUMENTS}
        dropZone={dropZone}
        onFiles={attached.attach}
        sendWord={internal ? 'Simpan catatan' : undefined}
        tools={[{ icon: ContactRound, name: 'Kontak', onOpen: () => onMode('contact') }]}
        onRecord={internal ? undefined : () => onMode('audio')}
        offer={offer?.(attached.text, write)}
        onSend={(text) => void send(text)}
      />
    </>
  );
}

const About = ({ card, onRemove }: NonNullable<SupportChatProps['about']>) => (
  <div className="py-10 px-12 border-t">
    <CardShown card={card}>
      <button
        type="button"
        className="place-center flex-none muted size-40 rounded-full hover"
        aria-label="Jangan sertakan"
        onClick={onRemove}
      >
        <X size={18} aria-hidden="true" />
      </button>
    </CardShown>
  </div>
);

/** Sends a message per file, or one without a file; the card goes with the first. */
function sendAll(
  port: SupportPort,
  first: Omit<NewLine, 'thread' | 'file'>,
  files: readonly FileToSend[],
): void {
  const thread = port.key;
  if (files.length === 0) addOutgoing({ ...first, thread });
  for (const [index, { file, caption = '' }] of files.entries()) {
    const text = caption.trim() || undefined;
    const rest = index === 0 ? first : { internal: first.internal };
    addOutgoing({ ...rest, thread, text, file });
  }
}
