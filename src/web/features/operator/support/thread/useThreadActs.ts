import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  assignInbox,
  closeInbox,
  inboxTranscript,
  reopenInbox,
  snoozeInbox,
  type OperatorThread,
} from '#contract/operator/support.ts';
import { useAct } from '#web/api/query.ts';
import { showThread } from '#web/features/operator/support/queries.ts';
import { saveFrom } from '#web/ui/copy/saveFile.ts';
import { toast } from '#web/ui/toast/toasts.ts';

export type ThreadActs = ReturnType<typeof useThreadActs>;

/** The operator's actions on a customer's thread: one at a time, with the last error. */
export function useThreadActs(accountId: string) {
  const client = useQueryClient();
  const [error, setError] = useState<Error>();
  const options = {
    onSuccess: (thread: OperatorThread) => showThread(client, thread),
    onError: setError,
  };
  const assign = useAct(assignInbox, options);
  const snooze = useAct(snoozeInbox, options);
  const close = useAct(closeInbox, options);
  const reopen = useAct(reopenInbox, options);
  const transcript = useAct(inboxTranscript, {
    onSuccess: ({ url }) => saveFrom(url, ''),
    onError: setError,
  });
  const all = { assign, snooze, close, reopen, transcript };
  const busy = (Object.keys(all) as (keyof typeof all)[]).find((name) => all[name].busy);
  /** Ignores a second press while the first is running. */
  const once = (work: () => Promise<unknown>) => {
    if (busy) return;
    setError(undefined);
    void work().catch(() => undefined);
  };
  const thread = { account_id: accountId };
  const reopenThread = () => once(() => reopen.perform(thread));
  return {
    busy,
    error,
    /** `undefined` unassigns. */
    assign: (operatorId: string | undefined) =>
      once(() => assign.perform({ ...thread, ...(operatorId && { operator_id: operatorId }) })),
    snooze: (until: Date) => once(() => snooze.perform({ ...thread, until: until.toISOString() })),
    /** The same for a caller that shows the error itself: @throws what the act throws. */
    snoozeNow: async (until: Date) => {
      await snooze.perform({ ...thread, until: until.toISOString() });
    },
    close: () =>
      once(async () => {
        await close.perform(thread);
        toast('Percakapan selesai. Pelanggan diminta memberi nilai.', {
          tone: 'success',
          action: { label: 'Buka lagi', onAction: reopenThread },
        });
      }),
    reopen: reopenThread,
    transcript: () => once(() => transcript.perform(thread)),
  };
}
