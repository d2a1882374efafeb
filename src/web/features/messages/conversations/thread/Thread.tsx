import { isolated } from '#contract/base/names.ts';
import { useQuery, useQueryClient, queryOptions, type QueryClient } from '@tanstack/react-query';
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
import { formatDate, civilDate } from '#contract/base/time.ts';
import { useUnsent } from '#web/api/outbox.ts';
import { useUser } from '#web/api/user.ts';
import { type Flat, merged, readOlder } from '#web/api/lists/flatList.ts';
import { Reply } from '#web/features/messages/conversations/thread/Reply.tsx';
import {
  outboxThread,
  type Outgoing,
  type QuotedMessage,
  reactsTo,
} from '#web/features/messages/conversations/thread/sending.ts';
import {
  conversationQuery,
  conversationsQuery,
  sameConversation,
  type Which,
  unreadIn,
  withReaction,
  markSeen,
  readOlderMessages,
  threadQuery,
  threadOrder,
  threadPage,
} from '#web/features/messages/conversations/queries.ts';
import {
  OptoutButton,
  optoutQuery,
  useOptoutChange,
} from '#web/features/messages/conversations/optout/OptoutButton.tsx';
import { ThreadMenu } from '#web/features/messages/conversations/menu/ThreadMenu.tsx';
import { placeOf, type Place } from '#web/features/messages/conversations/thread/place/place.ts';
import { takeFocus } from '#web/ui/chat/thread/boxFocus.ts';
import { threadBack, ThreadHead } from '#web/ui/chat/thread/ThreadHead.tsx';
import { ThreadSkeleton } from '#web/ui/chat/thread/ThreadSkeleton.tsx';
import { useKeyboardInset } from '#web/ui/chat/thread/useKeyboardInset.ts';
import { DisconnectedNumber } from '#web/features/messages/DisconnectedNumber.tsx';
import { canSend } from '#web/features/messages/queries.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import {
  MessageLine,
  type ThreadBody,
} from '#web/features/messages/conversations/thread/MessageLine.tsx';
import { firstUnread } from '#web/features/messages/conversations/thread/firstUnread.ts';
import { ThreadList } from '#web/ui/chat/thread/ThreadList.tsx';
import { threadItems, type ThreadLine } from '#web/ui/chat/thread/threadItems.ts';
import { toast } from '#web/ui/toast/toasts.ts';
import {
  closedWords,
  untilWords,
  windowEnd,
} from '#web/features/messages/conversations/thread/chatWindow.ts';
import { shownConversation } from '#web/features/messages/conversations/thread/seen.ts';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { threadKey } from '#web/features/messages/queryKeys.ts';

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
  const { data: tokens } = useQuery(allTokensQuery);
  const token = tokens?.find(({ id }) => id === which.tokenId);
  const { data: optout } = useQuery(optoutQuery(which));
  const name = usePeerName(which, newest);
  const root = useRef<HTMLElement>(null);
  const outgoing: readonly Outgoing[] = useUnsent('conversation', outboxThread(which));
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
  useShownConversation(which);
  return (
    <section
      ref={root}
      className="column grow min-h-0 paper"
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
        />
      ) : (
        <div className="grow min-h-0 overflow-hidden">
          {error ? <WentWrong query={{ error, refetch: retry }} /> : <ThreadSkeleton />}
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
      className="border-b"
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

type Props = {
  which: Which;
  name: string;
  shown: ShownThread;
  newest: Flat<ConversationMessage>;
  outgoing: readonly Outgoing[];
  onReply?: ((message: ConversationMessage) => void) | undefined;
  onGoTo: (messageId: string) => void;
  focused: boolean;
};

function ThreadMessages(props: Props) {
  const { which, name, shown, newest, outgoing, onReply, onGoTo, focused } = props;
  const client = useQueryClient();
  const { list, newer, place, readOlder } = shown;
  const zone = useUser().timezone;
  const unreadFrom = useUnreadFrom(which, newest);
  const [start] = useState(() => place && startOf(list.rows, place));
  const { data: conversation } = useQuery({ ...conversationQuery(which), enabled: false });
  useMissing(place, list.rows, start?.key, zone);
  // Below an older part, outgoing messages would be out of place.
  const sent = newer ? none : outgoing;
  const items = useMemo(
    () =>
      threadItems({
        lines: linesOf(list.rows, sent),
        ended: list.ended,
        unreadFrom,
        zone,
        now: new Date(),
      }),
    [list.rows, list.ended, sent, unreadFrom, zone],
  );
  const render = useCallback(
    (body: ThreadBody, first: boolean) => (
      <MessageLine
        body={body}
        first={first}
        name={name}
        zone={zone}
        onReply={onReply}
        onGoTo={onGoTo}
      />
    ),
    [name, zone, onReply, onGoTo],
  );
  return (
    <ThreadList
      items={items}
      sending={outgoing.filter((one) => reactsTo(one) === undefined).length}
      ended={list.ended}
      readOlder={readOlder}
      newer={newer}
      start={start}
      focused={focused}
      unread={conversation?.unread ?? 0}
      render={render}
      seen={{
        newest: newest.rows.find(({ direction }) => direction === 'in')?.id ?? '',
        report: () => markSeen(client, which),
      }}
    />
  );
}

const none: readonly Outgoing[] = [];

/** The message that a thread opens at: the first from a place on, else the last before it. */
function startOf(newestFirst: readonly ConversationMessage[], { from, day }: Place) {
  const row = newestFirst.findLast(({ id }) => id >= from) ?? newestFirst[0];
  return row && ({ key: row.id, at: day === undefined ? 'line' : 'day' } as const);
}

function useMissing(
  place: Place | undefined,
  rows: readonly ConversationMessage[],
  start: string | undefined,
  zone: string,
): void {
  const shown = rows.find(({ id }) => id === start);
  const at = shown && civilDate(shown.created_at, zone);
  const [sentence] = useState(() => {
    if (!place || at === undefined || start === undefined) return undefined;
    if (place.day === undefined) {
      return start === place.from ? undefined : 'Pesan itu tidak ada dalam percakapan ini.';
    }
    if (at === place.day) return undefined;
    const day = formatDate(`${place.day}T00:00:00Z`, 'UTC');
    return at > place.day
      ? `Tidak ada pesan pada ${day}. Yang ditampilkan mulai ${formatDate(shown?.created_at ?? '', zone)}.`
      : `Tidak ada pesan sejak ${day}.`;
  });
  useEffect(() => {
    if (sentence !== undefined) toast(sentence);
  }, [sentence]);
}

const lines = new WeakMap<ConversationMessage, ThreadLine<ThreadBody>>();

/** Maps a message to a line, with a stable identity so that it renders once. */
function lineOf(message: ConversationMessage): ThreadLine<ThreadBody> {
  let line = lines.get(message);
  if (!line) {
    const { id: key, direction: side, created_at: at } = message;
    line = { key, side, at, body: { message } };
    lines.set(message, line);
  }
  return line;
}

function linesOf(
  newestFirst: readonly ConversationMessage[],
  outgoing: readonly Outgoing[],
): readonly ThreadLine<ThreadBody>[] {
  const reacting = new Map(outgoing.map((one) => [reactsTo(one), one]));
  return [
    ...newestFirst.toReversed().map((message) => {
      const line = lineOf(message);
      const one = reacting.get(message.id);
      return one ? { ...line, body: reactedTo(message, one) } : line;
    }),
    ...outgoing
      .filter((one) => reactsTo(one) === undefined)
      .map((one) => ({
        key: one.id,
        side: 'out' as const,
        at: new Date(one.at),
        body: { outgoing: one },
      })),
  ];
}

/** A message with an outgoing reaction; a failed one is reported below it. */
const reactedTo = (message: ConversationMessage, reacting: Outgoing): ThreadBody =>
  reacting.body.content?.type === 'reaction' && !reacting.failed
    ? { message: withReaction(message, reacting.body.content.emoji) }
    : { message, reacting };

/** The first message that was unread when the thread was opened, until it is answered. */
function useUnreadFrom(which: Which, thread: Flat<ConversationMessage>): string | undefined {
  const client = useQueryClient();
  const [first] = useState(() => {
    // The oldest row is hidden while older ones can be loaded.
    const rows = thread.ended ? thread.rows : thread.rows.slice(0, -1);
    return firstUnread(rows, unreadIn(client, which));
  });
  const since = thread.rows.slice(
    0,
    thread.rows.findIndex(({ id }) => id === first),
  );
  return since.some(({ direction }) => direction === 'out') ? undefined : first;
}

type ChatWindow = {
  /** The end of the open window; undefined where there is no limit, or it is unknown. */
  notice?: string;
  closed?: string;
};

/** The state of the conversation's 24 hours, in which any content may be sent by the Cloud API. */
function useChatWindow(which: Which, token: Token | undefined): ChatWindow {
  const isLimited = token?.channel === 'cloud';
  const { data } = useQuery({ ...conversationQuery(which), enabled: isLimited });
  const { timezone } = useUser();
  const end = windowEnd(data?.last_in_at ?? null);
  const now = useNowUntil(end);
  if (!isLimited || data === undefined) return {};
  if (end && end > now) return { notice: untilWords(end, now, timezone) };
  return { closed: closedWords(end, timezone) };
}

const MINUTE_MS = 60_000;

/** The current time, updated each minute until a moment, and at that moment. */
function useNowUntil(moment: Date | undefined): Date {
  const [now, setNow] = useState(() => new Date());
  const at = moment?.getTime();
  useEffect(() => {
    setNow(new Date());
    if (at === undefined || at <= Date.now()) return;
    const look = () => {
      setNow(new Date());
      const left = at - Date.now();
      // Whole minutes are shown, so it updates when the remaining time is a whole number of them.
      if (left > 0) timer = setTimeout(look, left % MINUTE_MS || MINUTE_MS);
    };
    let timer = setTimeout(look, (at - Date.now()) % MINUTE_MS || MINUTE_MS);
    return () => clearTimeout(timer);
  }, [at]);
  return now;
}

function useShownConversation({ tokenId, peer }: Which): void {
  useEffect(() => {
    shownConversation.set({ token_id: tokenId, peer });
    return () => shownConversation.set(undefined);
  }, [tokenId, peer]);
}

type ShownThread = {
  list: Flat<ConversationMessage>;
  place: Place | undefined;
  readOlder: () => Promise<void>;
  newer: { read: () => Promise<void>; leave: () => void } | undefined;
};

/**
 * The messages of a thread: the newest ones, or a part around an older place. A part that reaches the newest messages
 * becomes one list with them.
 *
 * @param leave goes to the newest messages.
 */
function useThread(which: Which, place: Place | undefined, leave: () => void) {
  const client = useQueryClient();
  const newest = useQuery(threadQuery(which));
  const from = place?.from ?? '';
  const isApart = place !== undefined && !(newest.data && reaches(newest.data, from));
  const around = useQuery({ ...aroundQuery(which, from), enabled: isApart });
  const [list, part] = [newest.data, isApart ? around.data : undefined];
  useEffect(() => {
    if (part && list) join(client, which, from);
  }, [client, which, from, part, list]);
  const shown = useMemo((): ShownThread | undefined => {
    if (!isApart) {
      return (
        list && { list, place, readOlder: () => readOlderMessages(client, which), newer: undefined }
      );
    }
    // Wait for the join: a short conversation is complete at once.
    if (!list || !part) return undefined;
    return {
      list: part,
      place,
      readOlder: () => readOlderAround(client, which, from),
      newer: { read: () => readNewerAround(client, which, from), leave },
    };
  }, [client, which, place, from, isApart, list, part, leave]);
  const failed = isApart && !newest.error ? around : newest;
  return { newest: list, shown, error: failed.error, retry: () => void failed.refetch() };
}

type Part = Flat<ConversationMessage>;

const partKey = ({ tokenId, peer }: Which, from: string) => [...threadKey(tokenId, peer), from];

/** A part of a thread around a message or a moment, newest first: twenty messages on each side. */
const aroundQuery = (which: Which, from: string) => {
  const queryKey = partKey(which, from);
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<Part> => {
      const ways = [{ from }, { before: from }] as const;
      const read = ways.map((bounds) =>
        Promise.all([0, PAGE_SIZE].map((start) => threadPage(which, { start, bounds, signal }))),
      );
      const [newer = [], older = []] = await Promise.all(read);
      const loaded = [...newer, ...older].flatMap(({ rows }) => rows);
      // Rows loaded meanwhile are kept: all lie around the same place.
      const known = client.getQueryData<Part>(queryKey);
      return {
        rows: merged(known?.rows ?? [], loaded, threadOrder),
        ended: known?.ended || older.some(({ count }) => count < PAGE_SIZE),
        readAt: Date.now(),
      };
    },
    structuralSharing: false,
  });
};

const reaches = ({ rows, ended }: Part, from: string): boolean =>
  ended || (rows.at(-1)?.id ?? '') < from;

const meets = (part: Part, newest: Part): boolean =>
  (part.rows[0]?.id ?? '') >= (newest.rows.at(-1)?.id ?? '');

/** Joins a part with the newest messages, if there is no gap between them. */
function join(client: QueryClient, which: Which, from: string): void {
  const part = client.getQueryData<Part>(partKey(which, from));
  client.setQueryData(threadQuery(which).queryKey, (newest) =>
    newest && part && !reaches(newest, from) && meets(part, newest)
      ? { ...newest, rows: merged(newest.rows, part.rows, threadOrder), ended: part.ended }
      : newest,
  );
}

async function readOlderAround(client: QueryClient, which: Which, from: string): Promise<void> {
  const source = {
    ...threadOrder,
    page: (start: number) => threadPage(which, { start, bounds: { before: from } }),
    behind: ({ id }: ConversationMessage) => threadPage(which, { bounds: { before: id } }),
  };
  const key = partKey(which, from);
  const longer = await readOlder(source, () => client.getQueryData<Part>(key));
  if (longer) client.setQueryData(key, longer);
}

/** Reads the next newer messages of a part into the cache; the first of them is already known. */
async function readNewerAround(client: QueryClient, which: Which, from: string): Promise<void> {
  const key = partKey(which, from);
  const last = client.getQueryData<Part>(key)?.rows[0]?.id ?? from;
  const page = await threadPage(which, { bounds: { from: last } });
  client.setQueryData<Part>(
    key,
    (part) => part && { ...part, rows: merged(part.rows, page.rows, threadOrder) },
  );
}
