import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  BellOff,
  BellRing,
  CalendarSearch,
  EllipsisVertical,
  Pin,
  PinOff,
  UserPen,
} from 'lucide-react';
import { useState } from 'react';
import { type Conversation, pinConversation } from '#contract/messages/conversations.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { later } from '#web/browser/lazyComponent.ts';
import { conversationQuery, type Which } from '#web/features/messages/conversations/queries.ts';
import {
  optoutEffect,
  optoutWords,
  type Optouts,
} from '#web/features/messages/conversations/optout/OptoutButton.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Dropdown, MenuButton } from '#web/ui/menu/Dropdown.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const ContactNameDialog = later(
  () => import('#web/features/messages/conversations/menu/ContactNameDialog.tsx'),
);

const JumpDialog = later(() => import('#web/features/messages/conversations/menu/JumpDialog.tsx'));

type OpenProps = {
  /** Whether its number is opted out, where that has no button of its own. */
  optout?: Optouts | undefined;
  onGoTo?: (day: string) => void;
};

export function ThreadMenu({ which, ...open }: OpenProps & { which: Which }) {
  const { data: conversation } = useQuery(conversationQuery(which));
  return (
    conversation && <ConversationMenu of={conversation} label="Tindakan percakapan" {...open} />
  );
}

type Props = OpenProps & { of: Conversation; label: string };

export function ConversationMenu({ of, label, optout, onGoTo }: Props) {
  const { token, peer, pinned, contact_name } = of;
  const client = useQueryClient();
  const [asks, setAsks] = useState<'day' | 'name'>();
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
            <EllipsisVertical size={18} />
          </Button>
        )}
      >
        <MenuButton icon={pinned ? <PinOff size={18} /> : <Pin size={18} />} onClick={change}>
          {pinned ? 'Lepas sematan' : 'Sematkan di atas'}
        </MenuButton>
        <MenuButton icon={<UserPen size={18} />} onClick={() => setAsks('name')}>
          {contact_name === null ? 'Beri nama kontak' : 'Ubah nama kontak'}
        </MenuButton>
        {onGoTo && (
          <MenuButton icon={<CalendarSearch size={18} />} onClick={() => setAsks('day')}>
            Lompat ke tanggal
          </MenuButton>
        )}
        {optout && (
          <MenuButton
            icon={optout.isOn ? <BellRing size={18} /> : <BellOff size={18} />}
            onClick={optout.change}
          >
            {optoutWords(optout)}
            <small className="block tiny faint">{optoutEffect(optout)}</small>
          </MenuButton>
        )}
      </Dropdown>
      {asks === 'day' && onGoTo && (
        <JumpDialog onGoTo={onGoTo} onClose={() => setAsks(undefined)} />
      )}
      {asks === 'name' && (
        <ContactNameDialog
          peer={peer}
          name={contact_name ?? ''}
          onClose={() => setAsks(undefined)}
        />
      )}
    </>
  );
}
