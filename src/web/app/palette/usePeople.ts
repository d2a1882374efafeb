import { useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { useEffect, useState } from 'react';
import { isolated } from '#contract/base/names.ts';
import type { Conversation } from '#contract/messages/conversations.ts';
import { formatPeer } from '#contract/messages/peer.ts';
import type { Command } from '#web/app/palette/commands.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { conversationsQuery } from '#web/features/messages/messages.ts';

const DEBOUNCE_MS = 200;
const SHOWN_MAX = 5;

/** The conversations whose name or number matches a text, as commands that open them; none without a text. */
export function usePeople(text: string | undefined): readonly Command[] {
  const [settled, settle] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => settle(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useQuery({
    ...conversationsQuery({ q: settled ?? '' }),
    enabled: settled !== undefined,
  });
  if (text === undefined || settled !== text) return [];
  return (data?.rows ?? []).slice(0, SHOWN_MAX).map(commandOf);
}

const commandOf = ({ token, peer, peer_name: name }: Conversation): Command => ({
  id: `conversation ${token.id} ${peer}`,
  label: name === null ? formatPeer(peer) : `${isolated(name)}, ${formatPeer(peer)}`,
  group: 'Percakapan',
  Icon: MessageSquareText,
  run: () =>
    navigate({
      to: '/message-history',
      search: { view: 'percakapan', open: token.id, peer },
    }),
});
