import { CircleCheck } from 'lucide-react';
import { nameAndNumberOf } from '#contract/messages/peer.ts';
import type { MessageRow } from '#contract/messages.ts';
import { StatusMark } from '#web/features/messages/messages.ts';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';

type Props = { message: MessageRow };

export const OpenConversation = ({ message: { token, peer } }: Props) => (
  <LinkButton
    to="/message-history"
    search={{ view: 'percakapan', open: token.id, peer }}
    variant="subtle"
  >
    Buka Percakapan
  </LinkButton>
);

/** Confirms the first message and leads to its conversation. */
export const FirstSent = ({ message }: Props) => (
  <Panel title="Pesan pertama terkirim" look="card">
    <div className="row wrap gap-12" role="status">
      <CircleCheck size={28} className="text-success" />
      <p className="fill">
        Kepada <span className="num">{nameAndNumberOf(message)}</span>{' '}
        <StatusMark status={message.status} />
        <span className="block small">
          Balasannya masuk ke Percakapan, dan Anda menjawab dari sana.
        </span>
      </p>
      <OpenConversation message={message} />
    </div>
  </Panel>
);
