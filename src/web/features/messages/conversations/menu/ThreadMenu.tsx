import { useQuery, useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical, Pin, PinOff, UserPen } from 'lucide-react';
import { useState } from 'react';
import { type Conversation, pinConversation } from '#contract/messages/conversations.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { later } from '#web/browser/lazyComponent.ts';
import { conversationQuery, type Which } from '#web/features/messages/conversations/queries.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Dropdown, MenuButton } from '#web/ui/menu/Dropdown.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const ContactNameDialog = later(
  async () =>
    (await import('#web/features/messages/conversations/menu/ContactNameDialog.tsx'))
      .ContactNameDialog,
);

/** The menu of the conversation that is open. */
export function ThreadMenu({ which }: { which: Which }) {
  const { data: conversation } = useQuery(conversationQuery(which));
  return conversation && <ConversationMenu of={conversation} label="Tindakan percakapan" />;
}

type Props = { of: Conversation; label: string };

/** What is done with a conversation as a whole: pinned, let go, its number named. */
export function ConversationMenu({ of: { token, peer, pinned, contact_name }, label }: Props) {
  const client = useQueryClient();
  const [naming, setNaming] = useState(false);
  const pin = useAct(pinConversation, {
    onSuccess: () => client.invalidateQueries({ queryKey: ['conversations'] }),
    onError: (error) => toast(sentenceOf(error), { tone: 'danger' }),
  });
  const change = () =>
    pin.mutate({ token_id: token.id, peer: writtenPeer(peer), pinned: pinned ? '0' : '1' });
  return (
    <>
      <Dropdown
        label={label}
        align="end"
        trigger={(props) => (
          <Button {...props} square size="sm" variant="link" tone="neutral" aria-label={label}>
            <EllipsisVertical size={18} aria-hidden="true" />
          </Button>
        )}
      >
        <MenuButton icon={pinned ? <PinOff size={18} /> : <Pin size={18} />} onClick={change}>
          {pinned ? 'Lepas sematan' : 'Sematkan di atas'}
        </MenuButton>
        <MenuButton icon={<UserPen size={18} />} onClick={() => setNaming(true)}>
          {contact_name === null ? 'Beri nama kontak' : 'Ubah nama kontak'}
        </MenuButton>
      </Dropdown>
      {naming && (
        <ContactNameDialog peer={peer} name={contact_name ?? ''} onClose={() => setNaming(false)} />
      )}
    </>
  );
}
