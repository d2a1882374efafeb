import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { uuidOf } from '#contract/base/ids.ts';
import type { SupportMessage } from '#contract/support.ts';
import { sentenceOf } from '#web/api/errors.ts';
import type { Flat } from '#web/api/lists/flatList.ts';
import { useUser } from '#web/api/user.ts';
import type { SupportChatProps } from '#web/features/support/chat/chatProps.ts';
import { SupportComposer } from '#web/features/support/chat/SupportComposer.tsx';
import { SupportLine, type SupportBody } from '#web/features/support/chat/SupportLine.tsx';
import { useReadMark } from '#web/features/support/chat/useReadMark.ts';
import { TypingNow, useTypingNow } from '#web/features/support/chat/TypingNow.tsx';
import { addLine, linesQuery, readOlderLines } from '#web/features/support/lines.ts';
import { followOutbox, useOutgoingLines } from '#web/features/support/outbox/outbox.ts';
import type { OutgoingLine } from '#web/features/support/outbox/outgoingLine.ts';
import type { SupportPort } from '#web/features/support/port.ts';
import { ThreadList } from '#web/ui/chat/thread/ThreadList.tsx';
import { ThreadSkeleton } from '#web/ui/chat/thread/ThreadSkeleton.tsx';
import { threadItems, type ThreadLine } from '#web/ui/chat/thread/threadItems.ts';
import { useKeyboardInset } from '#web/ui/chat/thread/useKeyboardInset.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';

export function SupportChat(props: SupportChatProps) {
  const { port, name, blocked, empty, foot, above, about, composer } = props;
  const root = useRef<HTMLElement>(null);
  const { data, error, refetch } = useQuery(linesQuery(port));
  const outgoing = useOutgoing(port, data);
  useSending(port);
  useKeyboardInset(root);
  const isEmpty = data?.rows.length === 0 && outgoing.length === 0;
  return (
    <section
      ref={root}
      className="column fill min-h-0 paper"
      aria-label={`Percakapan dengan ${name}`}
    >
      {!data && (
        <div className="grow min-h-0 overflow-hidden">
          {error ? (
            <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />
          ) : (
            <ThreadSkeleton />
          )}
        </div>
      )}
      {data && isEmpty && <div className="column grow min-h-0 scroll-y">{empty}</div>}
      {data && !isEmpty && (
        <Lines
          key={port.key}
          port={port}
          name={name}
          thread={data}
          outgoing={outgoing}
          foot={foot}
        />
      )}
      {above}
      <SupportComposer
        key={`${port.key} composer`}
        port={port}
        name={name}
        blocked={blocked}
        about={about}
        options={composer}
        dropZone={root}
      />
    </section>
  );
}

/** Outgoing messages that the server has not returned yet. */
function useOutgoing(port: SupportPort, thread: Flat<SupportMessage> | undefined) {
  const outgoing = useOutgoingLines(port.key);
  const rows = thread?.rows;
  return useMemo(() => {
    // A message is identified by the id that its browser made.
    const there = new Set(rows?.map(({ id }) => uuidOf('support', id)));
    return outgoing.filter(({ id }) => !there.has(id));
  }, [outgoing, rows]);
}

function useSending(port: SupportPort): void {
  const client = useQueryClient();
  const newest = useRef(port);
  useEffect(() => {
    newest.current = port;
  });
  const { key } = port;
  useEffect(() => {
    // Continues when another page is opened before all of them are sent.
    followOutbox({
      thread: key,
      send: (draft) => newest.current.send(draft),
      onSent: (line) => addLine(client, key, line),
    });
  }, [client, key]);
}

type LinesProps = {
  port: SupportPort;
  name: string;
  thread: Flat<SupportMessage>;
  outgoing: readonly OutgoingLine[];
  foot: ReactNode;
};

function Lines({ port, name, thread, outgoing, foot }: LinesProps) {
  const client = useQueryClient();
  const zone = useUser().timezone;
  const typing = useTypingNow(port);
  const unreadFrom = useUnreadFrom(port, thread.rows);
  const [atEnd, setAtEnd] = useState(false);
  useReadMark(port, thread.rows, atEnd);
  const items = useMemo(
    () =>
      threadItems({
        lines: linesOf(port.side, thread.rows, outgoing),
        ended: thread.ended,
        unreadFrom,
        zone,
        now: new Date(),
      }),
    [port.side, thread.rows, thread.ended, outgoing, unreadFrom, zone],
  );
  const render = useCallback(
    (body: SupportBody, first: boolean) => (
      <SupportLine body={body} first={first} port={port} name={name} zone={zone} />
    ),
    [port, name, zone],
  );
  return (
    <ThreadList
      items={items}
      sending={outgoing.length}
      ended={thread.ended}
      readOlder={() => readOlderLines(client, port)}
      render={render}
      onEnd={setAtEnd}
      foot={
        (foot || typing) && (
          <>
            {typing && <TypingNow name={typing} />}
            {foot}
          </>
        )
      }
    />
  );
}

const ME = '';

const linesOf = (
  side: SupportPort['side'],
  newestFirst: readonly SupportMessage[],
  outgoing: readonly OutgoingLine[],
): readonly ThreadLine<SupportBody>[] => [
  ...newestFirst.toReversed().map((message) => ({
    key: message.id,
    side: message.side === side ? ('out' as const) : ('in' as const),
    at: message.at,
    by: message.mine ? ME : (message.author ?? undefined),
    body: { message },
  })),
  ...outgoing.map((line) => ({
    key: line.id,
    side: 'out' as const,
    at: new Date(line.at),
    by: ME,
    body: { outgoing: line },
  })),
];

/** The other side's first message that was unread on opening, until it is answered. */
function useUnreadFrom(
  { side, thread }: SupportPort,
  newestFirst: readonly SupportMessage[],
): string | undefined {
  const read = side === 'customer' ? thread?.customer_read : thread?.operator_read;
  const [mark, setMark] = useState(read);
  if (mark === undefined && read !== undefined) setMark(read);
  if (mark === undefined) return undefined;
  const since = newestFirst.filter(({ seq }) => seq > mark);
  if (since.some((line) => line.side === side && !line.internal)) return undefined;
  return since.findLast((line) => line.side !== side && line.side !== 'system')?.id;
}
