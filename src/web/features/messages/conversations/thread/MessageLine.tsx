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
  contentShown,
  sendReaction,
  type Outgoing,
} from '#web/features/messages/conversations/thread/sending.ts';
import { useLinkedImage } from '#web/features/messages/useLinkedImage.ts';
import { ScheduledFor } from '#web/features/messages/ScheduledFor.tsx';
import { StatusMark } from '#web/features/messages/StatusMark.tsx';
import { ChatBubble } from '#web/ui/chat/ChatBubble.tsx';
import { ReactButton } from '#web/ui/chat/reactions/ReactButton.tsx';
import { ChatQuote } from '#web/ui/chat/quote/ChatQuote.tsx';
import { UnsentBubble, UnsentNote } from '#web/ui/chat/thread/UnsentBubble.tsx';

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
  'message' in body ? (
    <Sent {...body} {...rest} />
  ) : (
    <UnsentMessage one={body.outgoing} {...rest} />
  ),
);

type SentProps = Extract<ThreadBody, { message: unknown }> & Omit<Props, 'body'>;

function Sent({ message, reacting, first, name, zone, onReply, onGoTo }: SentProps) {
  const { direction, status, created_at, token, quoted, reactions } = message;
  const ours = direction === 'out';
  const { content, loading } = useLinkedImage(message);
  const canAnswer = onReply !== undefined && canBeAnswered(message);
  const mine = reactions.find((one) => one.direction === 'out')?.emoji;
  const react = (emoji: string) => {
    const which = { tokenId: token.id, peer: message.peer };
    sendReaction(which, { messageId: message.id, emoji });
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
      note={
        reacting ? (
          <UnsentNote
            message={reacting}
            sentence="Reaksi belum terkirim."
            remedy={remedyFor(reacting)}
          />
        ) : (
          ours && noteOf(message, zone)
        )
      }
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

const UnsentMessage = ({ one, first, name, zone, onGoTo }: UnsentProps) => {
  const { text, content, replyTo } = one.body;
  return (
    <UnsentBubble
      message={one}
      first={first}
      zone={zone}
      shown={(file) =>
        content ? contentShown(content, file) : { ...(file ?? { type: 'text' }), caption: text }
      }
      head={replyTo && <Quote quoted={replyTo} name={name} onGoTo={onGoTo} />}
      remedy={remedyFor(one)}
    />
  );
};

const remedyFor = ({ code }: Outgoing) =>
  (code === 'saldo_short' || code === 'bonus_only') && (
    <Link to="/saldo" search={{ new: '1' }}>
      Isi saldo
    </Link>
  );
