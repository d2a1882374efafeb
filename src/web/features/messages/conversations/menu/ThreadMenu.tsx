import { useQuery, useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical, Pin, PinOff, UserPen } from 'lucide-react';
import { useState } from 'react';
import { pinConversation } from '#contract/messages/conversations.ts';
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

/** What is done with a conversation as a whole: pinned, let go, its number named. */
export function ThreadMenu({ which }: { which: Which }) {
  const { data: conversation } = useQuery(conversationQuery(which));
  const client = useQueryClient();
  const [naming, setNaming] = useState(false);
  const pin = useAct(pinConversation, {
    onSuccess: () => client.invalidateQueries({ queryKey: ['conversations'] }),
    onError: (error) => toast(sentenceOf(error), { tone: 'danger' }),
  });
  if (!conversation) return null;
  const { pinned, contact_name } = conversation;
  const change = () =>
    pin.mutate({
      token_id: which.tokenId,
      peer: writtenPeer(which.peer),
      pinned: pinned ? '0' : '1',
    });
  return (
    <>
      <Dropdown
        label="Tindakan percakapan"
        align="end"
        trigger={(props) => (
          <Button
            {...props}
            square
            size="sm"
            variant="link"
            tone="neutral"
            aria-label="Tindakan percakapan"
          >
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
        <ContactNameDialog
          peer={which.peer}
          name={contact_name ?? ''}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}
