import { isolated } from '#contract/base/names.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { useSearch } from '#web/browser/router/Router.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import {
  memo,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import type { Token } from '#contract/tokens.ts';
import type { ConversationMessage } from '#contract/messages.ts';
import { type Optout, optoutSourceLabel } from '#contract/messages/optouts.ts';
import { formatPeer } from '#contract/messages/peer.ts';
import { formatDate } from '#contract/base/time.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useUser } from '#web/api/user.ts';
import type { Flat } from '#web/api/lists/flatList.ts';
import { Reply } from '#web/features/messages/conversations/thread/Reply.tsx';
import {
  useOutgoing,
  type Outgoing,
  type QuotedMessage,
} from '#web/features/messages/conversations/thread/sending/outgoing.ts';
import {
  conversationQuery,
  conversationsQuery,
  sameConversation,
  type Which,
} from '#web/features/messages/conversations/queries.ts';
import {
  OptoutButton,
  optoutQuery,
  useOptoutChange,
} from '#web/features/messages/conversations/optout/OptoutButton.tsx';
import { ThreadMenu } from '#web/features/messages/conversations/menu/ThreadMenu.tsx';
import { placeOf } from '#web/features/messages/conversations/thread/place/place.ts';
import { useThread } from '#web/features/messages/conversations/thread/place/useThread.ts';
import { ThreadMessages } from '#web/features/messages/conversations/thread/ThreadMessages.tsx';
import styles from '#web/features/messages/conversations/thread/Thread.module.css';
import { takeFocus } from '#web/ui/chat/thread/boxFocus.ts';
import { threadBack, ThreadHead } from '#web/ui/chat/thread/ThreadHead.tsx';
import { ThreadSkeleton } from '#web/ui/chat/thread/ThreadSkeleton.tsx';
import { useKeyboardInset } from '#web/ui/chat/thread/useKeyboardInset.ts';
import { useChatWindow } from '#web/features/messages/conversations/thread/useChatWindow.ts';
import { useSeen } from '#web/features/messages/conversations/thread/useSeen.ts';
import { DisconnectedNumber } from '#web/features/messages/DisconnectedNumber.tsx';
import { canSend } from '#web/features/messages/queries.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';

export function Thread({ which }: { which: Which }) {
  const { at } = useSearch('/message-history');
  const zone = useUser().timezone;
  const place = useMemo(() => placeOf(at, zone), [at, zone]);
  const [jumps, setJumps] = useState(0);
  const goTo = useCallback((to: string | undefined) => {
    setJumps((before) => before + 1);
    const replace = to === undefined;
    void navigate({ to: '/message-history', change: { at: to }, replace });
  }, []);
  const leave = useCallback(() => goTo(undefined), [goTo]);
  const { newest, shown, error, retry } = useThread(which, place, leave);
  const [atEnd, setAtEnd] = useState(false);
  const { data: tokens } = useQuery(allTokensQuery);
  const token = tokens?.find(({ id }) => id === which.tokenId);
  const { data: optout } = useQuery(optoutQuery(which));
  const name = usePeerName(which, newest);
  const root = useRef<HTMLElement>(null);
  const outgoing = useOutgoing().filter((one) => isOf(one, which));
  const [replyTo, setReplyTo] = useState<QuotedMessage>();
  const { notice, closed } = useChatWindow(which, token);
  const blocked = whyStopped(optout) ?? whyBlocked(token, tokens !== undefined);
  const canReply = !blocked && closed === undefined;
  const endReply = useCallback(() => setReplyTo(undefined), []);
  const reply = useCallback(({ id, direction, type, excerpt }: ConversationMessage) => {
    setReplyTo({ id, direction, type, excerpt });
    root.current?.querySelector('textarea')?.focus();
  }, []);
  const keys = useKeys(root);
  useSeen(which, newest?.rows, atEnd);
  return (
    <section
      ref={root}
      className={styles['thread']}
      aria-label={`Percakapan dengan ${isolated(name)}`}
      {...keys}
    >
      <Head which={which} name={name} token={token} onGoTo={goTo} />
      {newest && shown ? (
        <ThreadMessages
          key={`${place?.from} ${jumps}`}
          which={which}
          name={name}
          shown={shown}
          newest={newest}
          outgoing={outgoing}
          onReply={canReply ? reply : undefined}
          onGoTo={goTo}
          focused={jumps > 0}
          onEnd={setAtEnd}
        />
      ) : (
        <div className={styles['waiting']}>
          {error ? <WentWrong message={sentenceOf(error)} onRetry={retry} /> : <ThreadSkeleton />}
        </div>
      )}
      <Reply
        which={which}
        name={name}
        channel={token?.channel}
        notice={notice}
        blocked={blocked}
        closed={closed}
        replyTo={replyTo}
        onReplied={endReply}
        dropZone={root}
      />
    </section>
  );
}

const isOf = (one: Outgoing, { tokenId, peer }: Which): boolean =>
  one.tokenId === tokenId && one.peer === peer;

/** Makes room for a phone's keyboard. Enter on a row focuses the box, Escape returns to the row. */
function useKeys(root: RefObject<HTMLElement | null>) {
  useKeyboardInset(root);
  useEffect(() => (root.current ? takeFocus(root.current) : undefined), [root]);
  return { 'data-thread': true, onKeyDown: leaveByEscape };
}

/** Escape focuses the conversation's row in the list, if the list is shown. */
function leaveByEscape(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]'))
    return;
  const row = document.querySelector<HTMLElement>('[data-conversation][data-open]');
  if (!row || row.getClientRects().length === 0) return;
  event.preventDefault();
  row.focus();
}

function usePeerName(which: Which, thread: Flat<ConversationMessage> | undefined): string {
  const { q = '', unread } = useSearch('/message-history');
  const { data } = useQuery({ ...conversationsQuery({ q, unread }), enabled: false });
  const { data: one } = useQuery(conversationQuery(which));
  const row = one ?? data?.rows.find((listed) => sameConversation(listed, which));
  const peerName = row?.peer_name ?? thread?.rows.find(({ peer_name }) => peer_name)?.peer_name;
  return peerName ?? formatPeer(which.peer);
}

type HeadProps = {
  which: Which;
  name: string;
  token: Token | undefined;
  onGoTo: (day: string) => void;
};

const Head = memo(DrawnHead);

function DrawnHead({ which, name, token, onGoTo }: HeadProps) {
  const { q, unread } = useSearch('/message-history');
  const wide = useWide();
  const optout = useOptoutChange(which, name);
  const number = formatPeer(which.peer);
  const isNumber = name === number;
  const stops = token && optout;
  return (
    <ThreadHead
      className={styles['head']}
      back={
        <Link
          to="/message-history"
          search={{ view: 'percakapan', q, unread }}
          {...threadBack('Kembali ke daftar percakapan')}
        />
      }
      avatar={<Avatar name={name} {...(isNumber && { icon: which.peer.slice(-2) })} decorative />}
      name={name}
      isNumber={isNumber}
      about={
        <>
          {!isNumber && <span className="num">{number}</span>}
          {token && <bdi>lewat {token.name}</bdi>}
        </>
      }
    >
      {stops && wide && <OptoutButton {...stops} />}
      <ThreadMenu which={which} optout={wide ? undefined : stops} onGoTo={onGoTo} />
      {stops?.question}
    </ThreadHead>
  );
}

/** Why nothing can be sent from here; `undefined` when it can. */
function whyBlocked(token: Token | undefined, known: boolean): ReactNode {
  if (!known || (token && canSend(token))) return undefined;
  if (!token) return 'Nomor percakapan ini sudah dihapus. Percakapannya tetap dapat dibaca.';
  return <DisconnectedNumber token={token} />;
}

function whyStopped(optout: Optout | null | undefined): ReactNode {
  if (!optout) return undefined;
  const { source, reason, created_at: at } = optout;
  return (
    <>
      Langganan dihentikan {optoutSourceLabel[source]}, {formatDate(at)}
      {reason !== null && (
        <>
          : <bdi>{reason}</bdi>
        </>
      )}
      .
    </>
  );
}
