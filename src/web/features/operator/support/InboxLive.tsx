import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useUser } from '#web/api/user.ts';
import { notePresence, noteWritten } from '#web/features/operator/support/presence.ts';
import { sendToCustomer } from '#web/features/operator/support/thread/inboxPort.ts';
import { WaitingTitle } from '#web/features/operator/support/WaitingCount.tsx';
import { addLine, followOutbox, waitingThreads } from '#web/features/support/support.ts';
import { onLiveEvent } from '#web/live/listeners.ts';

/** Runs the inbox's live updates on every page of an operator; renders nothing. */
export function InboxLive() {
  usePresences();
  useWaitingAnswers();
  return <WaitingTitle />;
}

function usePresences(): void {
  const me = useUser().id;
  useEffect(() => {
    const stopTyping = onLiveEvent('support.typing', ({ account_id, user_id, name, doing }) => {
      if (user_id === null || user_id === me) return;
      notePresence({ accountId: account_id, userId: user_id, name, doing: doing ?? 'answer' });
    });
    const stopLines = onLiveEvent('support.message', ({ account_id, side, name }) => {
      if (side === 'operator') noteWritten(account_id, name);
    });
    return () => {
      stopTyping();
      stopLines();
    };
  }, [me]);
}

function useWaitingAnswers(): void {
  const client = useQueryClient();
  useEffect(() => {
    for (const thread of waitingThreads()) {
      followOutbox({
        thread,
        send: (draft) => sendToCustomer(client, thread, draft),
        onSent: (line) => addLine(client, thread, line),
      });
    }
  }, [client]);
}
