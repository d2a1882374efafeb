import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';
import { uuidOf } from '#contract/base/ids.ts';
import type { SupportMessage, SupportCard, SupportSubject } from '#contract/support.ts';
import type { Flat } from '#web/api/lists/flatList.ts';
import { addUnsent, useUnsent } from '#web/api/outbox.ts';
import type { Unsent } from '#web/api/unsent.ts';
import { useUser } from '#web/api/user.ts';
import { linesQuery, readOlderLines } from '#web/features/support/lines.ts';
import type { SupportPort } from '#web/features/support/port.ts';
import type { SupportBody } from '#web/features/support/sending.ts';
import { ThreadList } from '#web/ui/chat/thread/ThreadList.tsx';
import { UnsentBubble } from '#web/ui/chat/thread/UnsentBubble.tsx';
import { ThreadSkeleton } from '#web/ui/chat/thread/ThreadSkeleton.tsx';
import { threadItems, type ThreadLine } from '#web/ui/chat/thread/threadItems.ts';
import { useKeyboardInset } from '#web/ui/chat/thread/useKeyboardInset.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { isolated } from '#contract/base/names.ts';
import {
  ContactRound,
  X,
  ChevronRight,
  FileText,
  KeyRound,
  MessageSquareText,
  Wallet,
} from 'lucide-react';
import { TEXT_MAX } from '#contract/messages.ts';
import { later } from '#web/browser/lazyComponent.ts';
import { Attachments } from '#web/ui/chat/attachments/Attachments.tsx';
import { documentEndings } from '#web/ui/chat/attachments/fileFault.ts';
import styles from '#web/features/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
import { useAttached } from '#web/ui/chat/attachments/useAttached.ts';
import { Composer, type ComposerOffer } from '#web/ui/chat/composer/Composer.tsx';
import { formatTime } from '#contract/base/time.ts';
import { ChatBubble } from '#web/ui/chat/ChatBubble.tsx';
import { Ticks } from '#web/ui/chat/Ticks.tsx';
import { Link } from '#web/browser/router/Link.tsx';
import { onLiveEvent } from '#web/live/listeners.ts';

type ComposerOptions = {
  placeholder?: string;
  text?: string;
  internal?: boolean;
  /** Suggestions over the box for its current text: canned replies. */
  offer?: (text: string, write: (text: string) => void) => ComposerOffer | undefined;
  /** Called on each change; '' when the box is empty again. */
  onWrite?: (text: string) => void;
  /** Asked before sending; the text stays when it resolves to false. */
  maySend?: () => Promise<boolean>;
};

export type SupportChatProps = {
  port: SupportPort;
  name: string;
  blocked?: ReactNode;
  empty?: ReactNode;
  foot?: ReactNode;
  above?: ReactNode;
  about?: { card: SupportCard; onRemove: () => void; onSent: () => void } | undefined;
  composer?: ComposerOptions;
};

export function SupportChat(props: SupportChatProps) {
  const { port, name, blocked, empty, foot, above, about, composer } = props;
  const root = useRef<HTMLElement>(null);
  const { data, error, refetch } = useQuery(linesQuery(port));
  const outgoing = useOutgoing(port, data);
  useKeyboardInset(root);
  const isEmpty = data?.rows.length === 0 && outgoing.length === 0;
  return (
    <section
      ref={root}
      className="column fill min-h-0 paper"
      aria-label={`Percakapan dengan ${name}`}
    >
      {!data && (
        <div className="grow min-h-0 overflow-hidden">
          {error ? <WentWrong query={{ error, refetch }} /> : <ThreadSkeleton />}
        </div>
      )}
      {data && isEmpty && <div className="column grow min-h-0 scroll-y">{empty}</div>}
      {data && !isEmpty && (
        <Lines
          key={port.key}
          port={port}
          name={name}
          thread={data}
          outgoing={outgoing}
          foot={foot}
        />
      )}
      {above}
      <SupportComposer
        key={`${port.key} composer`}
        port={port}
        name={name}
        blocked={blocked}
        about={about}
        options={composer}
        dropZone={root}
      />
    </section>
  );
}

type Outgoing = Unsent<SupportBody>;

const outboxOf = ({ side }: SupportPort) => (side === 'customer' ? 'support' : 'inbox');

/** Outgoing messages that the server has not returned yet. */
function useOutgoing(port: SupportPort, thread: Flat<SupportMessage> | undefined) {
  const outgoing: readonly Outgoing[] = useUnsent(outboxOf(port), port.key);
  const rows = thread?.rows;
  return useMemo(() => {
    // A message is identified by the id that its browser made.
    const there = new Set(rows?.map(({ id }) => uuidOf('support', id)));
    return outgoing.filter(({ id }) => !there.has(id));
  }, [outgoing, rows]);
}

type LinesProps = {
  port: SupportPort;
  name: string;
  thread: Flat<SupportMessage>;
  outgoing: readonly Outgoing[];
  foot: ReactNode;
};

function Lines({ port, name, thread, outgoing, foot }: LinesProps) {
  const client = useQueryClient();
  const zone = useUser().timezone;
  const typing = useTypingNow(port);
  const unreadFrom = useUnreadFrom(port, thread.rows);
  const newest = newestUnread(port, thread.rows);
  const items = useMemo(
    () =>
      threadItems({
        lines: linesOf(port.side, thread.rows, outgoing),
        ended: thread.ended,
        unreadFrom,
        zone,
        now: new Date(),
      }),
    [port.side, thread.rows, thread.ended, outgoing, unreadFrom, zone],
  );
  const render = useCallback(
    (body: LineBody, first: boolean) => (
      <SupportLine body={body} first={first} port={port} name={name} zone={zone} />
    ),
    [port, name, zone],
  );
  return (
    <ThreadList
      items={items}
      sending={outgoing.length}
      ended={thread.ended}
      readOlder={() => readOlderLines(client, port)}
      render={render}
      seen={{ newest, report: async () => newest !== undefined && port.read(newest) }}
      foot={
        (foot || typing) && (
          <>
            {typing && <TypingNow name={typing} />}
            {foot}
          </>
        )
      }
    />
  );
}

const ME = '';

const linesOf = (
  side: SupportPort['side'],
  newestFirst: readonly SupportMessage[],
  outgoing: readonly Outgoing[],
): readonly ThreadLine<LineBody>[] => [
  ...newestFirst.toReversed().map((message) => ({
    key: message.id,
    side: message.side === side ? ('out' as const) : ('in' as const),
    at: message.at,
    by: message.mine ? ME : (message.author ?? undefined),
    body: { message },
  })),
  ...outgoing.map((one) => ({
    key: one.id,
    side: 'out' as const,
    at: new Date(one.at),
    by: ME,
    body: { outgoing: one },
  })),
];

/** The other side's first message that was unread on opening, until it is answered. */
function useUnreadFrom(
  { side, thread }: SupportPort,
  newestFirst: readonly SupportMessage[],
): string | undefined {
  const read = side === 'customer' ? thread?.customer_read : thread?.operator_read;
  const [mark, setMark] = useState(read);
  if (mark === undefined && read !== undefined) setMark(read);
  if (mark === undefined) return undefined;
  const since = newestFirst.filter(({ seq }) => seq > mark);
  if (since.some((line) => line.side === side && !line.internal)) return undefined;
  return since.findLast((line) => line.side !== side && line.side !== 'system')?.id;
}

const ContactForm = later(() => import('#web/features/support/chat/ContactForm.tsx'));
const Recorder = later(() => import('#web/ui/chat/recorder/Recorder.tsx'));

type Props = Pick<SupportChatProps, 'port' | 'name' | 'blocked' | 'about'> & {
  options: ComposerOptions | undefined;
  dropZone: RefObject<HTMLElement | null>;
};

const DOCUMENTS = documentEndings('chat');

function SupportComposer(props: Props) {
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
  first: Pick<SupportBody, 'text' | 'contact'>,
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
        <X size={18} />
      </button>
    </CardShown>
  </div>
);

/** Sends a message per file, or one without a file; the card goes with the first. */
function sendAll(port: SupportPort, first: SupportBody, files: readonly FileToSend[]): void {
  const add = (body: SupportBody, file?: File) =>
    addUnsent({ kind: outboxOf(port), thread: port.key, body, file });
  if (files.length === 0) add(first);
  for (const [index, { file, caption = '' }] of files.entries()) {
    const text = caption.trim() || undefined;
    add({ ...(index === 0 ? first : { internal: first.internal }), text }, file);
  }
}

/** The number of the other side's newest message; undefined if it was read. */
function newestUnread({ side, thread }: SupportPort, newestFirst: readonly SupportMessage[]) {
  const read = side === 'customer' ? thread?.customer_read : thread?.operator_read;
  const seq = newestFirst.find((line) => line.side !== side && line.side !== 'system')?.seq ?? 0;
  return read !== undefined && seq > read ? seq : undefined;
}

type LineBody = { message: SupportMessage } | { outgoing: Outgoing };

type Place = {
  first: boolean;
  port: SupportPort;
  name: string;
  zone: string;
};

function SupportLine({ body, ...place }: Place & { body: LineBody }) {
  if ('outgoing' in body) return <UnsentMessage message={body.outgoing} {...place} />;
  const { message } = body;
  return message.side === 'system' ? (
    <p className="flex wrap justify-center gap-x-6 py-6 small faint text-center num">
      {message.content.caption}{' '}
      <time dateTime={message.at.toISOString()}>{formatTime(message.at, place.zone)}</time>
    </p>
  ) : (
    <SentMessage message={message} {...place} />
  );
}

function SentMessage({ message, first, port, name, zone }: Place & { message: SupportMessage }) {
  const { side, author, mine, content, card, size, at, internal, seq } = message;
  const ours = side === port.side;
  const sender = mine ? 'Anda' : (author ?? name);
  const seen = port.side === 'customer' ? port.thread?.operator_read : port.thread?.customer_read;
  return (
    <ChatBubble
      as="div"
      message={{ ...content, file: { size } }}
      side={ours ? 'out' : 'in'}
      sender={sender}
      time={formatTime(at, zone)}
      at={at}
      first={first}
      internal={internal}
      head={
        <Head by={first && !mine && author ? author : ''} internal={internal}>
          {card && <CardLink card={card} href={port.hrefOf(card)} />}
        </Head>
      }
      ticks={ours && !internal && <Ticks mark={seq <= (seen ?? 0) ? 'read' : 'sent'} iconOnly />}
    />
  );
}

type HeadProps = { by: string; internal?: boolean; children: ReactNode };

const Head = ({ by, internal, children }: HeadProps) => (
  <>
    {(by || internal) && (
      <span className="row wrap gap-6 small muted strong">
        {by && <bdi>{by}</bdi>}
        {internal && <span className="tiny text-warning">Catatan internal</span>}
      </span>
    )}
    {children}
  </>
);

function UnsentMessage({ message, first, port, zone }: Place & { message: Outgoing }) {
  const { text = '', contact, card, internal = false } = message.body;
  return (
    <UnsentBubble
      message={message}
      first={first}
      zone={zone}
      shown={(file) =>
        contact
          ? { type: 'vcard', ...contact, caption: text }
          : { ...(file ?? { type: 'text' }), caption: text }
      }
      internal={internal}
      head={
        <Head by="" internal={internal}>
          {card && <CardLink card={card} href={port.hrefOf(card)} />}
        </Head>
      }
    />
  );
}

const icons: Record<SupportSubject, typeof FileText> = {
  message: MessageSquareText,
  token: KeyRound,
  topup: Wallet,
  invoice: FileText,
};

const look = classes(
  'row gap-10 ink leading-ui no-underline min-h-44 py-8 px-10 border rounded surface',
);

/** A card of a message. @param href undefined if its record was deleted */
const CardLink = ({ card, href }: { card: SupportCard; href: string | undefined }) =>
  href === undefined ? (
    <div className={look}>
      <CardFacts card={card} />
    </div>
  ) : (
    <Link href={href} className={classes(look, 'hover')}>
      <CardFacts card={card} />
      <ChevronRight size={18} className="flex-none faint" />
    </Link>
  );

const CardShown = ({ card, children }: { card: SupportCard; children: ReactNode }) => (
  <div className="row gap-10 ink leading-ui no-underline min-h-44 py-8 px-10 border rounded surface">
    <CardFacts card={card} />
    {children}
  </div>
);

function CardFacts({ card }: { card: SupportCard }) {
  const Icon = icons[card.type];
  return (
    <>
      <span className="place-center flex-none text-accent size-32 rounded-full bg-primary">
        <Icon size={18} aria-hidden="true" />
      </span>
      <span className="grid fill small muted">
        <span className="sr-only">{subjectLabel[card.type]}: </span>
        <bdi className="ink strong break-anywhere base">{card.title}</bdi>
        {card.status && <span className="break-anywhere">{card.status}</span>}
        {card.lines.map((line) => (
          <bdi key={line} className="break-anywhere">
            {line}
          </bdi>
        ))}
      </span>
    </>
  );
}

/** Typing is reported every two seconds; without a report for this long it has ended. */
const TYPING_MS = 5_000;
const TELL_MS = 2_000;

function useTypingNow({ side, accountId }: SupportPort): string | undefined {
  const [name, setName] = useState<string>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => {
      clearTimeout(timer);
      setName(undefined);
    };
    const isHere = (event: { account_id: string }) =>
      accountId === undefined || event.account_id === accountId;
    const stopTyping = onLiveEvent('support.typing', (event) => {
      if (event.side === side || !isHere(event)) return;
      clearTimeout(timer);
      setName(event.name);
      timer = setTimeout(stop, TYPING_MS);
    });
    const stopLines = onLiveEvent('support.message', (event) => {
      if (event.side !== side && isHere(event)) stop();
    });
    return () => {
      stop();
      stopTyping();
      stopLines();
    };
  }, [side, accountId]);
  return name;
}

/** Returns a function that reports typing to the other side, throttled. */
function useTellTyping({ typing }: SupportPort): () => void {
  const last = useRef(-Infinity);
  return () => {
    const now = performance.now();
    if (now - last.current < TELL_MS || !navigator.onLine) return;
    last.current = now;
    typing().catch(() => undefined);
  };
}

const TypingNow = ({ name }: { name: string }) => (
  <p className="row gap-8 small faint py-6" role="status">
    <span
      className={classes('inline-flex gap-4 py-8 px-10 border rounded-full', styles['dots'])}
      aria-hidden="true"
    >
      <i />
      <i />
      <i />
    </span>
    <span>
      <bdi>{name}</bdi> sedang mengetik…
    </span>
  </p>
);

const subjectLabel: Record<SupportSubject, string> = {
  message: 'Pesan',
  token: 'Token',
  topup: 'Isi saldo',
  invoice: 'Tagihan',
};
