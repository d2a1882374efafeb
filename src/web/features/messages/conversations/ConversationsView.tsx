import { useQueryClient, useQuery } from '@tanstack/react-query';
import { useSearch } from '#web/browser/router/Router.tsx';
import { MessagesSquare, Pin } from 'lucide-react';
import { useState } from 'react';
import { Id } from '#contract/base/ids.ts';
import { Peer } from '#contract/messages/peer.ts';
import {
  conversationsQuery,
  sameConversation,
  type Which,
  conversationOrder,
  readMoreConversations,
  type ListFilter,
} from '#web/features/messages/conversations/queries.ts';
import { Thread } from '#web/features/messages/conversations/thread/Thread.tsx';
import { SplitView } from '#web/ui/layout/SplitView.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { captionText } from '#contract/messages/captions.ts';
import { messageTypeLabel } from '#contract/messages.ts';
import { CONVERSATION_QUERY_MAX, type Conversation } from '#contract/messages/conversations.ts';
import { civilDate, formatTime } from '#contract/base/time.ts';
import { useUser } from '#web/api/user.ts';
import styles from '#web/features/messages/conversations/conversations.module.css';
import { classes } from '#web/ui/classes.ts';
import { ConversationMenu } from '#web/features/messages/conversations/menu/ThreadMenu.tsx';
import { boxOf, focusNextBox } from '#web/ui/chat/thread/boxFocus.ts';
import { draftOf } from '#web/ui/chat/composer/useDraft.ts';
import {
  ChatList,
  chatRow,
  ChatRows,
  ChatRowsLoading,
  ChatRowTool,
  ChatRowWords,
} from '#web/ui/chat/list/ChatList.tsx';
import { dayLabel } from '#web/ui/chat/thread/threadItems.ts';
import { useMore } from '#web/ui/chat/thread/useMore.ts';
import { StatusMark } from '#web/features/messages/StatusMark.tsx';
import { nameOf } from '#web/features/messages/labels.ts';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { SearchField } from '#web/ui/text/SearchField.tsx';

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

type Props = {
  filter: ListFilter;
  open: Which | undefined;
  /** It was unread when it was opened, and keeps its place among the unread. */
  held: Which | undefined;
  onSend: () => void;
};

function ConversationList({ filter, ...rest }: Props) {
  const { unread } = filter;
  const change = (next: Partial<ListFilter>) =>
    void navigate({
      to: '/message-history',
      change: { ...next, ...(next.q !== undefined && { q: next.q || undefined }) },
      replace: true,
    });
  return (
    <ChatList
      label="Daftar percakapan"
      head={
        <div className="row gap-8 fill-first">
          <SearchField
            label="Cari percakapan"
            placeholder="Cari"
            maxLength={CONVERSATION_QUERY_MAX}
            value={filter.q}
            onSearch={(q) => change({ q })}
          />
          <Button
            size="sm"
            variant={unread ? 'subtle' : 'outline'}
            aria-pressed={unread !== undefined}
            onClick={() => change({ unread: unread ? undefined : '1' })}
          >
            Belum dibaca
          </Button>
        </div>
      }
    >
      <Rows filter={filter} {...rest} onClear={() => change({ q: '', unread: undefined })} />
    </ChatList>
  );
}

function Rows({ filter, open, held, onSend, onClear }: Props & { onClear: () => void }) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(conversationsQuery(filter));
  const more = useMore(() => readMoreConversations(client, filter));
  const { q, unread } = filter;
  const isOpen = (one: Conversation) => open !== undefined && sameConversation(one, open);
  // The list keeps rows that were read since; the open one stays.
  const shown = data?.rows
    .filter((one) => !unread || one.unread > 0 || isOpen(one))
    .toSorted(conversationOrder(held));
  if (!shown && error) return <WentWrong query={{ error, refetch }} />;
  if (!shown) return <ChatRowsLoading />;
  if (shown.length === 0)
    return q || unread ? (
      <NotFound filter={filter} onClear={onClear} />
    ) : (
      <NoConversations onSend={onSend} />
    );
  const severalTokens = new Set(shown.map(({ token }) => token.id)).size > 1;
  return (
    <ChatRows
      foot={
        !data?.ended && (
          <div ref={more.edge} className={classes('text-center', styles['more'])}>
            <Button size="sm" variant="link" tone="neutral" busy={more.busy} onClick={more.read}>
              Muat percakapan berikutnya
            </Button>
          </div>
        )
      }
    >
      {shown.map((conversation) => (
        <Line
          key={`${conversation.token.id} ${conversation.peer}`}
          conversation={conversation}
          filter={filter}
          open={isOpen(conversation)}
          withToken={severalTokens}
        />
      ))}
    </ChatRows>
  );
}

const focusOpenBox = () => boxOf(document)?.focus();

type LineProps = {
  conversation: Conversation;
  filter: ListFilter;
  open: boolean;
  withToken: boolean;
};

function Line({ conversation, filter, open, withToken }: LineProps) {
  const zone = useUser().timezone;
  const { token, peer, peer_name, unread, last_at, direction, status, pinned } = conversation;
  const draft = open ? '' : draftOf(`${token.id} ${peer}`);
  return (
    <li className="relative">
      <Link
        to="/message-history"
        search={{ view: 'percakapan', open: token.id, peer, ...filter, q: filter.q || undefined }}
        {...chatRow({ open, unread })}
        data-conversation
        data-row="open"
        // Enter clicks without a pointer's press: then focus moves to the box.
        onClick={({ detail }) => {
          if (detail === 0) (open ? focusOpenBox : focusNextBox)();
        }}
      >
        <Avatar name={peer_name ?? ''} {...numberIcon(conversation)} decorative />
        <ChatRowWords
          name={nameOf(conversation)}
          isNumber={peer_name === null}
          at={last_at}
          time={shortTime(last_at, zone)}
          unread={unread}
          mark={
            pinned && (
              <>
                <Pin size={14} />
                <span className="sr-only"> disematkan</span>
              </>
            )
          }
          preview={
            draft ? (
              <>
                <span className="flex-none text-warning strong">Draf:</span>{' '}
                <bdi>{captionText(draft)}</bdi>
              </>
            ) : (
              <>
                {direction === 'out' && <StatusMark status={status} iconOnly />}
                <Preview of={conversation} />
              </>
            )
          }
        >
          {withToken && <bdi className="truncate tiny faint">{token.name}</bdi>}
        </ChatRowWords>
      </Link>
      <ChatRowTool>
        <ConversationMenu of={conversation} label={`Tindakan untuk ${nameOf(conversation)}`} />
      </ChatRowTool>
    </li>
  );
}

function Preview({ of: { type, preview } }: { of: Conversation }) {
  const words = <bdi>{preview}</bdi>;
  if (preview === '') return messageTypeLabel[type];
  if (type === 'text' || type === 'template') return words;
  return (
    <>
      {messageTypeLabel[type]}: {words}
    </>
  );
}

/** A conversation without a name has no initials: the last two digits tell numbers apart. */
function numberIcon({ peer, peer_name }: Conversation) {
  return peer_name === null ? { icon: peer.slice(-2), name: nameOf({ peer, peer_name }) } : {};
}

/** `09.05` today, `Kemarin`, else the date. */
function shortTime(at: Date, zone: string): string {
  const [day, today] = [civilDate(at, zone), civilDate(new Date(), zone)];
  return day === today ? formatTime(at, zone) : dayLabel(day, today);
}

type NotFoundProps = { filter: ListFilter; onClear: () => void };

const NotFound = ({ filter: { q, unread }, onClear }: NotFoundProps) => (
  <EmptyState
    title={q ? 'Data tidak ditemukan' : 'Semua sudah dibaca'}
    action={
      <Button variant="outline" onClick={onClear}>
        {q && !unread ? 'Hapus pencarian' : 'Tampilkan semua'}
      </Button>
    }
  >
    {q
      ? `Tidak ada percakapan ${unread ? 'yang belum dibaca ' : ''}dengan nama atau nomor itu.`
      : 'Tidak ada percakapan yang belum dibaca.'}
  </EmptyState>
);

const NoConversations = ({ onSend }: { onSend: () => void }) => (
  <EmptyState
    icon={<MessagesSquare size={24} />}
    title="Belum ada percakapan"
    action={
      <Button variant="subtle" onClick={onSend}>
        Kirim pesan
      </Button>
    }
  >
    Percakapan dimulai saat Anda mengirim pesan, atau saat seseorang menulis ke nomor Anda.
  </EmptyState>
);
