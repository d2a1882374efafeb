import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Token } from '#contract/tokens.ts';
import { useUser } from '#web/api/user.ts';
import { conversationQuery, type Which } from '#web/features/messages/conversations/queries.ts';
import {
  closedWords,
  untilWords,
  windowEnd,
} from '#web/features/messages/conversations/thread/chatWindow.ts';

type ChatWindow = {
  /** The end of the open window; undefined where there is no limit, or it is unknown. */
  notice?: string;
  closed?: string;
};

/** The state of the conversation's 24 hours, in which any content may be sent by the Cloud API. */
export function useChatWindow(which: Which, token: Token | undefined): ChatWindow {
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
