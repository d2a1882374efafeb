import { Suspense } from 'react';
import { writtenPeer } from '#contract/messages/peer.ts';
import type { ChannelName } from '#contract/tokens.ts';
import { later } from '#web/browser/lazyComponent.ts';
import type { Which } from '#web/features/messages/conversations/queries.ts';
import { quickReplies } from '#web/features/messages/conversations/thread/attach/quickReplies.ts';
import type { Content } from '#web/features/messages/conversations/thread/sending/content.ts';

const LocationDialog = later(
  () => import('#web/features/messages/conversations/thread/attach/LocationDialog.tsx'),
);
const ContactDialog = later(
  () => import('#web/features/messages/conversations/thread/attach/ContactDialog.tsx'),
);
const TemplateDialog = later(
  () => import('#web/features/messages/conversations/thread/attach/TemplateDialog.tsx'),
);
const RepliesDialog = later(() => import('#web/ui/chat/replies/RepliesDialog.tsx'));

export type Attaching = 'location' | 'contact' | 'template' | 'replies';

type Props = {
  attaching: Attaching;
  which: Which;
  name: string;
  channel: ChannelName | undefined;
  onSend: (content: Content, file?: File) => void;
  onClose: () => void;
};

export function AttachDialogs({ attaching, which, name, channel, onSend, onClose }: Props) {
  const to = { token_id: which.tokenId, to: writtenPeer(which.peer) };
  return (
    <Suspense fallback={null}>
      {attaching === 'location' && (
        <LocationDialog
          to={to}
          onClose={onClose}
          onSend={(place) => onSend({ type: 'location', place })}
        />
      )}
      {attaching === 'contact' && (
        <ContactDialog
          to={to}
          onClose={onClose}
          onSend={(card) => onSend({ type: 'contact', card })}
        />
      )}
      {attaching === 'template' && (
        <TemplateDialog
          tokenId={which.tokenId}
          name={name}
          channel={channel}
          onClose={onClose}
          onSend={(template, file) => onSend({ type: 'template', template }, file)}
        />
      )}
      {attaching === 'replies' && <RepliesDialog of={quickReplies} onClose={onClose} />}
    </Suspense>
  );
}
