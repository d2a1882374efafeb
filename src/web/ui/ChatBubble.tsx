import { FileText, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatPhone } from '#contract/phone.ts';
import { Caption } from '#web/ui/Caption.tsx';
import styles from '#web/ui/ChatBubble.module.css';
import { chatKind, phoneHref, type ChatMessage } from '#web/ui/rules/chat.ts';
import { classes } from '#web/ui/rules/classes.ts';

type Props = {
  message: ChatMessage;
  /** Ours are at the end in toska, theirs at the start. */
  side: 'out' | 'in';
  /** Who wrote it, for screen readers ("Anda", "Budi"). */
  sender: string;
  /** `09.05` */
  time: string;
  /** The moment itself, for machines. */
  at?: Date;
  /** How far it came: a `Ticks` with `iconOnly`. */
  ticks?: ReactNode;
  /** The first of a run by the same sender has the pointed corner. */
  first?: boolean;
  /** Under the bubble: a failure and what to do about it. */
  note?: ReactNode;
  /** Still on its way to the server. */
  pending?: boolean;
  /** `div` where the list's items are made elsewhere, as in a virtual list. */
  as?: 'li' | 'div';
};

/** One message of a conversation. Put bubbles into a `ChatList`. */
export function ChatBubble(props: Props) {
  const { message, side, sender, time, at, ticks, first = true, note, pending = false } = props;
  const { as: Line = 'li' } = props;
  return (
    <Line className={classes(styles['line'], styles[side], first && styles['first'])}>
      <article
        className={classes(styles['bubble'], pending && styles['pending'])}
        aria-label={`${sender}, ${time}`}
      >
        <Content message={message} sender={sender} />
        <span className={styles['meta']}>
          <time dateTime={at?.toISOString()}>{time}</time>
          {ticks}
        </span>
      </article>
      {note && <div className={styles['note']}>{note}</div>}
    </Line>
  );
}

function Content({ message, sender }: { message: ChatMessage; sender: string }) {
  const { url } = message;
  const [caption, filename] = [message.caption ?? '', message.filename ?? ''];
  const words = caption !== '' && <Caption text={caption} />;
  const kind = chatKind(message.type);
  if (kind === 'text') return words;
  if (kind === 'contact') {
    return (
      <div className={styles['card']}>
        <span className={styles['cardIcon']}>
          <UserRound size={20} aria-hidden="true" />
        </span>
        <span className={styles['cardText']}>
          <bdi className={styles['cardName']}>{message.name}</bdi>
          <a href={phoneHref(message.phone ?? '')} className="num">
            {formatPhone(message.phone ?? '')}
          </a>
        </span>
      </div>
    );
  }
  return (
    <>
      {!url ? (
        <FileCard name={filename} />
      ) : (
        <Media
          kind={kind}
          url={url}
          filename={filename}
          label={caption || `Gambar dari ${sender}`}
        />
      )}
      {words}
    </>
  );
}

type MediaProps = {
  kind: 'image' | 'audio' | 'video' | 'file';
  url: string;
  filename: string;
  label: string;
};

function Media({ kind, url, filename, label }: MediaProps) {
  if (kind === 'image') {
    return <img src={url} alt={label} loading="lazy" className={styles['image']} />;
  }
  if (kind === 'audio') {
    return (
      <audio
        src={url}
        controls
        preload="metadata"
        aria-label="Pesan suara"
        className={styles['audio']}
      />
    );
  }
  if (kind === 'video') {
    return (
      <video src={url} controls preload="metadata" aria-label={label} className={styles['image']} />
    );
  }
  return <FileCard name={filename} url={url} />;
}

function FileCard({ name, url }: { name: string; url?: string }) {
  const inside = (
    <>
      <span className={styles['cardIcon']}>
        <FileText size={20} aria-hidden="true" />
      </span>
      <bdi className={styles['fileName']} title={name}>
        {name || 'Berkas'}
      </bdi>
    </>
  );
  return url === undefined ? (
    <span className={styles['card']}>{inside}</span>
  ) : (
    <a href={url} download={name || true} className={styles['card']}>
      {inside}
    </a>
  );
}

/** The bubbles of a thread, oldest first. */
export const ChatList = ({ label, children }: { label: string; children: ReactNode }) => (
  <ol className={styles['list']} aria-label={label}>
    {children}
  </ol>
);

/** A line across the thread: the day, or where the unread begin. */
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
