import type { ReactNode, PointerEvent } from 'react';
import { captionText } from '#contract/messages/captions.ts';
import { useDeferredRender } from '#web/browser/scheduling/useDeferredRender.ts';
import { AudioPlayer } from '#web/ui/media/AudioPlayer.tsx';
import { Caption } from '#web/ui/chat/Caption.tsx';
import { Reply } from '#web/ui/chat/icons.tsx';
import { ContactCard } from '#web/ui/chat/cards/ContactCard.tsx';
import {
  FileCard,
  LinkCard,
  MissingCard,
  type ImageLoading,
  type MediaWord,
} from '#web/ui/chat/cards/FileCard.tsx';
import { ImageZoom } from '#web/ui/media/ImageZoom.tsx';
import { chatKind, isExternal, mediaUrl, shortName, type ChatMessage } from '#web/ui/chat/chat.ts';
import { classes } from '#web/ui/classes.ts';
import { VideoPlayer } from '#web/ui/media/VideoPlayer.tsx';
import { endPress } from '#web/ui/overlay/floating.ts';
import styles from '#web/ui/chat/thread/thread.module.css';
import { ExternalLink, MapPin } from 'lucide-react';
import type { Place, FilledTemplate } from '#contract/messages/content.ts';
import cardStyles from '#web/ui/chat/cards/cards.module.css';
import { BrokenPicture } from '#web/ui/media/BrokenPicture.tsx';
import { useBroken } from '#web/ui/media/useBroken.ts';

type Props = {
  message: ChatMessage;
  /** Sent messages are at the end in toska, received ones at the start. */
  side: 'out' | 'in';
  /** The author, for screen readers ("Anda", "Budi"). */
  sender: string;
  /** `09.05` */
  time: string;
  at?: Date;
  /** The delivery state: a `Ticks` with `iconOnly`. */
  ticks?: ReactNode;
  /** The first of a run by the same sender has the pointed corner. */
  first?: boolean;
  note?: ReactNode;
  pending?: boolean;
  head?: ReactNode;
  internal?: boolean;
  reactions?: readonly { emoji: string; by: string; onRemove?: (() => void) | undefined }[];
  /** Beside the reply button: another action; receives the class of such a button. */
  action?: ((className: string | undefined) => ReactNode) | undefined;
  /** For an image on another host: loads it through the server. */
  loading?: ImageLoading | undefined;
  onReply?: (() => void) | undefined;
  /** Opens a conversation with the digits of a contact card. */
  onMessage?: ((digits: string) => void) | undefined;
  /** `div` where the list makes the items, as in a virtual list. */
  as?: 'li' | 'div';
};

/** One message of a conversation. Put bubbles into a `ChatList`. */
export function ChatBubble(props: Props) {
  const { message, side, sender, time, at, ticks, first = true, note, pending = false } = props;
  const {
    as: Line = 'li',
    onMessage,
    onReply,
    head,
    internal = false,
    reactions = [],
    action,
  } = props;
  const by = shortName(sender);
  return (
    <Line className={classes(styles['line'], styles[side], first && styles['first'])}>
      <article
        className={classes(
          'stack gap-6 leading-ui border relative',
          styles['bubble'],
          pending && styles['pending'],
          internal && styles['internal'],
          isBare(message) && styles['bare'],
          isNotice(message) && classes('muted', styles['notice']),
        )}
        aria-label={`${by}, ${time}`}
        {...(action && holding)}
      >
        {message.origin && <p className="tiny faint">{message.origin}</p>}
        {head}
        <Content message={message} sender={by} onMessage={onMessage} loading={props.loading} />
        <span className={classes('row justify-end tiny faint num gap-4', styles['meta'])}>
          {message.notice === 'edited' && 'Diubah '}
          <time dateTime={at?.toISOString()}>{time}</time>
          {ticks}
        </span>
        {(onReply || action) && <Actions onReply={onReply} action={action} />}
      </article>
      {reactions.length > 0 && <Reactions reactions={reactions} />}
      {note && <div className={classes('small text-danger', styles['note'])}>{note}</div>}
    </Line>
  );
}

/** The actions of a message. Rendered later: they are half of a message's elements and not needed at once. */
function Actions({ onReply, action }: Pick<Props, 'onReply' | 'action'>) {
  const isRendered = useDeferredRender();
  if (!isRendered) return null;
  return (
    <span className={classes('flex', styles['actions'])}>
      {onReply && (
        <button
          type="button"
          className="place-center size-32 rounded-full faint hover-ink"
          aria-label="Balas"
          onClick={onReply}
        >
          <Reply size={16} />
        </button>
      )}
      {action?.('place-center size-32 rounded-full faint hover-ink')}
    </span>
  );
}

const Reactions = ({ reactions }: Required<Pick<Props, 'reactions'>>) => (
  <ul className={classes('flex gap-4', styles['reactions'])} aria-label="Reaksi">
    {reactions.map(({ emoji, by: whose, onRemove }) => (
      <li key={whose} title={shortName(whose)}>
        {onRemove ? (
          <button
            type="button"
            className={classes('rounded-full relative', styles['mine'])}
            aria-label={`Hapus reaksi ${emoji}`}
            onClick={onRemove}
          >
            {emoji}
          </button>
        ) : (
          emoji
        )}{' '}
        <span className="sr-only">{shortName(whose)}</span>
      </li>
    ))}
  </ul>
);

/** The caption describes the message instead of quoting it. */
const isNotice = ({ notice }: ChatMessage): boolean => notice === 'other' || notice === 'revoked';

const isBare = ({ type, url, external, file }: ChatMessage): boolean =>
  chatKind(type) === 'sticker' && !!url && external === false && !file?.missing;

type ContentProps = { message: ChatMessage; sender: string } & Pick<Props, 'onMessage' | 'loading'>;

function Content({ message, sender, onMessage, loading }: ContentProps) {
  const caption = message.caption ?? '';
  const words = caption !== '' && <Caption text={caption} />;
  const kind = chatKind(message.type);
  if (kind === 'text') return words;
  if (kind === 'template') {
    return (
      <TemplateCard template={message.template}>
        <TemplateFile message={message} sender={sender} />
        {words}
      </TemplateCard>
    );
  }
  return (
    <>
      {kind === 'contact' ? (
        <ContactCard
          name={message.name ?? ''}
          phone={message.phone ?? ''}
          phones={message.phones}
          organization={message.organization}
          email={message.email}
          onMessage={onMessage}
        />
      ) : kind === 'location' ? (
        message.place && <LocationCard place={message.place} />
      ) : (
        <Media kind={kind} message={message} sender={sender} loading={loading} />
      )}
      {words}
    </>
  );
}

function TemplateFile({ message, sender }: Omit<MediaProps, 'kind'>) {
  const type = message.template?.media;
  if (type === undefined) return null;
  const shown = chatKind(type);
  const kind = shown === 'image' || shown === 'video' ? shown : 'file';
  return <Media kind={kind} message={{ ...message, type }} sender={sender} />;
}

type MediaProps = {
  kind: MediaWord;
  message: ChatMessage;
  sender: string;
  loading?: ImageLoading | undefined;
};

function Media({ kind, message, sender, loading }: MediaProps) {
  const { type, caption, filename, file } = message;
  const here = window.location.href;
  if (file?.missing) {
    return <MissingCard kind={kind} name={filename ?? ''} missing={file.missing} />;
  }
  if (isExternal(message, here))
    return <LinkCard kind={kind} message={message} loading={loading} />;
  const url = mediaUrl(message.url ?? '', here);
  if (!message.url || url === undefined || kind === 'file') {
    return (
      <FileCard
        name={filename ?? ''}
        type={type}
        url={message.url ? url : undefined}
        size={file?.size ?? undefined}
      />
    );
  }
  if (kind === 'sticker') {
    return <Sticker src={url} alt={`Stiker dari ${sender}`} />;
  }
  if (kind === 'image') {
    return (
      <ImageZoom
        src={url}
        preview={file?.preview ? mediaUrl(file.preview, here) : undefined}
        alt={shortName(captionText(caption ?? '')) || `Gambar dari ${sender}`}
        loading="lazy"
        expandText="Perbesar gambar"
        minimizeText="Perkecil gambar"
        className={styles['image'] ?? ''}
      />
    );
  }
  if (kind === 'audio') {
    const peaks = file?.waveform?.map((bar) => bar / 100);
    const { seconds } = file ?? {};
    return (
      <AudioPlayer
        src={url}
        title={`Pesan suara dari ${sender}`}
        {...(peaks && { peaks })}
        {...(seconds && { seconds })}
      />
    );
  }
  return <VideoPlayer src={url} title={`Video dari ${sender}`} width={320} height={200} />;
}

/** The bubbles of a thread, oldest first. */
export const ChatList = ({ label, children }: { label: string; children: ReactNode }) => (
  <ol className="column gap-4 p-16" aria-label={label}>
    {children}
  </ol>
);

/** A divider: the day, or the start of the unread messages. */
export const ChatDivider = ({
  children,
  fresh = false,
  as: Line = 'li',
}: {
  children: ReactNode;
  fresh?: boolean;
  as?: 'li' | 'div';
}) => (
  <Line className={classes(styles['divider'], fresh && styles['fresh'])}>
    <span>{children}</span>
  </Line>
);

const HOLD_MS = 500;

/** One finger at a time. */
let timer: ReturnType<typeof setTimeout> | undefined;
const end = () => clearTimeout(timer);

/**
 * For an element that contains a button with `data-hold`: a long press on the element clicks that button, and the
 * element under the lifted finger is not clicked.
 */
const holding = {
  onPointerDown: ({ currentTarget, pointerType }: PointerEvent) => {
    end();
    if (pointerType === 'mouse') return;
    timer = setTimeout(() => {
      currentTarget.querySelector<HTMLElement>('[data-hold]')?.click();
      endPress();
    }, HOLD_MS);
  },
  onPointerUp: end,
  onPointerCancel: end,
  onPointerMove: end,
};

/** A location: its name and address, else its coordinates; the map opens in a new tab. */
function LocationCard({ place: { latitude, longitude, name, address } }: { place: Place }) {
  const at = `${latitude},${longitude}`;
  const title = name ?? address;
  return (
    <span className={classes('grid gap-10 max-w-full columns-start', cardStyles['card'])}>
      <span
        className={classes(
          'place-center text-accent size-40 rounded',
          cardStyles['locationCardIcon'],
        )}
      >
        <MapPin size={20} />
      </span>
      <span className="grid justify-items-start break-anywhere">
        <bdi className="strong">{title ?? 'Lokasi'}</bdi>
        {name !== null && address !== null && <bdi className="small">{address}</bdi>}
        <span className="tiny faint num">{at.replace(',', ', ')}</span>
        <a
          href={`https://www.google.com/maps?q=${at}`}
          target="_blank"
          rel="noopener noreferrer"
          className="row small strong gap-4 min-h-28 touch"
        >
          Buka peta
          <ExternalLink size={14} />
          <span className="sr-only"> {title} (tab baru)</span>
        </a>
      </span>
    </span>
  );
}

/** A sticker: no bubble, and not zoomable. */
function Sticker({ src, alt }: { src: string; alt: string }) {
  const { broken, fail, retry } = useBroken(src);
  return broken ? (
    <BrokenPicture alt={alt} className={cardStyles['sticker']} onRetry={retry} />
  ) : (
    <img src={src} alt={alt} loading="lazy" className={cardStyles['sticker']} onError={fail} />
  );
}

type TemplateProps = {
  template: FilledTemplate | undefined;
  children: ReactNode;
};

/** A template as its recipient sees it: header, body, footer and buttons, which only the phone can press. */
function TemplateCard({ template, children }: TemplateProps) {
  const { header = null, footer = null, buttons = [] } = template ?? {};
  return (
    <>
      {header !== null && (
        <strong className="strong">
          <Caption text={header} />
        </strong>
      )}
      {children}
      {footer !== null && (
        <span className="small faint">
          <Caption text={footer} />
        </span>
      )}
      {buttons.length > 0 && (
        <ul
          className={classes('grid gap-4 plain-list', cardStyles['buttons'])}
          aria-label="Tombol di ponsel penerima"
        >
          {buttons.map((button) => (
            <li key={button}>
              <bdi>{button}</bdi>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
