import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { LiveEvent } from '#contract/events.ts';
import { saldoSummary } from '#contract/saldo.ts';
import { isAbout, withRead, withSaldo, withStatus, type Subject } from '#web/live/patches.ts';
import { paced } from '#web/live/throttle.ts';

/** Unread messages in all conversations: also followed in a tab that nobody looks at, for its title. */
export const unreadKey = ['conversations', 'unread'] as const;
/** One conversation's messages. */
export const threadKey = (tokenId: string, peer: string) => ['thread', tokenId, peer] as const;
/** One message with everything that is known of it. */
export const messageKey = (id: string) => ['one_message', id] as const;

const subjects: readonly Subject[] = [
  'messages',
  'conversations',
  'tokens',
  'saldo',
  'topups',
  'home',
];

type Match = (key: QueryKey) => boolean;

const about =
  (subject: Subject): Match =>
  (key) =>
    isAbout(key, subject);
const starting =
  (start: readonly unknown[]): Match =>
  (key) =>
    start.every((part, index) => key[index] === part);

/** Everything that events can change. */
const followed: Match = (key) =>
  subjects.some((subject) => isAbout(key, subject)) ||
  key[0] === 'thread' ||
  key[0] === 'one_message';

export type LiveCache = {
  /** Brings the cache up to an event: at once where the event says it all, else by asking again. */
  take: (event: LiveEvent) => void;
  /** Too much was missed: asks for everything again. */
  reset: () => void;
  stop: () => void;
};

/** Keeps a query cache current by events. */
export function liveCache(client: QueryClient): LiveCache {
  const stale = new Map<string, Match>();
  const pace = paced(() => refresh(client, stale), { gapMs: 300, longestMs: 2_000 });
  const mark = (name: string, match: Match) => {
    stale.set(name, match);
    pace.ask();
  };
  const markSubjects = (...names: readonly Subject[]) => {
    for (const name of names) mark(name, about(name));
  };
  const markThread = ({ token_id, peer }: { token_id: string; peer: string }) =>
    mark(`thread ${token_id} ${peer}`, starting(threadKey(token_id, peer)));
  const patch = (match: Match, change: (data: unknown) => unknown) => {
    for (const [key, data] of client.getQueriesData({ predicate: (one) => match(one.queryKey) })) {
      const next = data === undefined ? data : change(data);
      if (next !== data) client.setQueryData(key, next);
    }
  };

  const takeSaldo = (figures: { available: number; held: number }) => {
    patch(
      (key) => isAbout(key, 'saldo') || isAbout(key, 'home'),
      (data) => withSaldo(data, figures),
    );
    // An answer on its way may have been read before the event.
    const asking = client.isFetching({ queryKey: [saldoSummary.name] }) > 0;
    mark('saldo', (key) => isAbout(key, 'saldo') && (asking || key[0] !== saldoSummary.name));
  };

  const take = (event: LiveEvent) => {
    switch (event.kind) {
      case 'message.changed':
        patch(followed, (data) => withStatus(data, event));
        mark(`message ${event.id}`, starting(messageKey(event.id)));
        // Why it failed is not in the event.
        if (event.status === 'failed') markThread(event);
        return markSubjects('messages', 'conversations', 'home');
      case 'message.accepted':
      case 'message.received':
        markThread(event);
        return markSubjects('messages', 'conversations', 'home');
      case 'conversation.read':
        patch(about('conversations'), (data) => withRead(data, event));
        return markSubjects('conversations', 'home');
      case 'token.changed':
        return markSubjects('tokens', 'conversations', 'home');
      case 'saldo.changed':
        return takeSaldo(event);
      case 'topup.changed':
        mark('all saldo', about('saldo'));
        return markSubjects('topups', 'home');
    }
  };

  const seen = () => {
    if (document.hidden) return;
    const behind = { type: 'active', predicate: stateIsBehind } as const;
    void client.refetchQueries(behind, { cancelRefetch: false });
  };
  document.addEventListener('visibilitychange', seen);
  return {
    take,
    reset: () => mark('everything', followed),
    stop: () => {
      pace.stop();
      document.removeEventListener('visibilitychange', seen);
    },
  };
}

const stateIsBehind = ({
  queryKey,
  state,
}: {
  queryKey: QueryKey;
  state: { isInvalidated: boolean };
}) => state.isInvalidated && followed(queryKey);

/** Asks again for what is on screen; a tab that nobody looks at asks when somebody does. */
async function refresh(client: QueryClient, stale: Map<string, Match>): Promise<void> {
  const matches = [...stale.values()];
  stale.clear();
  const predicate = ({ queryKey }: { queryKey: QueryKey }) =>
    matches.some((match) => match(queryKey)) && (!document.hidden || starting(unreadKey)(queryKey));
  await client.invalidateQueries({
    predicate: ({ queryKey }) => matches.some((match) => match(queryKey)),
    refetchType: 'none',
  });
  await client.refetchQueries({ type: 'active', predicate });
}
