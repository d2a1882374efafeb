import type { ReactNode } from 'react';
import { formatTime } from '#contract/base/time.ts';
import type { SupportMessage } from '#contract/support.ts';
import { CardLink } from '#web/features/support/chat/CardLink.tsx';
import styles from '#web/features/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
import { useProgress } from '#web/api/uploads/outgoingFiles.ts';
import { dropLine, retryLine } from '#web/features/support/outbox/outbox.ts';
import type { OutgoingLine } from '#web/features/support/outbox/outgoingLine.ts';
import type { SupportPort } from '#web/features/support/port.ts';
import { useFileUrl, waitingContent } from '#web/ui/chat/attachments/waitingFile.ts';
import { Button } from '#web/ui/button/Button.tsx';
import type { ChatMessage } from '#web/ui/chat/chat.ts';
import { ChatBubble } from '#web/ui/chat/ChatBubble.tsx';
import { Ticks } from '#web/ui/chat/Ticks.tsx';
import { useOnline } from '#web/ui/layout/OfflineBar.tsx';

export type SupportBody = { message: SupportMessage } | { outgoing: OutgoingLine };

type Place = {
  first: boolean;
  port: SupportPort;
  name: string;
  zone: string;
};

export function SupportLine({ body, ...place }: Place & { body: SupportBody }) {
  if ('outgoing' in body) return <Unsent line={body.outgoing} {...place} />;
  const { message } = body;
  return message.side === 'system' ? (
    <p
      className={classes(
        'flex wrap justify-center gap-x-6 py-6 small faint text-center',
        styles['system'],
      )}
    >
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

function Unsent({ line, first, port, zone }: Place & { line: OutgoingLine }) {
  const { card, failed, internal } = line;
  const url = useFileUrl(line.id, line.file !== undefined);
  const at = new Date(line.at);
  return (
    <ChatBubble
      as="div"
      message={contentOf(line, url)}
      side="out"
      sender="Anda"
      time={formatTime(at, zone)}
      at={at}
      first={first}
      pending={!failed}
      internal={internal ?? false}
      head={
        <Head by="" internal={internal ?? false}>
          {card && <CardLink card={card} href={port.hrefOf(card)} />}
        </Head>
      }
      ticks={
        <Ticks
          mark={failed ? 'failed' : 'waiting'}
          word={failed ? 'Belum terkirim' : 'Menunggu'}
          iconOnly
        />
      }
      note={<Note line={line} />}
    />
  );
}

function Note({ line }: { line: OutgoingLine }) {
  const progress = useProgress(line.id);
  const online = useOnline();
  const { why, failed } = line;
  const drop = (word: string) => (
    <Button size="sm" variant="link" tone="neutral" onClick={() => dropLine(line)}>
      {word}
    </Button>
  );
  if (progress !== undefined) {
    return (
      <div className={classes('row gap-8 muted', styles['upload'])}>
        <progress max={1} value={progress} aria-label={`Mengunggah ${line.file?.name ?? ''}`} />
        <span className="num">{Math.floor(progress * 100)}%</span>
        {drop('Batalkan')}
      </div>
    );
  }
  // Offline, the bar above the page says it all.
  if (!failed && (!why || !online)) return line.file && !online ? drop('Batalkan') : null;
  return (
    <div className="grid justify-items-end gap-6" role="alert">
      <p>
        Belum terkirim. {why} {!failed && 'Dicoba lagi otomatis.'}
      </p>
      <span className="flex gap-8">
        <Button size="sm" variant="outline" tone="danger" onClick={() => retryLine(line)}>
          Kirim ulang
        </Button>
        {drop('Hapus')}
      </span>
    </div>
  );
}

function contentOf({ text, file, contact }: OutgoingLine, url: string | undefined): ChatMessage {
  if (contact) return { type: 'vcard', ...contact, caption: text ?? '' };
  return file ? waitingContent(file, url, text) : { type: 'text', caption: text ?? '' };
}
