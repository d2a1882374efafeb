import { useQueryClient } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { memo } from 'react';
import {
  messageTypeLabel,
  statusRank,
  type ConversationMessage,
  type Quoted,
} from '#contract/messages.ts';
import { failures } from '#contract/messages/failures.ts';
import { formatTime } from '#contract/base/time.ts';
import {
  dropText,
  resend,
  sendReaction,
  type Outgoing,
} from '#web/features/messages/conversations/thread/sending/outgoing.ts';

import { useLinkedImage } from '#web/features/messages/useLinkedImage.ts';
import { ScheduledFor } from '#web/features/messages/ScheduledFor.tsx';
import { StatusMark } from '#web/features/messages/StatusMark.tsx';
import { useProgress } from '#web/api/uploads/outgoingFiles.ts';
import { useFileUrl, waitingContent } from '#web/ui/chat/attachments/waitingFile.ts';
import { Button } from '#web/ui/button/Button.tsx';
import type { ChatMessage } from '#web/ui/chat/chat.ts';
import { contentShown } from '#web/features/messages/conversations/thread/sending/content.ts';
import { ChatBubble } from '#web/ui/chat/ChatBubble.tsx';
import { ReactButton } from '#web/ui/chat/reactions/ReactButton.tsx';
import { ChatQuote } from '#web/ui/chat/quote/ChatQuote.tsx';
import { Ticks } from '#web/ui/chat/Ticks.tsx';

export type ThreadBody =
  | { message: ConversationMessage; reacting?: Outgoing | undefined }
  | { outgoing: Outgoing };

type Props = {
  body: ThreadBody;
  first: boolean;
  name: string;
  zone: string;
  onReply: ((message: ConversationMessage) => void) | undefined;
  onGoTo: (messageId: string) => void;
};

export const MessageLine = memo(({ body, ...rest }: Props) =>
  'message' in body ? <Sent {...body} {...rest} /> : <Unsent one={body.outgoing} {...rest} />,
);

type SentProps = Extract<ThreadBody, { message: unknown }> & Omit<Props, 'body'>;

function Sent({ message, reacting, first, name, zone, onReply, onGoTo }: SentProps) {
  const client = useQueryClient();
  const { direction, status, created_at, token, quoted, reactions } = message;
  const ours = direction === 'out';
  const { content, loading } = useLinkedImage(message);
  const canAnswer = onReply !== undefined && canBeAnswered(message);
  const mine = reactions.find((one) => one.direction === 'out')?.emoji;
  const react = (emoji: string) => {
    const which = { tokenId: token.id, peer: message.peer };
    sendReaction(client, which, { messageId: message.id, emoji });
  };
  return (
    <ChatBubble
      as="div"
      message={content}
      loading={loading}
      side={direction}
      sender={ours ? 'Anda' : name}
      time={formatTime(created_at, zone)}
      at={created_at}
      first={first}
      head={quoted && <Quote quoted={quoted} name={name} onGoTo={onGoTo} />}
      reactions={reactions.map(({ direction: by, emoji }) => ({
        emoji,
        by: by === 'out' ? 'Anda' : name,
        ...(by === 'out' && canAnswer && { onRemove: () => react('') }),
      }))}
      onReply={canAnswer ? () => onReply(message) : undefined}
      action={
        canAnswer
          ? (className) => <ReactButton className={className} mine={mine} onReact={react} />
          : undefined
      }
      ticks={ours && <StatusMark status={status} iconOnly />}
      note={reacting?.why ? <Failed one={reacting} /> : ours && noteOf(message, zone)}
      onMessage={(peer) =>
        void navigate({
          to: '/message-history',
          search: { view: 'percakapan', open: token.id, peer },
        })
      }
    />
  );
}

/** Whether the phone has the message: not one that has not left, or never will. */
const canBeAnswered = ({ status }: ConversationMessage): boolean =>
  statusRank[status] >= statusRank.sent && !['failed', 'cancelled', 'expired'].includes(status);

export const Quote = ({
  quoted: { id, direction, type, excerpt },
  name,
  onCancel,
  onGoTo,
}: {
  quoted: Quoted;
  name: string;
  onCancel?: () => void;
  onGoTo?: (messageId: string) => void;
}) => (
  <ChatQuote
    name={direction === 'out' ? 'Anda' : name}
    text={excerpt || messageTypeLabel[type]}
    {...(onCancel && { onCancel })}
    {...(onGoTo && id !== null && { onOpen: () => onGoTo(id) })}
  />
);

function noteOf(message: ConversationMessage, zone: string) {
  if (message.status === 'failed') return <Why failure={message.failure} />;
  return message.status === 'scheduled' && <ScheduledFor message={message} zone={zone} />;
}

const Why = ({ failure }: Pick<ConversationMessage, 'failure'>) => (
  <span>{failure ? failures[failure] : 'Pesan ini gagal dikirim.'}</span>
);

type UnsentProps = { one: Outgoing } & Omit<Props, 'body' | 'onReply'>;

function Unsent({ one, first, name, zone, onGoTo }: UnsentProps) {
  const failed = one.why !== undefined;
  const at = new Date(one.at);
  const url = useFileUrl(one.id, one.file !== undefined);
  return (
    <ChatBubble
      as="div"
      message={shownOf(one, url)}
      side="out"
      sender="Anda"
      time={formatTime(at, zone)}
      at={at}
      first={first}
      head={one.replyTo && <Quote quoted={one.replyTo} name={name} onGoTo={onGoTo} />}
      pending={!failed}
      ticks={
        <Ticks
          mark={failed ? 'failed' : 'waiting'}
          word={failed ? 'Belum terkirim' : 'Menunggu'}
          iconOnly
        />
      }
      note={failed ? <Failed one={one} /> : one.file && <Uploading one={one} />}
    />
  );
}

function shownOf({ content, file, text }: Outgoing, url: string | undefined): ChatMessage {
  const shown = file && waitingContent(file, url, text);
  return content ? contentShown(content, shown) : (shown ?? { type: 'text', caption: text });
}

function Failed({ one }: { one: Outgoing }) {
  const client = useQueryClient();
  return (
    <div className="grid justify-items-end gap-6">
      <p>
        {one.content?.type === 'reaction' ? 'Reaksi belum terkirim.' : 'Belum terkirim.'} {one.why}{' '}
        {(one.code === 'saldo_short' || one.code === 'bonus_only') && <TopUp />}
      </p>
      <span className="flex gap-8">
        <Button size="sm" variant="outline" tone="danger" onClick={() => resend(client, one)}>
          Kirim ulang
        </Button>
        <Button size="sm" variant="link" tone="neutral" onClick={() => dropText(one)}>
          Hapus
        </Button>
      </span>
    </div>
  );
}

function Uploading({ one }: { one: Outgoing }) {
  const progress = useProgress(one.id);
  if (progress === undefined) return null;
  return (
    <div className="row gap-8 muted">
      <progress
        className="w-120"
        max={1}
        value={progress}
        aria-label={`Mengunggah ${one.file?.name ?? ''}`}
      />
      <span className="num">{Math.floor(progress * 100)}%</span>
      <Button size="sm" variant="link" tone="neutral" onClick={() => dropText(one)}>
        Batalkan
      </Button>
    </div>
  );
}

const TopUp = () => (
  <Link to="/saldo" search={{ new: '1' }}>
    Isi saldo
  </Link>
);
