import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { captionText } from '#contract/messages/captions.ts';
import type { SupportMessage } from '#contract/support.ts';
import type { Flat } from '#web/api/lists/flatList.ts';
import { presentNow } from '#web/features/operator/support/presence.ts';
import { answeredSince } from '#web/features/operator/support/thread/collision.ts';
import { linesKey } from '#web/features/support/support.ts';
import { onLiveEvent } from '#web/live/listeners.ts';
import { confirm } from '#web/ui/overlay/confirm.ts';

const EXCERPT_MAX = 160;
/** So long an answer waits for what others may just have sent. */
const READ_MS = 2_000;

/**
 * Keeps two operators from answering the same question: what another one has sent since this one began to write is
 * shown before it is sent.
 */
export function useCollision(accountId: string) {
  const client = useQueryClient();
  /** The newest line when the draft was begun; none while the lines are still on their way. */
  const base = useRef<number>(undefined);
  /** The newest line that was told of: its text may still be on its way. */
  const told = useRef(0);
  const rows = (): readonly SupportMessage[] =>
    client.getQueryData<Flat<SupportMessage>>(linesKey(accountId))?.rows ?? [];
  const newest = () => rows()[0]?.seq ?? 0;
  useEffect(
    () =>
      onLiveEvent('support.message', (event) => {
        if (event.account_id === accountId) told.current = Math.max(told.current, event.seq);
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
      if (navigator.onLine && (othersHere || told.current > newest())) {
        const read = client.refetchQueries({ queryKey: linesKey(accountId) });
        await Promise.race([read, new Promise((late) => setTimeout(late, READ_MS))]);
      }
      const other = answeredSince(rows(), { seq: since });
      if (!other) return true;
      // Asked once: who sends again has read it.
      base.current = newest();
      return confirm({
        title: `${other.author ?? 'Operator lain'} baru saja menjawab`,
        children: `${excerptOf(other)} Kirim jawaban Anda juga?`,
        cancelText: 'Batal',
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
