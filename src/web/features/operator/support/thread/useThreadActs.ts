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

/** What an operator can do with a customer's thread: one thing at a time, the last failure kept. */
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
  /** A second press while the first is on its way does nothing. */
  const once = (work: () => Promise<unknown>) => {
    if (busy) return;
    setError(undefined);
    // Told by `error`.
    void work().catch(() => undefined);
  };
  const thread = { account_id: accountId };
  const openAgain = () => once(() => reopen.perform(thread));
  return {
    busy,
    error,
    /** `undefined`: nobody in particular. */
    assign: (operatorId: string | undefined) =>
      once(() => assign.perform({ ...thread, ...(operatorId && { operator_id: operatorId }) })),
    snooze: (until: Date) => once(() => snooze.perform({ ...thread, until: until.toISOString() })),
    /** The same for who shows the failure: @throws what the act throws. */
    snoozeNow: async (until: Date) => {
      await snooze.perform({ ...thread, until: until.toISOString() });
    },
    close: () =>
      once(async () => {
        await close.perform(thread);
        toast('Percakapan selesai. Pelanggan diminta memberi nilai.', {
          tone: 'success',
          action: { label: 'Buka lagi', onAction: openAgain },
        });
      }),
    reopen: openAgain,
    transcript: () => once(() => transcript.perform(thread)),
  };
}
