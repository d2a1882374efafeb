import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '#web/browser/router/Router.tsx';
import { MessagesSquare } from 'lucide-react';
import { useState } from 'react';
import { Id } from '#contract/base/ids.ts';
import { Peer } from '#contract/messages/peer.ts';
import { ConversationList } from '#web/features/messages/conversations/ConversationList.tsx';
import {
  conversationsQuery,
  sameConversation,
  type Which,
} from '#web/features/messages/conversations/queries.ts';
import { Thread } from '#web/features/messages/conversations/thread/Thread.tsx';
import { SplitView } from '#web/ui/layout/SplitView.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';

function whichOf(search: {
  open?: string | undefined;
  peer?: string | undefined;
}): Which | undefined {
  const token = Id('token').safeParse(search.open);
  const peer = Peer().safeParse(search.peer);
  return token.success && peer.success ? { tokenId: token.data, peer: peer.data } : undefined;
}

export function ConversationsView({ onSend }: { onSend: () => void }) {
  const search = useSearch('/message-history');
  const client = useQueryClient();
  const which = whichOf(search);
  const filter = { q: search.q ?? '', unread: search.unread };
  const name = which ? `${which.tokenId} ${which.peer}` : '';
  // Reading makes a conversation read, but it keeps its place until another is opened.
  const [held, setHeld] = useState<{ name: string; which?: Which | undefined }>({ name: '' });
  if (held.name !== name) {
    const list = client.getQueryData(conversationsQuery(filter).queryKey);
    const row = which && list?.rows.find((one) => sameConversation(one, which));
    setHeld({ name, which: row && row.unread > 0 ? which : undefined });
  }
  return (
    <SplitView
      list={<ConversationList filter={filter} open={which} held={held.which} onSend={onSend} />}
      detail={which && <Thread key={name} which={which} />}
      none={
        <EmptyState icon={<MessagesSquare size={24} />} title="Pilih percakapan untuk membacanya">
          Balasan pelanggan masuk ke sini begitu sampai, tanpa memuat ulang halaman.
        </EmptyState>
      }
    />
  );
}
