import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { captionText } from '#contract/messages/captions.ts';
import type { SupportMessage } from '#contract/support.ts';
import type { Flat } from '#web/api/lists/flatList.ts';
import { presentNow } from '#web/features/operator/support/presence.ts';
import { linesKey } from '#web/features/support/support.ts';
import { onLiveEvent } from '#web/live/listeners.ts';
import { confirm } from '#web/ui/overlay/confirm.ts';

const EXCERPT_MAX = 160;
/** The longest wait of an answer for messages that others may just have sent. */
const READ_MS = 2_000;

/**
 * Keeps two operators from answering the same question: an answer that another one has sent since the draft was begun
 * is shown before this one is sent.
 */
export function useCollision(accountId: string) {
  const client = useQueryClient();
  /** The newest message when the draft was begun; none while the messages are still loading. */
  const base = useRef<number>(undefined);
  /** The newest message reported by an event: its text may still be loading. */
  const reportedSeq = useRef(0);
  const rows = (): readonly SupportMessage[] =>
    client.getQueryData<Flat<SupportMessage>>(linesKey(accountId))?.rows ?? [];
  const newest = () => rows()[0]?.seq ?? 0;
  useEffect(
    () =>
      onLiveEvent('support.message', (event) => {
        if (event.account_id === accountId)
          reportedSeq.current = Math.max(reportedSeq.current, event.seq);
      }),
    [accountId],
  );
  return {
    onWrite: (text: string) => {
      base.current = text === '' ? undefined : (base.current ?? (newest() || undefined));
    },
    maySend: async () => {
      const since = base.current ?? newest();
      const othersHere = presentNow().some((one) => one.accountId === accountId);
      if (navigator.onLine && (othersHere || reportedSeq.current > newest())) {
        const read = client.refetchQueries({ queryKey: linesKey(accountId) });
        await Promise.race([read, new Promise((late) => setTimeout(late, READ_MS))]);
      }
      const other = answeredSince(rows(), { seq: since });
      if (!other) return true;
      // Asks once: sending again confirms that it was read.
      base.current = newest();
      return confirm({
        title: `${other.author ?? 'Operator lain'} baru saja menjawab`,
        children: `${excerptOf(other)} Kirim jawaban Anda juga?`,
        confirmText: 'Tetap kirim',
        tone: 'primary',
      });
    },
  };
}

function excerptOf({ content: { caption, filename } }: SupportMessage): string {
  const words = captionText(caption) || filename || 'Lampiran';
  return words.length > EXCERPT_MAX ? `“${words.slice(0, EXCERPT_MAX)}…”` : `“${words}”`;
}

/**
 * The newest answer by another operator since the draft was begun.
 *
 * @param lines of the thread, in any order
 */
export const answeredSince = (
  lines: readonly SupportMessage[],
  { seq }: { seq: number },
): SupportMessage | undefined =>
  lines
    .filter((line) => line.seq > seq && line.side === 'operator' && !line.mine && !line.internal)
    .toSorted((a, b) => b.seq - a.seq)[0];
